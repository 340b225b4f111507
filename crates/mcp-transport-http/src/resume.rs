//! When and from where a broken event stream is resumed: decisions without a clock.

use std::time::Duration;

use hyper::header::HeaderValue;

use crate::sse::SseDecoder;

/// Longest event id that is sent back.
const MAX_ID: usize = 4096;

/// How event streams are resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResumeLimits {
    /// Most tries in a row that bring nothing new. 5. Zero: streams are not resumed.
    pub max_attempts: u32,
    /// The wait before the first try where the server names none. 1 s. Each try in a row that
    /// brings nothing waits half as long again.
    pub delay: Duration,
    /// Shortest wait, whatever the server says. 50 ms.
    pub min_delay: Duration,
    /// Longest wait, whatever the server says. 30 s.
    pub max_delay: Duration,
}

impl Default for ResumeLimits {
    fn default() -> Self {
        Self {
            max_attempts: 5,
            delay: Duration::from_secs(1),
            min_delay: Duration::from_millis(50),
            max_delay: Duration::from_secs(30),
        }
    }
}

/// Where one stream stands, over all the connections that carried it.
#[derive(Debug)]
pub(crate) struct Resume {
    limits: ResumeLimits,
    id: Option<HeaderValue>,
    retry: Option<Duration>,
    /// Tries in a row that brought nothing.
    fruitless: u32,
}

/// The next try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// How long to wait before it.
    pub(crate) after: Duration,
    /// The `Last-Event-ID`; `None` asks for a new stream.
    pub(crate) id: Option<HeaderValue>,
}

impl Resume {
    pub(crate) fn new(limits: ResumeLimits) -> Self {
        Self { limits, id: None, retry: None, fruitless: 0 }
    }

    /// A connection ended: keeps what it said about resuming. `is_fruitful`: an event came.
    pub(crate) fn ended(&mut self, decoder: &SseDecoder, is_fruitful: bool) {
        match decoder.last_event_id() {
            None => {}
            // The server took the id back.
            Some([]) => self.id = None,
            Some(id) if id.len() > MAX_ID => self.id = None,
            Some(id) => self.id = HeaderValue::from_bytes(id).ok(),
        }
        self.retry = decoder.retry().or(self.retry);
        if is_fruitful {
            self.fruitless = 0;
        }
    }

    /// The next try for a stream that brings an answer: only with an id, since without one there
    /// is nothing to resume.
    pub(crate) fn next(&mut self) -> Option<Attempt> {
        self.id.as_ref()?;
        self.next_or_anew()
    }

    /// The next try for a stream that is of use without its past, too.
    pub(crate) fn next_or_anew(&mut self) -> Option<Attempt> {
        if self.fruitless >= self.limits.max_attempts {
            return None;
        }
        // Tries that bring nothing are spaced out even if the server ends each of them in peace.
        let spread = 1.5_f64.powi(i32::try_from(self.fruitless).unwrap_or(i32::MAX));
        self.fruitless += 1;
        let first = self.retry.unwrap_or(self.limits.delay).max(self.limits.min_delay);
        let after = Duration::try_from_secs_f64(first.as_secs_f64() * spread).unwrap_or(Duration::MAX);
        Some(Attempt { after: after.min(self.limits.max_delay), id: self.id.clone() })
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn heard(stream: &'static str) -> Resume {
        let mut resume = Resume::new(ResumeLimits::default());
        hear(&mut resume, stream, true);
        resume
    }

    fn hear(resume: &mut Resume, stream: &'static str, is_fruitful: bool) {
        let mut decoder = SseDecoder::new(1024);
        decoder.push(Bytes::from_static(stream.as_bytes()));
        while decoder.next_event().is_some() {}
        resume.ended(&decoder, is_fruitful);
    }

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn a_stream_without_an_id_is_not_resumed() {
        assert_eq!(heard("data: 1\n\n").next(), None);
        assert_eq!(heard("id: 1\n\nid:\n\n").next(), None);
        assert!(heard("data: 1\n\n").next_or_anew().is_some());
    }

    #[test]
    fn the_servers_delay_is_kept_within_bounds() {
        for (retry, after) in [
            ("500", ms(500)),
            ("0", ms(50)),
            ("99999999999", Duration::from_secs(30)),
            ("abc", Duration::from_secs(1)),
        ] {
            let stream: &'static str = format!("id: e1\nretry: {retry}\ndata:\n\n").leak();
            let attempt = heard(stream).next().unwrap();
            assert_eq!((attempt.after, attempt.id.unwrap().as_bytes()), (after, &b"e1"[..]), "{retry}");
        }
    }

    // Field case 134.
    #[test]
    fn tries_that_bring_nothing_slow_down_and_end() {
        let mut resume = heard("id: e1\nretry: 100\n\n");
        let delays: Vec<_> = std::iter::from_fn(|| resume.next()).map(|attempt| attempt.after).collect();
        assert_eq!(
            delays,
            [ms(100), ms(150), ms(225), Duration::from_micros(337_500), Duration::from_micros(506_250)]
        );
        hear(&mut resume, ": comment\n\n", false);
        assert_eq!(resume.next(), None);
        hear(&mut resume, "id: e2\ndata: x\n\n", true);
        assert_eq!(resume.next().unwrap().id.unwrap(), "e2");
    }

    #[test]
    fn an_id_that_cannot_be_a_header_is_not_sent() {
        assert_eq!(heard("id: a\u{1}b\n\n").next(), None);
        let long: &'static str = format!("id: {}\n\n", "x".repeat(5000)).leak();
        assert_eq!(heard(long).next(), None);
    }
}
