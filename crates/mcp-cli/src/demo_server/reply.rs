//! What comes of a message.

use super::job::Job;
use super::modern::listen::Listen;
use super::wire::Answered;

#[derive(Debug)]
pub(super) enum Reply {
    /// Nothing: it was a notification or an answer.
    None,
    /// The answer to a request.
    Now(Answered),
    /// The answer to a request of 2026-07-28 that does not say what each must say.
    Refused(Answered),
    /// The answer when this has run.
    Later(Job),
    /// A subscription, once it is started.
    Listen(Listen),
}
