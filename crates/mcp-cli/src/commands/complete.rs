//! `complete`: what an argument of a prompt, or a variable of a template, may become.

use std::collections::BTreeMap;

use mcp_client::{Client, ClientError};
use mcp_jsonrpc::Raw;
use mcp_types::{
    Complete, CompleteParams, CompleteResult, Completion, CompletionReference, Method, Revision,
};
use serde_json::value::to_raw_value;

use crate::app::App;
use crate::args::{CompleteArgs, Of};
use crate::arguments::texts;
use crate::failure::{Failure, Stop};
use crate::server::Server;
use crate::show::escape;
use crate::status::Status;

const NO_CONTEXT: &str =
    "it is not told of other arguments: its revision of the protocol has no place for them";

pub(super) async fn run(app: &App, args: &CompleteArgs) -> Result<Status, Stop> {
    let server = Server::find(&app.globals, &args.server.server, &args.ad_hoc)?;
    let (name, typed) = args.argument.split_once('=').unwrap_or((&args.argument, ""));
    if name.is_empty() {
        return Err(Failure::usage(format!("`{}` is not ARG or ARG=PREFIX", args.argument)).into());
    }
    let others = texts(&args.others)?;
    if others.contains_key(name) {
        return Err(Failure::usage(format!("`{name}` is given twice")).into());
    }
    let client = app.connect(&server).await?;
    let client = offering(client)?;
    let takes_others = client.agreed().version >= Revision::V2025_06_18;
    if !takes_others && !others.is_empty() {
        app.console.warning(&server.name, NO_CONTEXT);
    }
    let reference = match args.of {
        Of::Prompt => CompletionReference::prompt(&args.name),
        Of::Template => CompletionReference::resource(&args.name),
    };
    let params = params(reference, name, typed, if takes_others { others } else { BTreeMap::new() });
    let params = to_raw_value(&params).map_err(|error| Failure::usage(error.to_string()))?;
    let answer = client.request(Complete::NAME, Some(params), app.call_options()).await?;
    if app.globals.json {
        app.print(answer.as_str())?;
        return Ok(Status::Done);
    }
    let completion = read(&server, &answer)?;
    if !completion.values.is_empty() {
        app.print(&lines(&completion))?;
    }
    if let Some(rest) = rest(&completion) {
        app.console.note(&rest);
    }
    Ok(Status::Done)
}

/// The client, if its server completes. The first revision has no capability for that.
fn offering(client: Client) -> Result<Client, ClientError> {
    let agreed = client.agreed();
    if agreed.capabilities.completions.is_some() || agreed.version < Revision::V2025_03_26 {
        return Ok(client);
    }
    let (server, method) = (client.server().into(), Complete::NAME.into());
    Err(ClientError::NotOffered { server, method, capability: "completions" })
}

fn params(
    reference: CompletionReference,
    name: &str,
    typed: &str,
    others: BTreeMap<String, String>,
) -> CompleteParams {
    let params = CompleteParams::new(reference, name, typed);
    if others.is_empty() { params } else { params.with_context(others) }
}

fn read(server: &Server, answer: &Raw) -> Result<Completion, Failure> {
    let answer = answer.parse::<CompleteResult>().map_err(|error| {
        Failure::new(Status::Link, "the answer holds no values of an argument")
            .of(&server.name)
            .with(error.to_string())
            .hint("--json prints it as it came")
    })?;
    Ok(answer.completion)
}

/// A value a line.
fn lines(completion: &Completion) -> String {
    let lines: Vec<_> = completion.values.iter().map(|value| escape::line(value)).collect();
    lines.join("\n")
}

/// What a person should know of values that did not come.
fn rest(completion: &Completion) -> Option<String> {
    let told = completion.values.len();
    let total = completion.total.and_then(|total| usize::try_from(total).ok());
    match total.filter(|total| *total > told) {
        Some(total) => Some(format!("these are {told} of {total} values")),
        None if completion.has_more == Some(true) => Some("there are more values".to_owned()),
        None if told == 0 => Some("there are no values".to_owned()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::Completion;

    use super::{lines, rest};

    #[track_caller]
    fn check(json: &str, expected_lines: &str, expected_rest: Option<&str>) {
        let completion: Completion = serde_json::from_str(json).unwrap();
        assert_eq!(
            (lines(&completion).as_str(), rest(&completion).as_deref()),
            (expected_lines, expected_rest)
        );
    }

    #[test]
    fn values_stand_one_a_line_and_change_no_terminal() {
        check(r#"{"values":["a b","c\nd","\u001b[2J"]}"#, "a b\nc\\nd\n\\u{1b}[2J", None);
    }

    #[test]
    fn values_that_are_left_out_are_told() {
        check(r#"{"values":["a"],"total":3}"#, "a", Some("these are 1 of 3 values"));
        check(r#"{"values":["a"],"total":1,"hasMore":true}"#, "a", Some("there are more values"));
        check(r#"{"values":["a"],"total":-5}"#, "a", None);
        check(r#"{"values":["a"],"total":1,"hasMore":false}"#, "a", None);
        check(r#"{"values":[]}"#, "", Some("there are no values"));
    }
}
