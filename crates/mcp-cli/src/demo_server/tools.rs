//! The tools themselves.

use std::time::Duration;

use serde_json::{Map, Number, Value, json};

use super::complain;
use super::outcome::{INVALID_PARAMS, Outcome, RpcError, failure, text};
use super::questions;
use super::running::Stop;
use super::server::Server;
use super::wire::Wire;

/// How long `ask` waits for the client.
const PATIENCE: Duration = Duration::from_secs(10);

/// One call.
pub(super) struct Call<'a> {
    pub(super) server: &'a Server,
    /// Where it says what it has to say before its answer.
    pub(super) wire: &'a Wire,
    pub(super) arguments: Map<String, Value>,
    /// Under which progress is wanted, if it is.
    pub(super) progress_token: Option<Value>,
    pub(super) stop: &'a Stop,
}

impl Call<'_> {
    /// Runs a tool. Arguments that do not fit are a failure of the tool, so that a model sees
    /// what was wrong and can try again.
    pub(super) fn run(&self, tool: &str) -> Outcome {
        let done = match tool {
            "echo" => self.text("text", None).map(text),
            "add" => self.add(),
            "sleep" => self.sleep(),
            "big" => self.integer("bytes", None, 0..=268_435_456).map(|bytes| text("x".repeat(bytes))),
            "fail" => self.fail(),
            "crash" => self.crash(),
            "ask" => self.ask(),
            _ => return Err(RpcError::new(INVALID_PARAMS, format!("Unknown tool: {tool}"))),
        };
        Ok(done.unwrap_or_else(failure))
    }

    fn add(&self) -> Result<Value, String> {
        let sum = sum(self.number("a")?, self.number("b")?).ok_or("the sum is out of range")?;
        let mut result = text(sum.to_string());
        if self.server.speaks_structured() {
            result["structuredContent"] = json!({ "sum": sum });
        }
        Ok(result)
    }

    fn sleep(&self) -> Result<Value, String> {
        let time = self.integer("ms", None, 0..=3_600_000)?;
        let steps = self.integer("steps", Some(4), 1..=1000)?;
        let step = Duration::from_millis(time as u64) / steps as u32;
        for done in 1..=steps {
            if self.stop.wait(step) {
                return Err("stopped".to_owned());
            }
            if let Some(token) = &self.progress_token {
                let progress = json!({
                    "progressToken": token, "progress": done, "total": steps,
                    "message": format!("step {done} of {steps}"),
                });
                self.wire.notify("notifications/progress", &progress);
            }
        }
        Ok(text(format!("Slept {time} ms in {steps} steps.")))
    }

    fn fail(&self) -> Result<Value, String> {
        let message = self.text("message", Some("This tool always fails."))?;
        self.server.log(self.wire, "warning", &json!("about to fail, as asked"));
        Err(message)
    }

    fn crash(&self) -> Result<Value, String> {
        let code = self.integer("code", Some(1), 0..=255)?;
        complain(&format!("told to crash with status {code}"));
        std::process::exit(code as i32)
    }

    fn ask(&self) -> Result<Value, String> {
        let method = self.text("method", Some("roots/list"))?;
        let params = match self.arguments.get("params") {
            None => questions::params(&method),
            Some(params @ Value::Object(_)) => Some(params.clone()),
            Some(_) => return Err("`params` must be an object".to_owned()),
        };
        match self.server.ask(self.wire, &method, params.as_ref(), PATIENCE) {
            Some(Ok(result)) => Ok(text(format!("The client answered {method} with {result}"))),
            Some(Err(error)) => Ok(text(format!("The client refused {method} with {error}"))),
            None => Err(format!("the client did not answer {method}")),
        }
    }

    fn text(&self, name: &str, default: Option<&str>) -> Result<String, String> {
        match (self.arguments.get(name), default) {
            (Some(Value::String(text)), _) => Ok(text.clone()),
            (None, Some(default)) => Ok(default.to_owned()),
            _ => Err(format!("`{name}` must be a string")),
        }
    }

    fn integer(
        &self,
        name: &str,
        default: Option<usize>,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<usize, String> {
        let given = match (self.arguments.get(name), default) {
            (None, Some(default)) => return Ok(default),
            (given, _) => given.and_then(Value::as_u64).and_then(|given| usize::try_from(given).ok()),
        };
        given
            .filter(|given| range.contains(given))
            .ok_or_else(|| format!("`{name}` must be an integer from {} to {}", range.start(), range.end()))
    }

    fn number(&self, name: &str) -> Result<&Number, String> {
        match self.arguments.get(name) {
            Some(Value::Number(number)) => Ok(number),
            _ => Err(format!("`{name}` must be a number")),
        }
    }
}

/// Integers add up exactly; anything else as floating point.
fn sum(a: &Number, b: &Number) -> Option<Number> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Number::from_i128(a + b),
        _ => Number::from_f64(a.as_f64()? + b.as_f64()?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Number;

    use super::sum;

    #[track_caller]
    fn check(a: &str, b: &str, expected: Option<&str>) {
        let number = |text: &str| serde_json::from_str::<Number>(text).unwrap();
        assert_eq!(sum(&number(a), &number(b)).map(|sum| sum.to_string()).as_deref(), expected);
    }

    #[test]
    fn integers_add_up_exactly() {
        check("9007199254740993", "1", Some("9007199254740994"));
        check("18446744073709551614", "1", Some("18446744073709551615"));
        check("-1", "1", Some("0"));
    }

    #[test]
    fn a_fraction_makes_the_sum_a_fraction() {
        check("0.5", "1", Some("1.5"));
    }

    #[test]
    fn a_sum_that_is_no_number_of_json_is_none() {
        check("18446744073709551615", "1", None);
        check("1e308", "1e308", None);
    }
}
