//! What an attempt has opened, so that it can be closed in order when the attempt is given up.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mcp_jsonrpc::{Connect, Handler, OpenError, Transport};

/// A way to connect that remembers the transport of its last connection.
pub(super) struct Opened {
    connect: Arc<dyn Connect>,
    transport: Mutex<Option<Arc<dyn Transport>>>,
}

impl Opened {
    pub(super) fn new(connect: Arc<dyn Connect>) -> Self {
        Self { connect, transport: Mutex::default() }
    }

    /// The connection is somebody else's from now on.
    pub(super) fn forget(&self) {
        self.take();
    }

    /// Closes what is open, if anything is.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, so is the transport, which ends it at once.
    pub(super) async fn close(&self) {
        if let Some(transport) = self.take() {
            transport.close().await;
        }
    }

    fn take(&self) -> Option<Arc<dyn Transport>> {
        self.transport.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[async_trait]
impl Connect for Opened {
    fn label(&self) -> String {
        self.connect.label()
    }

    async fn connect(&self, handler: Arc<dyn Handler>) -> Result<Arc<dyn Transport>, OpenError> {
        let transport = self.connect.connect(handler).await?;
        *self.transport.lock().unwrap_or_else(PoisonError::into_inner) = Some(transport.clone());
        Ok(transport)
    }
}
