//! Callers of a client: one task each, one call in flight each.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};

use super::{Client, Load, Setup};
use crate::payload::{self, Checker};

/// A client and those who call it.
pub(crate) struct Callers<C> {
    client: Arc<C>,
    checker: Arc<Checker>,
}

impl<C: Client> Load for Callers<C> {
    async fn start(setup: &Setup) -> Result<Self> {
        Ok(Self { client: Arc::new(C::start(setup).await?), checker: Arc::new(Checker::new()) })
    }

    async fn calls(&mut self, callers: usize, size: usize, until: Instant) -> Result<u64> {
        let caller = |number| calls_of_one(self.client.clone(), self.checker.clone(), number, size, until);
        if callers == 1 {
            return caller(0).await;
        }
        let tasks = (0..callers).map(|number| tokio::spawn(caller(number))).collect::<Vec<_>>();
        let mut calls = 0;
        for task in tasks {
            calls += task.await??;
        }
        Ok(calls)
    }

    async fn list(&mut self, expected: usize) -> Result<()> {
        self.client.list(expected).await
    }

    fn notifications(&self) -> u64 {
        self.client.notifications()
    }

    async fn stop(self) -> Result<()> {
        Arc::into_inner(self.client).context("somebody still has the client")?.stop().await
    }
}

async fn calls_of_one<C: Client>(
    client: Arc<C>,
    checker: Arc<Checker>,
    caller: usize,
    size: usize,
    until: Instant,
) -> Result<u64> {
    let mut calls = 0;
    loop {
        client.echo(&payload::mark(caller, calls), size, &checker).await?;
        calls += 1;
        if Instant::now() >= until {
            return Ok(calls);
        }
    }
}
