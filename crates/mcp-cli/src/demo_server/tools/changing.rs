//! Tools that change the server.

use serde_json::{Value, json};

use super::super::audience::Change;
use super::super::outcome::{Ended, text};
use super::Call;

impl Call<'_> {
    pub(super) fn grow(&self) -> Result<Value, Ended> {
        let kind = self.text("kind", Some("tool"))?;
        let change = match kind.as_str() {
            "tool" => Change::Tools,
            "resource" => Change::Resources,
            "prompt" => Change::Prompts,
            _ => return Err("`kind` must be tool, resource or prompt".into()),
        };
        let number = self.world.grow(change).ok_or("it has grown enough")?;
        Ok(text(match change {
            Change::Resources => format!("Added the resource demo://grown/{number}."),
            _ => format!("Added the {kind} grown_{number}."),
        }))
    }

    pub(super) fn count(&self) -> Value {
        let counter = self.world.count();
        let mut result = text(counter.to_string());
        if self.caller.revision().has_structure() {
            result["structuredContent"] = json!({ "counter": counter });
        }
        result
    }

    pub(super) fn hang_up(&self) -> Value {
        text(format!("Ended {} subscriptions.", self.world.audience.end_subscriptions()))
    }
}
