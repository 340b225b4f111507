//! What a server offers beside tools: its resources are read, and its prompts asked for.

use anyhow::{Context, Result};
use mcp_client::{CallOptions, Client};
use mcp_types::{
    GetPrompt, GetPromptParams, ListPrompts, ListPromptsParams, ListResources, ListResourcesParams, Prompt,
    ReadResource, ReadResourceParams,
};

/// Lists the resources, if the server says that it has any, and reads each.
pub(crate) async fn read_all(client: &Client) -> Result<()> {
    if client.agreed().capabilities.resources.is_none() {
        return Ok(());
    }
    let listed = client.call::<ListResources>(&ListResourcesParams::default(), CallOptions::default()).await;
    for resource in listed.context("cannot list the resources")?.resources {
        let params = ReadResourceParams::new(&resource.uri);
        let read = client.call::<ReadResource>(&params, CallOptions::default()).await;
        read.with_context(|| format!("cannot read `{}`", resource.uri))?;
    }
    Ok(())
}

/// Lists the prompts, if the server says that it has any, and asks for each.
pub(crate) async fn get_all(client: &Client) -> Result<()> {
    if client.agreed().capabilities.prompts.is_none() {
        return Ok(());
    }
    let listed = client.call::<ListPrompts>(&ListPromptsParams::default(), CallOptions::default()).await;
    for prompt in listed.context("cannot list the prompts")?.prompts {
        let got = client.call::<GetPrompt>(&filled_in(&prompt), CallOptions::default()).await;
        got.with_context(|| format!("cannot get the prompt `{}`", prompt.name))?;
    }
    Ok(())
}

fn filled_in(prompt: &Prompt) -> GetPromptParams {
    let mut params = GetPromptParams::new(&prompt.name);
    let required = prompt.arguments.iter().flatten().filter(|argument| argument.required == Some(true));
    let values: Vec<_> = required.map(|argument| (argument.name.clone(), "text".to_owned())).collect();
    params.arguments = (!values.is_empty()).then(|| values.into_iter().collect());
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_prompt_demands_is_filled_in() {
        let prompt = r#"{"name":"p","arguments":[{"name":"a","required":true},{"name":"b"}]}"#;
        let params = filled_in(&serde_json::from_str(prompt).unwrap());
        assert_eq!(serde_json::to_string(&params).unwrap(), r#"{"name":"p","arguments":{"a":"text"}}"#);
        let params = filled_in(&serde_json::from_str(r#"{"name":"p"}"#).unwrap());
        assert_eq!(serde_json::to_string(&params).unwrap(), r#"{"name":"p"}"#);
    }
}
