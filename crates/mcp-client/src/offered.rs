//! What may be asked of a server: what its revision has and what it declared (C-049 to C-051).

use mcp_types::{
    CallTool, CancelTask, Complete, GetPrompt, GetTask, ListPrompts, ListResourceTemplates, ListResources,
    ListTasks, ListTools, Method, ReadResource, Revision, ServerCapabilities, SetLevel, Subscribe,
    TaskResult, Unsubscribe,
};

use crate::client::Inner;
use crate::error::ClientError;

impl Inner {
    /// Fails if the agreed revision does not have `method`, or if the server did not declare what it
    /// needs. Methods that no revision has are the caller's own and pass.
    pub(crate) fn check_offered(&self, method: &str) -> Result<(), ClientError> {
        if !self.options.require_capabilities {
            return Ok(());
        }
        let revision = self.agreed.version;
        if !revision.has_method(method) {
            return Err(self.not_in_revision(method));
        }
        match missing(method, revision, &self.agreed.capabilities) {
            None => Ok(()),
            Some(capability) => Err(self.not_offered(method, capability)),
        }
    }

    /// Fails if the agreed revision does not have that notification (C-075).
    pub(crate) fn check_notice(&self, method: &str) -> Result<(), ClientError> {
        if self.options.require_capabilities && !self.agreed.version.has_notice(method) {
            return Err(self.not_in_revision(method));
        }
        Ok(())
    }

    fn not_in_revision(&self, method: &str) -> ClientError {
        let revision = self.agreed.version;
        ClientError::NotInRevision { server: self.server.clone(), method: method.into(), revision }
    }

    pub(crate) fn not_offered(&self, method: &str, capability: &'static str) -> ClientError {
        ClientError::NotOffered { server: self.server.clone(), method: method.into(), capability }
    }
}

/// The capability that `method` needs and the server did not declare.
fn missing(method: &str, revision: Revision, offered: &ServerCapabilities) -> Option<&'static str> {
    let tasks = offered.tasks.as_ref();
    let (capability, is_offered) = match method {
        ListTools::NAME | CallTool::NAME => ("tools", offered.tools.is_some()),
        ListResources::NAME | ListResourceTemplates::NAME | ReadResource::NAME => {
            ("resources", offered.resources.is_some())
        }
        Subscribe::NAME | Unsubscribe::NAME => {
            let resources = offered.resources.as_ref();
            ("resources.subscribe", resources.is_some_and(|resources| resources.subscribe == Some(true)))
        }
        ListPrompts::NAME | GetPrompt::NAME => ("prompts", offered.prompts.is_some()),
        // The first revision has the method, and no capability for it.
        Complete::NAME => ("completions", offered.completions.is_some() || revision < Revision::V2025_03_26),
        SetLevel::NAME => ("logging", offered.logging.is_some()),
        // In 2026-07-28 they are those of an extension, whose capability is the caller's matter.
        GetTask::NAME | TaskResult::NAME | ListTasks::NAME | CancelTask::NAME if revision.is_modern() => {
            return None;
        }
        GetTask::NAME | TaskResult::NAME => ("tasks", tasks.is_some()),
        ListTasks::NAME => ("tasks.list", tasks.is_some_and(|tasks| tasks.list.is_some())),
        CancelTask::NAME => ("tasks.cancel", tasks.is_some_and(|tasks| tasks.cancel.is_some())),
        _ => return None,
    };
    (!is_offered).then_some(capability)
}

#[cfg(test)]
mod tests;
