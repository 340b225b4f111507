//! The outbox over pipes that take bytes as tests say.
