//! The texts of questions. What comes from a server is escaped, and the server is named.

use std::fmt::Write as _;

use mcp_client::form::{Field, FieldKind, Form, FormContent, FormValue};
use mcp_client::{FormRequest, SamplingRequest, UrlElicitation, UrlRequest};
use mcp_types::{ContentBlock, SamplingBlock};

use crate::show::escape;

/// Most values that are listed of one field.
const SHOWN_CHOICES: usize = 50;

pub(super) fn form(request: &FormRequest) -> String {
    let (server, message) = (escape::line(&request.server), escape::block(&request.message));
    format!(
        "Server `{server}` asks: {message}\n\
         An empty line takes what stands in [], !empty leaves a field out; !decline refuses, !cancel leaves."
    )
}

pub(super) fn field(field: &Field, current: Option<&FormValue>) -> String {
    let mut text = escape::line(field.display_name());
    if field.required {
        text.push_str(" (required)");
    }
    if let Some(description) = &field.description {
        let _ = write!(text, ": {}", escape::line(description));
    }
    text.push_str(&takes(&field.kind));
    if let Some(current) = current {
        let _ = write!(text, " [{}]", value(current));
    }
    if let FieldKind::One(choices) | FieldKind::Several { choices, .. } = &field.kind {
        for (number, choice) in choices.iter().take(SHOWN_CHOICES).enumerate() {
            let _ = write!(text, "\n  {}. {}", number + 1, escape::line(&choice.label));
        }
        if choices.len() > SHOWN_CHOICES {
            let _ = write!(text, "\n  and {} more", choices.len() - SHOWN_CHOICES);
        }
    }
    text
}

/// What is to be typed, where that is not plain.
fn takes(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Text { format: Some(format), .. } => format!(", {}", format.in_words()),
        FieldKind::Number { whole: true, .. } => ", a whole number".to_owned(),
        FieldKind::Number { .. } => ", a number".to_owned(),
        FieldKind::Boolean => ", yes or no".to_owned(),
        FieldKind::One(_) => ", one of".to_owned(),
        FieldKind::Several { .. } => ", any of, with commas between, or !none".to_owned(),
        _ => String::new(),
    }
}

pub(super) fn review(form: &Form, content: &FormContent) -> String {
    let mut text = "This will be sent:\n".to_owned();
    for field in &form.fields {
        let value = content.get(&field.name).map_or_else(|| "(left out)".to_owned(), value);
        let _ = writeln!(text, "  {}: {value}", escape::line(field.display_name()));
    }
    text.push_str("Send it? yes, edit, decline or cancel");
    text
}

fn value(value: &FormValue) -> String {
    match value {
        FormValue::Text(text) => escape::line(text),
        FormValue::Number(number) => number.to_string(),
        FormValue::Boolean(answer) => if *answer { "yes" } else { "no" }.to_owned(),
        FormValue::Several(values) => escape::line(&values.join(", ")),
    }
}

pub(super) fn url(request: &UrlRequest) -> String {
    let elicitation = &request.elicitation;
    let mut text = format!(
        "Server `{}` wants you to open an address: {}\n  host:    {}\n  address: {}\n",
        escape::line(&request.server),
        escape::block(&elicitation.message),
        escape::line(elicitation.host()),
        escape::line(&elicitation.url),
    );
    if elicitation.is_suspicious() {
        text.push_str("  Take care: this address can be mistaken for another one, or is not encrypted.\n");
    }
    text.push_str("Do you agree to open it? yes, decline or cancel");
    text
}

pub(super) fn open(elicitation: &UrlElicitation) -> String {
    format!("Open this in your browser:\n{}", escape::line(&elicitation.url))
}

pub(super) fn too_long(request: &UrlRequest) -> String {
    let server = escape::line(&request.server);
    format!("Server `{server}` wants you to open an address that is too long to show; it was declined.")
}

pub(super) fn sampling(request: &SamplingRequest) -> String {
    let params = &request.params;
    let mut text = format!("Server `{}` asks for an answer of a model.\n", escape::line(&request.server));
    if let Some(system) = &params.system_prompt {
        let _ = writeln!(text, "  system: {}", escape::block(system));
    }
    for message in &params.messages {
        let role = escape::line(message.role.as_str());
        for block in message.content.blocks() {
            let _ = writeln!(text, "  {role}: {}", content(block));
        }
    }
    let _ = write!(
        text,
        "Your answer in its place, one line of at most {} tokens; an empty line refuses",
        params.max_tokens
    );
    text
}

fn content(block: &SamplingBlock) -> String {
    match block {
        SamplingBlock::Content(ContentBlock::Text(text)) => escape::block(&text.text),
        block => format!("({})", escape::line(block.kind().unwrap_or("unknown"))),
    }
}
