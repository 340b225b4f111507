//! An entry as bytes: a line that vouches for the rest, then JSON.
//!
//! ```text
//! mcp-tools 1 <hash over the key and all that follows>
//! {"storedAt":…,"protocolVersion":"…","serverInfo":{…},"tools":[…]}
//! ```
//!
//! The number is that of the format. It goes up when an older program would misread the rest; a member
//! that is only added is passed over by older programs.

use std::str;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_types::{Implementation, Tool};
use serde::{Deserialize, Serialize};

use super::key::CacheKey;
use super::tools::CachedTools;

const MAGIC: &str = "mcp-tools";
const VERSION: &str = "1";

/// Why bytes are no entry.
#[derive(Debug, thiserror::Error)]
pub(super) enum DecodeError {
    #[error("it does not begin like an entry")]
    Head,
    #[error("it has a format of another version of this program")]
    Version,
    #[error("it is damaged, incomplete, or of another key")]
    Seal,
    #[error("its content has another shape")]
    Shape(#[source] serde_json::Error),
    #[error("its time cannot be expressed")]
    Time,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    stored_at: u64,
    protocol_version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_info: Option<&'a Implementation>,
    tools: &'a [Tool],
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read {
    stored_at: u64,
    protocol_version: String,
    server_info: Option<Implementation>,
    tools: Vec<Tool>,
}

pub(super) fn encode(key: &CacheKey, entry: &CachedTools) -> Result<Vec<u8>, serde_json::Error> {
    let since_epoch = entry.stored_at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let body = serde_json::to_vec(&Written {
        stored_at: u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX),
        protocol_version: &entry.protocol_version,
        server_info: entry.server_info.as_ref(),
        tools: &entry.tools,
    })?;
    let mut bytes = format!("{MAGIC} {VERSION} {}\n", key.seal(&body)).into_bytes();
    bytes.extend(body);
    Ok(bytes)
}

pub(super) fn decode(key: &CacheKey, bytes: &[u8]) -> Result<CachedTools, DecodeError> {
    let end = bytes.iter().position(|&byte| byte == b'\n').ok_or(DecodeError::Head)?;
    let (head, body) = (&bytes[..end], &bytes[end + 1..]);
    let mut words = str::from_utf8(head).map_err(|_| DecodeError::Head)?.split(' ');
    if words.next() != Some(MAGIC) {
        return Err(DecodeError::Head);
    }
    if words.next() != Some(VERSION) {
        return Err(DecodeError::Version);
    }
    if words.next() != Some(&key.seal(body).to_string()) || words.next().is_some() {
        return Err(DecodeError::Seal);
    }
    let read: Read = serde_json::from_slice(body).map_err(DecodeError::Shape)?;
    let stored_at = time(read.stored_at).ok_or(DecodeError::Time)?;
    Ok(CachedTools::new(read.tools, read.server_info, read.protocol_version, stored_at))
}

fn time(milliseconds: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_millis(milliseconds))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{entry, key, shown};
    use super::*;

    /// What `body` is decoded to, with a head that vouches for it.
    fn sealed(body: &str) -> Result<CachedTools, DecodeError> {
        let head = format!("mcp-tools 1 {}\n", key().seal(body.as_bytes()));
        decode(&key(), (head + body).as_bytes())
    }

    #[test]
    fn an_entry_comes_back_byte_for_byte() {
        let entry = entry(&["a", "b"]);
        let again = decode(&key(), &encode(&key(), &entry).unwrap()).unwrap();
        assert_eq!(shown(&again), shown(&entry));
        assert_eq!(again.stored_at, entry.stored_at);
        let schema = again.tools[0].input_schema.get();
        assert!(schema.contains("1e400") && schema.contains("\n") && schema.contains("0.10"), "{schema}");
    }

    #[test]
    fn every_cut_and_every_flipped_byte_is_noticed() {
        let bytes = encode(&key(), &entry(&["a"])).unwrap();
        for end in 0..bytes.len() {
            assert!(decode(&key(), &bytes[..end]).is_err(), "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x01;
            assert!(decode(&key(), &bytes).is_err(), "flipped at {at}");
        }
        assert!(decode(&key(), &[&bytes[..], b" "].concat()).is_err());
    }

    #[test]
    fn an_entry_of_another_key_is_none() {
        let bytes = encode(&CacheKey::new("other", b""), &entry(&["a"])).unwrap();
        assert!(matches!(decode(&key(), &bytes), Err(DecodeError::Seal)));
    }

    #[test]
    fn a_newer_format_is_not_read() {
        let text = String::from_utf8(encode(&key(), &entry(&["a"])).unwrap()).unwrap();
        let newer = text.replacen("mcp-tools 1 ", "mcp-tools 2 ", 1);
        assert!(matches!(decode(&key(), newer.as_bytes()), Err(DecodeError::Version)));
        assert!(matches!(decode(&key(), b"{\"a\":1}\n"), Err(DecodeError::Head)));
        assert!(matches!(decode(&key(), b""), Err(DecodeError::Head)));
    }

    #[test]
    fn what_is_vouched_for_may_still_have_another_shape() {
        let body = |stored_at| {
            format!(
                r#"{{"storedAt":{stored_at},"protocolVersion":"v","serverInfo":{{"name":"n","version":"1"}},"tools":[],"new":[1]}}"#
            )
        };
        assert!(sealed(&body(1)).is_ok());
        assert!(matches!(sealed(&body(-1)), Err(DecodeError::Shape(_))));
        assert!(matches!(sealed("{}"), Err(DecodeError::Shape(_))));
    }

    #[test]
    fn times_before_1970_are_the_oldest_there_are() {
        let mut entry = entry(&["a"]);
        entry.stored_at = UNIX_EPOCH - Duration::from_secs(1);
        let again = decode(&key(), &encode(&key(), &entry).unwrap()).unwrap();
        assert_eq!(again.stored_at, UNIX_EPOCH);
    }
}
