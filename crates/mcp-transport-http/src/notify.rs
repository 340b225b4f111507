//! One notification: a POST that nobody answers.

use std::sync::Arc;

use mcp_jsonrpc::CallError;

use crate::ask::Ask;
use crate::config::Wire as Preferred;
use crate::events::Events;
use crate::head::{self, Meaning};
use crate::legacy;
use crate::link::{Link, Mode};
use crate::pool::Lane;
use crate::trace::Trace;

/// Sends one notification. Any 2xx is success, whatever comes with it (S-33).
pub(crate) async fn tell(link: &Arc<Link>, ask: &Ask, trace: &Trace) -> Result<(), CallError> {
    let may_open = !ask.is_single() && link.limits.preferred == Preferred::Sse;
    if may_open && link.mode() == Mode::Undecided {
        let _turn = link.deciding.lock().await;
        if link.mode() == Mode::Undecided {
            legacy::open(link).await?;
        }
    }
    let answer = link.wire.exchange(Lane::Call, ask, trace).await?;
    match head::meaning(answer.status, &answer.headers) {
        Meaning::Failed => Err(link.wire.failed(answer).await.0.into()),
        Meaning::Events => {
            link.drain(Events::new(answer.body, link.limits.max_message));
            Ok(())
        }
        _ => {
            link.discard(answer.body);
            Ok(())
        }
    }
}
