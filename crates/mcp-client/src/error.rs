//! Why a connection was not made, and why a call failed.
//!
//! A message speaks of its own level only; causes are reached by `source()`.

mod call;
mod connect;
mod pages;

pub use call::ClientError;
pub use connect::ConnectError;
pub use pages::PagesError;

#[cfg(test)]
mod tests;
