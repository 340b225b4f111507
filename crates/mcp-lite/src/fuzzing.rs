//! The property that the fuzz target checks, beside the code it is about.

use bytes::Bytes;
use mcp_types::RequestId;

use crate::envelope::{Envelope, Members};
use crate::parse;
use crate::pick::Picker;

/// Any text: the message that is found is a piece of JSON; the answer to a request is one, with
/// its id, and does not depend on how the bytes are cut.
///
/// The first byte says how the rest is cut.
pub fn parse_sse(data: &[u8]) {
    let [cut, input @ ..] = data else { return };
    if let Ok(text) = std::str::from_utf8(input)
        && let Ok(envelope) = parse::parse_sse(text)
    {
        assert!(Envelope::is_one(envelope.as_str().as_bytes()), "what is found is JSON");
    }
    let whole = pick([input]);
    assert_eq!(pick(input.chunks(usize::from(*cut).max(1))), whole, "cuts do not matter");
    if let Some(answer) = whole {
        let members = Members::read(answer.as_bytes());
        let is_ours = |members: Members<'_>| {
            members.is_answer() && members.id().as_ref() == Some(&ID) || members.is_error_without_id()
        };
        assert!(members.is_some_and(is_ours), "only the answer is returned");
    }
}

const ID: RequestId = RequestId::Number(1);

fn pick<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Option<String> {
    let mut picker = Picker::new(ID, usize::MAX);
    for chunk in chunks {
        if let Ok(Some(answer)) = picker.push(Bytes::copy_from_slice(chunk)) {
            return Some(answer.as_str().to_owned());
        }
    }
    picker.finish().ok().map(|answer| answer.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_corpus_of_texts_holds() {
        let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/parse_sse");
        let mut files = 0;
        for entry in std::fs::read_dir(&corpus).unwrap() {
            super::parse_sse(&std::fs::read(entry.unwrap().path()).unwrap());
            files += 1;
        }
        assert!(files > 0, "no corpus in {}", corpus.display());
    }
}
