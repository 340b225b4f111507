//! The bare loop: what reading, parsing, checking and writing cost when nothing else is done.

mod http;
mod messages;

use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

pub(crate) use self::http::HttpFloor;
use self::messages::{Message, write_call};
use super::{Load, Setup};
use crate::payload::{self, Checker};
use crate::peer::Peer;

const READ: usize = 64 * 1024;

/// One task, one buffer in and one out.
pub(crate) struct Floor {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    input: BytesMut,
    /// Bytes at the start of `input` that hold no line end.
    searched: usize,
    output: Vec<u8>,
    notifications: u64,
    checker: Checker,
}

/// A caller that is none: the call that its slot has in flight.
struct Slot {
    calls: u64,
    mark: String,
}

impl Load for Floor {
    async fn start(setup: &Setup) -> Result<Self> {
        let Peer::Program(program) = &setup.peer else { bail!("no program") };
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut floor = Self {
            stdin: child.stdin.take().context("no stdin")?,
            stdout: child.stdout.take().context("no stdout")?,
            child,
            input: BytesMut::new(),
            searched: 0,
            output: Vec::new(),
            notifications: 0,
            checker: Checker::new(),
        };
        floor.output.extend_from_slice(messages::INITIALIZE);
        floor.write().await?;
        let line = floor.wait_for_line().await?;
        ensure!(Message::read(&line)?.result.is_some(), "initialize was refused");
        floor.output.extend_from_slice(messages::INITIALIZED);
        floor.write().await?;
        Ok(floor)
    }

    async fn calls(&mut self, callers: usize, size: usize, until: Instant) -> Result<u64> {
        let mut slots = Vec::new();
        for number in 0..callers {
            let slot = Slot { calls: 0, mark: payload::mark(number, 0) };
            write_call(&mut self.output, number as u64, &slot.mark, size)?;
            slots.push(slot);
        }
        let mut open = callers;
        while open > 0 {
            self.write().await?;
            self.read().await?;
            while let Some(line) = self.line() {
                let Some(slot) = self.answered(&line, &mut slots, size)? else { continue };
                if Instant::now() >= until {
                    open -= 1;
                    continue;
                }
                let (id, slot) = (slot as u64, &mut slots[slot]);
                slot.mark = payload::mark(usize::try_from(id)?, slot.calls);
                write_call(&mut self.output, id, &slot.mark, size)?;
            }
        }
        Ok(slots.iter().map(|slot| slot.calls).sum())
    }

    async fn list(&mut self, expected: usize) -> Result<()> {
        self.output.extend_from_slice(messages::LIST);
        self.write().await?;
        let line = self.wait_for_line().await?;
        let tools = Message::read(&line)?.result.context("no result")?.tools;
        payload::check_tools(tools.iter().map(|tool| &*tool.name), expected)
    }

    fn notifications(&self) -> u64 {
        self.notifications
    }

    async fn stop(self) -> Result<()> {
        let Self { mut child, stdin, .. } = self;
        drop(stdin);
        child.wait().await?;
        Ok(())
    }
}

impl Floor {
    /// Takes one line in; returns the slot whose call it answers.
    fn answered(&mut self, line: &[u8], slots: &mut [Slot], size: usize) -> Result<Option<usize>> {
        let message = Message::read(line)?;
        match (message.id, message.method.as_deref()) {
            (None, Some("notifications/message")) if message.params.is_some() => {
                self.notifications += 1;
                Ok(None)
            }
            (Some(id), None) => {
                let id = usize::try_from(id)?;
                let slot = slots.get_mut(id).context("an answer to nothing")?;
                let result = message.result.context("no result")?;
                ensure!(!result.is_error, "the tool failed");
                let content = result.content.first().context("no content")?;
                self.checker.text(&slot.mark, size, &content.text)?;
                slot.calls += 1;
                Ok(Some(id))
            }
            _ => bail!("neither an answer nor a log message"),
        }
    }

    async fn write(&mut self) -> Result<()> {
        if !self.output.is_empty() {
            self.stdin.write_all(&self.output).await?;
            self.output.clear();
        }
        Ok(())
    }

    async fn read(&mut self) -> Result<()> {
        self.input.reserve(READ);
        ensure!(self.stdout.read_buf(&mut self.input).await? > 0, "the server is gone");
        Ok(())
    }

    fn line(&mut self) -> Option<Bytes> {
        let Some(at) = memchr::memchr(b'\n', &self.input[self.searched..]) else {
            self.searched = self.input.len();
            return None;
        };
        let line = self.input.split_to(self.searched + at + 1).freeze();
        self.searched = 0;
        Some(line)
    }

    async fn wait_for_line(&mut self) -> Result<Bytes> {
        loop {
            match self.line() {
                Some(line) => return Ok(line),
                None => self.read().await?,
            }
        }
    }
}
