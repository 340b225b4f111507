//! Tools that ask the client something.

use serde_json::{Value, json};

use super::super::asked::Answer;
use super::super::caller::Question;
use super::super::outcome::{Ended, text};
use super::super::questions;
use super::Call;

impl Call<'_> {
    pub(super) fn ask(&self) -> Result<Value, Ended> {
        let method = self.text("method", Some("roots/list"))?;
        let params = match self.arguments.get("params") {
            None => questions::params(&method),
            Some(params @ Value::Object(_)) => Some(params.clone()),
            Some(_) => return Err("`params` must be an object".into()),
        };
        let question = Question { key: "question", method: method.clone(), params };
        let answers = self.caller.ask(self.wire, &[question])?;
        Ok(text(answers.iter().map(|answer| told(&method, answer)).collect::<String>()))
    }

    /// Two rounds, of which the second depends on the first.
    pub(super) fn interview(&self) -> Result<Value, Ended> {
        let method = "elicitation/create";
        let ask = |key, params| {
            let question = Question { key, method: method.to_owned(), params };
            let answers = self.caller.ask(self.wire, &[question])?;
            let content = answers.into_iter().next().and_then(Result::ok);
            let answer: Value =
                content.and_then(|answer| serde_json::from_str(answer.get()).ok()).unwrap_or_default();
            Ok::<_, Ended>(answer["content"][key].as_str().map(str::to_owned))
        };
        let Some(name) = ask("name", questions::params(method))? else {
            return Ok(text("The user did not say the name."));
        };
        Ok(text(match ask("colour", Some(questions::colour(&name)))? {
            Some(colour) => format!("{name} likes {colour}."),
            None => format!("{name} did not say the colour."),
        }))
    }

    /// Asks everything at once.
    pub(super) fn survey(&self) -> Result<Value, Ended> {
        let methods =
            [("form", "elicitation/create"), ("model", "sampling/createMessage"), ("roots", "roots/list")];
        let methods = methods.into_iter().filter(|(_, method)| self.caller.answers(method));
        let questions: Vec<Question> = methods
            .map(|(key, method)| Question {
                key,
                method: method.to_owned(),
                params: questions::params(method),
            })
            .collect();
        if questions.is_empty() {
            return Err("the client answers no questions".into());
        }
        let answers = self.caller.ask(self.wire, &questions)?;
        let lines = questions.iter().zip(&answers).map(|(question, answer)| told(&question.method, answer));
        let content = lines.map(|line| json!({ "type": "text", "text": line }));
        Ok(json!({ "content": content.collect::<Vec<Value>>() }))
    }

    pub(super) fn later(&self) -> Result<Value, Ended> {
        self.caller.come_again()?;
        Ok(text("Now it is done."))
    }
}

fn told(method: &str, answer: &Answer) -> String {
    match answer {
        Ok(result) => format!("The client answered {method} with {result}"),
        Err(error) => format!("The client refused {method} with {error}"),
    }
}
