//! How far a side supports tasks (2025-11-25 only).

use crate::extra::Extra;
use crate::object::object;

/// What a side can do with the tasks that it runs for the other. An object that is there means yes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TasksCapability {
    /// It lists them: `tasks/list`.
    pub list: Option<Extra>,
    /// It cancels them: `tasks/cancel`.
    pub cancel: Option<Extra>,
    /// Which requests it runs as tasks.
    pub requests: Option<TaskRequestsCapability>,
    /// Members this crate does not know.
    pub extra: Extra,
}

impl TasksCapability {
    /// Whether a tool can be called as a task: `requests.tools.call` (C-357).
    pub fn has_tool_calls(&self) -> bool {
        let tools = self.requests.as_ref().and_then(|requests| requests.tools.as_ref());
        tools.and_then(|tools| tools.get("call")).is_some_and(|call| call.get() != "null")
    }
}

object!(TasksCapability {
    "list" => list: optional,
    "cancel" => cancel: optional,
    "requests" => requests: optional,
});

/// Which requests a side runs as tasks: the second half of a method's name to an object.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TaskRequestsCapability {
    /// A server: `call`.
    pub tools: Option<Extra>,
    /// A client: `createMessage`.
    pub sampling: Option<Extra>,
    /// A client: `create`.
    pub elicitation: Option<Extra>,
    /// Members this crate does not know.
    pub extra: Extra,
}

object!(TaskRequestsCapability {
    "tools" => tools: optional,
    "sampling" => sampling: optional,
    "elicitation" => elicitation: optional,
});

#[cfg(test)]
mod tests {
    use super::TasksCapability;

    #[test]
    fn tools_run_as_tasks_only_if_that_very_member_is_there() {
        let has = |json: &str| serde_json::from_str::<TasksCapability>(json).unwrap().has_tool_calls();
        assert!(has(r#"{"requests":{"tools":{"call":{}}}}"#));
        for json in [
            "{}",
            r#"{"requests":null}"#,
            r#"{"requests":{}}"#,
            r#"{"requests":{"tools":{}}}"#,
            r#"{"requests":{"tools":{"call":null}}}"#,
            r#"{"requests":{"tools":{"list":{}},"sampling":{"call":{}}},"call":{}}"#,
        ] {
            assert!(!has(json), "{json}");
        }
    }
}
