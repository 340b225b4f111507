//! What servers ask the user: forms, addresses to open, and answers in place of a model.
//!
//! Questions stand on stderr and are answered on stdin, if both are terminals. Else there is nobody
//! to ask, and everything is declined.

mod answer;
mod talk;
mod words;

use std::sync::Arc;

use async_trait::async_trait;
use mcp_client::form::{Field, FormContent};
use mcp_client::{
    ElicitationHandler, FormAnswer, FormRequest, Refusal, SamplingHandler, SamplingRequest, UrlAnswer,
    UrlRequest,
};
use mcp_types::{CreateMessageResult, ElicitationCapability, Extra, SamplingContent};

use self::answer::{Answer, Choice};
use self::talk::{Talk, Turn};
use crate::console::{Console, can_ask};

/// Longest address that is shown in full, in bytes; one that is longer is declined.
const LONGEST_URL: usize = 8 * 1024;

/// Whoever sits at the terminal, if anybody does.
#[derive(Debug)]
pub(crate) struct User {
    console: Arc<Console>,
    talk: Option<Talk>,
}

impl User {
    pub(crate) fn new(console: &Arc<Console>) -> Self {
        Self { console: Arc::clone(console), talk: can_ask().then(|| Talk::at_terminal(console)) }
    }

    /// The way to the user; without one, it is told on stderr to who wants to know.
    fn talk(&self, server: &str, what: &str) -> Option<&Talk> {
        if self.talk.is_none() {
            self.console.detail(server, &format!("{what} was declined: there is no terminal to ask at"));
        }
        self.talk.as_ref()
    }
}

#[async_trait]
impl ElicitationHandler for User {
    fn capability(&self) -> ElicitationCapability {
        let mut capability = ElicitationCapability::default();
        capability.form = Some(Extra::new());
        capability.url = Some(Extra::new());
        capability
    }

    async fn form(&self, request: FormRequest) -> Result<FormAnswer, Refusal> {
        let Some(talk) = self.talk(&request.server, "a form") else { return Ok(FormAnswer::Decline) };
        Ok(fill_in(&mut talk.turn().await, &request).await)
    }

    async fn url(&self, request: UrlRequest) -> Result<UrlAnswer, Refusal> {
        let Some(talk) = self.talk(&request.server, "an address") else { return Ok(UrlAnswer::Decline) };
        Ok(consent(&mut talk.turn().await, &request).await)
    }
}

#[async_trait]
impl SamplingHandler for User {
    async fn create_message(&self, request: SamplingRequest) -> Result<CreateMessageResult, Refusal> {
        let talk = self.talk(&request.server, "a request for a model").ok_or(Refusal::Rejected)?;
        be_the_model(&mut talk.turn().await, &request).await.ok_or(Refusal::Rejected)
    }
}

/// Asks field by field, then shows all and lets the user change it as long as it takes.
async fn fill_in(turn: &mut Turn<'_>, request: &FormRequest) -> FormAnswer {
    turn.say(words::form(request));
    let mut content = request.form.defaults();
    loop {
        for field in &request.form.fields {
            match fill_in_field(turn, field, &mut content).await {
                Some(FormAnswer::Accept(changed)) => content = changed,
                Some(ended) => return ended,
                None => return FormAnswer::Cancel,
            }
        }
        turn.say(words::review(&request.form, &content));
        loop {
            let Some(line) = turn.line().await else { return FormAnswer::Cancel };
            match answer::choice(&line) {
                Some(Choice::Yes) => return FormAnswer::Accept(content),
                Some(Choice::Edit) => break,
                Some(Choice::Decline) => return FormAnswer::Decline,
                Some(Choice::Cancel) => return FormAnswer::Cancel,
                None => turn.say("Answer yes, edit, decline or cancel.".to_owned()),
            }
        }
    }
}

/// The content with what the user says of a field, or the end of it all.
async fn fill_in_field(turn: &mut Turn<'_>, field: &Field, content: &mut FormContent) -> Option<FormAnswer> {
    let mut content = std::mem::take(content);
    turn.say(words::field(field, content.get(&field.name)));
    loop {
        match answer::of(field, content.get(&field.name), &turn.line().await?) {
            Ok(Answer::Keep) => {}
            Ok(Answer::Set(value)) => content.set(&field.name, value),
            Ok(Answer::Empty) => content.remove(&field.name),
            Ok(Answer::Decline) => return Some(FormAnswer::Decline),
            Ok(Answer::Cancel) => return Some(FormAnswer::Cancel),
            Err(why) => {
                turn.say(format!("  {why}"));
                continue;
            }
        }
        return Some(FormAnswer::Accept(content));
    }
}

/// Shows the whole address, and nothing is ever fetched from there.
async fn consent(turn: &mut Turn<'_>, request: &UrlRequest) -> UrlAnswer {
    if request.elicitation.url.len() > LONGEST_URL {
        turn.say(words::too_long(request));
        return UrlAnswer::Decline;
    }
    turn.say(words::url(request));
    loop {
        let Some(line) = turn.line().await else { return UrlAnswer::Cancel };
        match answer::choice(&line) {
            Some(Choice::Yes) => {
                turn.say(words::open(&request.elicitation));
                return UrlAnswer::Accept;
            }
            Some(Choice::Decline) => return UrlAnswer::Decline,
            Some(Choice::Cancel) => return UrlAnswer::Cancel,
            Some(Choice::Edit) | None => turn.say("Answer yes, decline or cancel.".to_owned()),
        }
    }
}

/// One line, or nothing, which refuses.
async fn be_the_model(turn: &mut Turn<'_>, request: &SamplingRequest) -> Option<CreateMessageResult> {
    turn.say(words::sampling(request));
    let text = turn.line().await.and_then(|line| answer::text(&line))?;
    let mut result = CreateMessageResult::new("human", SamplingContent::text(text));
    result.stop_reason = Some("endTurn".to_owned());
    Some(result)
}

#[cfg(test)]
mod tests;
