//! Everything on its way to the server's stdin.
//!
//! A caller that is alone writes its frame itself, at once, without waiting: no task in between.
//! Whatever the pipe does not take, and whatever comes while several callers are at it, is left
//! to one task, so that frames share writes and none is ever torn by a caller that goes away.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Buf, Bytes};
use mcp_jsonrpc::{CallError, CloseReason, Handler, Lane, ReplySink, Ticket, TransportFault};
use tokio::io::AsyncWrite;
use tokio::sync::{Notify, Semaphore};

/// Most frames handed to the operating system in one write.
const MAX_SLICES: usize = 64;

/// The server's stdin.
pub(crate) type Pipe = Pin<Box<dyn AsyncWrite + Send>>;

/// The lanes to the server, and the pipe at their end.
pub(crate) struct Outbox {
    state: Mutex<State>,
    /// Room for requests and notifications, in bytes.
    room: Semaphore,
    max_queue: usize,
    /// Wakes the writing task.
    work: Notify,
    /// Wakes those who wait until their frame is written.
    progress: Notify,
    /// Whether the last read woke several callers, who will all want to write now.
    is_crowded: AtomicBool,
    handler: Arc<dyn Handler>,
}

#[derive(Default)]
struct State {
    /// `None` once closed.
    pipe: Option<Pipe>,
    /// The frame of which some bytes are written already.
    current: Option<Frame>,
    /// Replies and cancel notices, which go first.
    control: VecDeque<Frame>,
    control_bytes: usize,
    control_dropped: u64,
    /// Requests and notifications.
    frames: VecDeque<Frame>,
    /// The number of the last frame of `frames` that was queued, and that was written.
    queued: u64,
    written: u64,
    /// Whether the writing task waits at the pipe: then its waker is there, and must stay, even if
    /// what it waited to write was taken back meanwhile.
    task_waits: bool,
    /// Why nothing can be written any more.
    closed: Option<Arc<CloseReason>>,
    failure: Option<io::Error>,
}

struct Frame {
    rest: Bytes,
    /// Its number in `frames`; `None` on the control lane.
    number: Option<u64>,
    /// Room to give back, in bytes.
    weight: usize,
}

impl Outbox {
    pub(crate) fn new(pipe: Pipe, max_queue: usize, handler: Arc<dyn Handler>) -> Arc<Self> {
        let max_queue = max_queue.clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Arc::new(Self {
            state: Mutex::new(State { pipe: Some(pipe), ..State::default() }),
            room: Semaphore::new(max_queue),
            max_queue,
            work: Notify::new(),
            progress: Notify::new(),
            is_crowded: AtomicBool::new(false),
            handler,
        })
    }

    /// Says whether the last read woke several callers.
    pub(crate) fn expect_crowd(&self, is_crowded: bool) {
        self.is_crowded.store(is_crowded, Ordering::Relaxed);
    }

    /// Writes until writing fails; the body of the writing task. Returns the failure.
    pub(crate) async fn write_all(&self) -> io::Error {
        loop {
            self.work.notified().await;
            // Callers woken by the same read get to add their frames first.
            tokio::task::yield_now().await;
            if let Err(error) = std::future::poll_fn(|context| self.poll_write(context)).await {
                return error;
            }
        }
    }

    /// Closes stdin. What was not written never will be.
    pub(crate) fn close(&self, reason: &Arc<CloseReason>) {
        let mut state = self.lock();
        state.closed.get_or_insert_with(|| reason.clone());
        state.pipe = None;
        state.control.clear();
        drop(state);
        self.progress.notify_waiters();
        self.room.close();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll_write(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let (done, freed) = {
            let mut state = self.lock();
            let before = state.written;
            let mut freed = 0;
            let done = state.poll_write(context, &mut freed);
            state.task_waits = done.is_pending();
            if state.written > before {
                self.progress.notify_waiters();
            }
            (done, freed)
        };
        self.room.add_permits(freed);
        done
    }

    /// Puts a frame in its lane, and writes it at once if nothing stands in the way.
    fn put(&self, state: &mut State, frame: Frame, freed: &mut usize) {
        let is_idle = state.is_idle();
        if frame.number.is_some() { &mut state.frames } else { &mut state.control }.push_back(frame);
        if is_idle && !state.task_waits && !self.is_crowded.load(Ordering::Relaxed) {
            // Never waits: what the pipe does not take now is left to the task, which registers
            // its own waker in place of this one.
            match state.poll_write(&mut Context::from_waker(Waker::noop()), freed) {
                Poll::Ready(Ok(())) => return,
                Poll::Ready(Err(error)) => state.failure = Some(error),
                Poll::Pending => {}
            }
        }
        self.work.notify_one();
    }
}

impl Lane for Outbox {
    async fn enqueue(&self, mut message: Vec<u8>) -> Result<Ticket, CallError> {
        end_line(&mut message);
        let weight = message.len().min(self.max_queue);
        // `weight` fits: `max_queue` does.
        let room = self.room.acquire_many(u32::try_from(weight).unwrap_or(u32::MAX)).await;
        let mut freed = 0;
        let ticket = {
            let mut state = self.lock();
            let Ok(room) = room else { return Err(state.closed_error()) };
            if state.pipe.is_none() {
                return Err(state.closed_error());
            }
            room.forget();
            state.queued += 1;
            let number = state.queued;
            self.put(&mut state, Frame { rest: message.into(), number: Some(number), weight }, &mut freed);
            Ticket(number)
        };
        self.room.add_permits(freed);
        Ok(ticket)
    }

    fn withdraw(&self, Ticket(number): Ticket) -> bool {
        let mut state = self.lock();
        if number <= state.written {
            return false;
        }
        let Ok(at) = state.frames.binary_search_by_key(&Some(number), |frame| frame.number) else {
            return false;
        };
        let withdrawn = state.frames.remove(at);
        drop(state);
        self.room.add_permits(withdrawn.map_or(0, |frame| frame.weight));
        true
    }

    async fn written(&self, Ticket(number): Ticket) -> Result<(), CallError> {
        loop {
            let mut progress = std::pin::pin!(self.progress.notified());
            progress.as_mut().enable();
            {
                let state = self.lock();
                if state.written >= number {
                    return Ok(());
                } else if state.pipe.is_none() {
                    return Err(state.closed_error());
                }
            }
            progress.await;
        }
    }
}

/// The control lane.
impl ReplySink for Outbox {
    fn send_reply(&self, mut message: Vec<u8>) {
        end_line(&mut message);
        let mut freed = 0;
        let dropped = {
            let mut state = self.lock();
            if state.pipe.is_none() {
                return;
            }
            let is_empty = state.control.is_empty();
            if !is_empty && state.control_bytes + message.len() > self.max_queue {
                state.control_dropped += 1;
                Some(state.control_dropped)
            } else {
                state.control_bytes += message.len();
                let weight = message.len();
                self.put(&mut state, Frame { rest: message.into(), number: None, weight }, &mut freed);
                None
            }
        };
        self.room.add_permits(freed);
        // Told at the first, and then ever more rarely.
        if let Some(dropped) = dropped.filter(|dropped| dropped.is_power_of_two()) {
            self.handler.on_error(&TransportFault::ControlLaneFull { dropped });
        }
    }
}

impl State {
    fn is_idle(&self) -> bool {
        self.current.is_none() && self.control.is_empty() && self.frames.is_empty()
    }

    fn closed_error(&self) -> CallError {
        match &self.closed {
            Some(reason) => CallError::Closed { reason: reason.clone(), sent: false },
            None => CallError::NotConnected,
        }
    }

    /// Writes as much as the pipe takes; ready when all is written.
    fn poll_write(&mut self, context: &mut Context<'_>, freed: &mut usize) -> Poll<io::Result<()>> {
        if let Some(error) = self.failure.take() {
            return Poll::Ready(Err(error));
        }
        while !self.is_idle() {
            let Some(pipe) = &mut self.pipe else { return Poll::Ready(Ok(())) };
            let mut waiting = self.current.iter().chain(&self.control).chain(&self.frames);
            let written = match (waiting.next(), waiting.next()) {
                (Some(only), None) => pipe.as_mut().poll_write(context, &only.rest),
                (first, second) => {
                    let all = first.into_iter().chain(second).chain(waiting);
                    poll_write_many(pipe, context, all.map(|frame| &*frame.rest))
                }
            };
            let written = std::task::ready!(written);
            match written {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(bytes) => self.advance(bytes, freed),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        match &mut self.pipe {
            Some(pipe) => pipe.as_mut().poll_flush(context),
            None => Poll::Ready(Ok(())),
        }
    }

    /// Takes `bytes` written bytes off the lanes, in the order they were written.
    fn advance(&mut self, mut bytes: usize, freed: &mut usize) {
        while bytes > 0 {
            let next = self.current.take().or_else(|| self.control.pop_front());
            let Some(mut frame) = next.or_else(|| self.frames.pop_front()) else { return };
            let taken = bytes.min(frame.rest.len());
            frame.rest.advance(taken);
            bytes -= taken;
            if frame.rest.is_empty() {
                self.finish(&frame, freed);
            } else {
                self.current = Some(frame);
            }
        }
    }

    fn finish(&mut self, frame: &Frame, freed: &mut usize) {
        match frame.number {
            Some(number) => {
                self.written = number;
                *freed += frame.weight;
            }
            None => self.control_bytes = self.control_bytes.saturating_sub(frame.weight),
        }
    }
}

/// Writes the beginnings of several frames with one call.
fn poll_write_many<'a>(
    pipe: &mut Pipe,
    context: &mut Context<'_>,
    frames: impl Iterator<Item = &'a [u8]>,
) -> Poll<io::Result<usize>> {
    let mut slices = [IoSlice::new(&[]); MAX_SLICES];
    let mut count = 0;
    for (slice, frame) in slices.iter_mut().zip(frames) {
        *slice = IoSlice::new(frame);
        count += 1;
    }
    pipe.as_mut().poll_write_vectored(context, &slices[..count])
}

/// Makes a line of a message. A line end inside it can only be white space between JSON tokens
/// of raw params, and becomes a space (C-102).
fn end_line(message: &mut Vec<u8>) {
    if memchr::memchr2(b'\n', b'\r', message).is_some() {
        for byte in message.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
    }
    message.push(b'\n');
}

#[cfg(test)]
mod tests;
