//! The tools themselves.

mod arguments;
mod asking;
mod changing;
mod showing;

use std::time::Duration;

use serde_json::{Map, Number, Value, json};

use super::caller::{self, Caller};
use super::complain;
use super::level::Level;
use super::outcome::{Ended, RpcError, text};
use super::running::Stop;
use super::wire::Wire;
use super::world::World;

/// One call.
pub(super) struct Call<'a> {
    pub(super) world: &'a World,
    pub(super) caller: &'a dyn Caller,
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
    pub(super) fn run(&self, tool: &str) -> Result<Value, Ended> {
        match tool {
            "echo" => Ok(text(self.text("text", None)?)),
            "add" => self.add(),
            "sleep" => self.sleep(),
            "big" => Ok(text("x".repeat(self.integer("bytes", None, 0..=268_435_456)?))),
            "fail" => self.fail(),
            "crash" => self.crash(),
            "ask" => self.ask(),
            "interview" => self.interview(),
            "survey" => self.survey(),
            "later" => self.later(),
            "grow" => self.grow(),
            "count" => Ok(self.count()),
            "hang_up" => Ok(self.hang_up()),
            "media" => Ok(self.media()),
            "route" => self.route(),
            grown if grown.starts_with("grown_") => Ok(text(format!("This is {grown}."))),
            _ => Err(RpcError::invalid(format!("Unknown tool: {tool}")).into()),
        }
    }

    fn add(&self) -> Result<Value, Ended> {
        let sum = sum(self.number("a")?, self.number("b")?).ok_or("the sum is out of range")?;
        let mut result = text(sum.to_string());
        if self.caller.revision().has_structure() {
            result["structuredContent"] = json!({ "sum": sum });
        }
        Ok(result)
    }

    fn sleep(&self) -> Result<Value, Ended> {
        let time = self.integer("ms", None, 0..=3_600_000)?;
        let steps = self.integer("steps", Some(4), 1..=1000)?;
        let step = Duration::from_millis(time as u64) / steps as u32;
        for done in 1..=steps {
            if self.stop.wait(step) {
                return Err("stopped".into());
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

    fn fail(&self) -> Result<Value, Ended> {
        let message = self.text("message", Some("This tool always fails."))?;
        caller::log(self.caller, self.wire, Level::WARNING, &json!("about to fail, as asked"));
        Err(message.into())
    }

    fn crash(&self) -> Result<Value, Ended> {
        let code = self.integer("code", Some(1), 0..=255)?;
        complain(&format!("told to crash with status {code}"));
        std::process::exit(code as i32)
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
