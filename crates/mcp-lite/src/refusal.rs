//! A response that is no success: its reason and the beginning of its body.

use bytes::BytesMut;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::Body;
use hyper::ext::ReasonPhrase;
use hyper::header::AUTHORIZATION;
use mcp_transport_http::Endpoint;

use crate::error::StatusFailure;
use crate::options::CallOptions;

/// Most bytes of a body that are kept.
const MAX_BODY: usize = 64 * 1024;
/// Most characters of a reason.
const MAX_REASON: usize = 256;
/// Shorter values are not masked: `1` or `true` would take half of a text with them.
const LEAST_SECRET: usize = 6;

/// Reads what came with the status. A body that breaks off counts as far as it came.
pub(crate) async fn read<B: Body + Unpin>(
    response: Response<B>,
    options: &CallOptions,
    endpoint: &Endpoint,
) -> StatusFailure {
    let secrets = secrets(options, endpoint);
    let (head, mut body) = response.into_parts();
    let sent = head.extensions.get::<ReasonPhrase>().map(ReasonPhrase::as_bytes);
    let reason = match sent {
        Some(reason) if !reason.trim_ascii().is_empty() => String::from_utf8_lossy(reason.trim_ascii()),
        _ => head.status.canonical_reason().unwrap_or_default().into(),
    };
    let reason = masked(&reason, &secrets).chars().take(MAX_REASON).flat_map(shown).collect();

    let limit = MAX_BODY.min(options.max_body);
    let mut text = BytesMut::new();
    while text.len() < limit
        && let Some(Ok(frame)) = body.frame().await
    {
        let Ok(data) = frame.into_data() else { continue };
        let mut data = data;
        let taken = bytes::Buf::remaining(&data).min(limit - text.len());
        text.extend_from_slice(&bytes::Buf::copy_to_bytes(&mut data, taken));
    }
    let body = masked(&String::from_utf8_lossy(&text), &secrets);
    StatusFailure { status: head.status.as_u16(), reason, body }
}

/// The values that were sent, and credentials without their scheme.
fn secrets(options: &CallOptions, endpoint: &Endpoint) -> Vec<String> {
    let configured = options.headers.iter().map(|(name, value)| (name, value.clone()));
    let mut secrets = Vec::new();
    for (name, value) in configured.chain(endpoint.authorization().map(|value| (&AUTHORIZATION, value))) {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        if *name == AUTHORIZATION
            && let Some((_, credentials)) = value.split_once(' ')
        {
            secrets.push(credentials.trim().to_owned());
        }
        secrets.push(value);
    }
    secrets.retain(|secret| secret.len() >= LEAST_SECRET);
    // A secret inside another must not leave the rest of it.
    secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets
}

fn masked(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
}

/// A character as a message can show it.
fn shown(character: char) -> Vec<char> {
    match character {
        ' '..='~' => vec![character],
        _ => character.escape_default().collect(),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http_body_util::Full;
    use mcp_transport_http::Headers;

    use super::*;

    async fn refused(status: u16, reason: Option<&'static [u8]>, body: &str) -> StatusFailure {
        let secrets = [("Authorization", "Bearer SECRET-1"), ("X-Key", "SECRET-2"), ("X-Short", "e")];
        let options = CallOptions { headers: Headers::new(secrets).unwrap(), ..CallOptions::default() };
        let endpoint = Endpoint::parse("http://a.test/").unwrap();
        let mut response = Response::new(Full::new(Bytes::copy_from_slice(body.as_bytes())));
        *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap();
        if let Some(reason) = reason {
            response.extensions_mut().insert(ReasonPhrase::try_from(reason).unwrap());
        }
        read(response, &options, &endpoint).await
    }

    #[tokio::test]
    async fn the_reason_is_that_of_the_server_or_else_the_usual_one() {
        for (status, reason, expected) in [
            (503, Some(&b"Try Later"[..]), "503 Try Later"),
            (503, None, "503 Service Unavailable"),
            (503, Some(b""), "503 Service Unavailable"),
            (599, Some(b" "), "599"),
            (599, None, "599"),
        ] {
            assert_eq!(refused(status, reason, "").await.to_string(), expected);
        }
    }

    #[tokio::test]
    async fn the_reason_is_bounded_and_escaped() {
        let failure = refused(500, Some("a\u{202e}\tb".as_bytes()), "").await;
        assert_eq!(failure.reason, r"a\u{202e}\tb");
        const LONG: &[u8] = &[b'x'; 1000];
        assert_eq!(refused(500, Some(LONG), "").await.reason.len(), 256);
    }

    #[tokio::test]
    async fn the_body_is_bounded() {
        assert_eq!(refused(500, None, &"x".repeat(100_000)).await.body.len(), 64 * 1024);
    }

    #[tokio::test]
    async fn configured_values_are_masked() {
        let failure = refused(401, Some(b"No SECRET-1"), "Bearer SECRET-1, SECRET-1, SECRET-2, e").await;
        assert_eq!(failure.reason, "No ***");
        assert_eq!(failure.body, "***, ***, ***, e");
        assert!(!format!("{failure:?}").contains("***,"));
    }
}
