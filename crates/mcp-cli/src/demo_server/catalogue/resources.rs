//! The resources and their templates: what lists say of them, and what is in them.

use serde_json::{Value, json};

use super::super::world::Shelf;

/// The resource that changes.
pub(in super::super) const COUNTER: &str = "demo://counter";
pub(in super::super) const GREETING: &str = "demo://greeting/{language}/{name}";
pub(in super::super) const NUMBER: &str = "demo://number/{n}";

/// How many numbers there are.
pub(in super::super) const NUMBERS: usize = 250;
/// The languages of greetings, and how each greets.
pub(in super::super) const LANGUAGES: [(&str, &str); 5] =
    [("de", "Guten Tag"), ("en", "Hello"), ("es", "Hola"), ("fr", "Bonjour"), ("it", "Buongiorno")];

/// A picture of one dot, as PNG in Base64.
pub(in super::super) const DOT: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const ABOUT: &str = "A server to try a client on. Nothing it does leaves this process.\n";
const NOTES: &str = "# Notes\n\n- `count` changes `demo://counter`.\n- `grow` adds a resource.\n";

pub(in super::super) fn all(shelf: &Shelf) -> Vec<Value> {
    let mut resources = vec![
        json!({ "uri": "demo://about", "name": "about", "title": "About", "mimeType": "text/plain",
                "description": "What this server is.", "size": ABOUT.len() }),
        json!({ "uri": "demo://notes", "name": "notes", "title": "Notes", "mimeType": "text/markdown",
                "description": "A text with a markup.", "size": NOTES.len(),
                "annotations": { "audience": ["user", "assistant"], "priority": 0.5 } }),
        json!({ "uri": "demo://dot", "name": "dot", "title": "Dot", "mimeType": "image/png",
                "description": "A picture." }),
        json!({ "uri": COUNTER, "name": "counter", "title": "Counter", "mimeType": "text/plain",
                "description": "A number that `count` changes. It can be followed." }),
    ];
    resources.extend((1..=shelf.resources).map(|number| {
        json!({ "uri": format!("demo://grown/{number}"), "name": format!("grown_{number}"),
                "description": "It was added by `grow`.", "mimeType": "text/plain" })
    }));
    resources
}

pub(in super::super) fn templates() -> Vec<Value> {
    vec![
        json!({ "uriTemplate": GREETING, "name": "greeting", "title": "Greeting",
                "description": "Greets somebody in a language.", "mimeType": "text/plain" }),
        json!({ "uriTemplate": NUMBER, "name": "number", "title": "Number",
                "description": "A number from 1 to 250.", "mimeType": "text/plain" }),
    ]
}

/// Whether there is such a resource, or a template has one.
pub(in super::super) fn has(shelf: &Shelf, uri: &str) -> bool {
    read(shelf, uri).is_some()
}

/// The contents of a resource.
pub(in super::super) fn read(shelf: &Shelf, uri: &str) -> Option<Value> {
    let text = |mime: &str, text: String| json!({ "uri": uri, "mimeType": mime, "text": text });
    let path = uri.strip_prefix("demo://")?;
    let parts: Vec<&str> = path.split('/').collect();
    Some(match parts[..] {
        ["about"] => text("text/plain", ABOUT.to_owned()),
        ["notes"] => text("text/markdown", NOTES.to_owned()),
        ["dot"] => json!({ "uri": uri, "mimeType": "image/png", "blob": DOT }),
        ["counter"] => text("text/plain", shelf.counter.to_string()),
        ["grown", number] => {
            numbered(number, shelf.resources)?;
            text("text/plain", format!("This is the resource {number} that was added."))
        }
        ["greeting", language, name] if !name.is_empty() => {
            let (_, greeting) = LANGUAGES.into_iter().find(|(known, _)| *known == language)?;
            text("text/plain", format!("{greeting}, {}!", decoded(name)?))
        }
        ["number", number] => {
            let number = numbered(number, NUMBERS)?;
            text("text/plain", format!("{number} squared is {}.", number * number))
        }
        _ => return None,
    })
}

/// A number from 1 to `most`, as it is written in only one way.
fn numbered(text: &str, most: usize) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    ((1..=most).contains(&number) && number.to_string() == text).then_some(number)
}

/// A part of a path, whose bytes may stand as `%XX`.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = part.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        (rest, bytes) = match byte {
            b'%' => {
                let (hex, after) = after.split_at_checked(2)?;
                let hex = std::str::from_utf8(hex).ok().filter(|hex| !hex.starts_with('+'))?;
                bytes.push(u8::from_str_radix(hex, 16).ok()?);
                (after, bytes)
            }
            byte => {
                bytes.push(*byte);
                (after, bytes)
            }
        };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_listed_can_be_read() {
        let shelf = Shelf { resources: 2, ..Shelf::default() };
        for resource in all(&shelf) {
            let uri = resource["uri"].as_str().unwrap();
            let contents = read(&shelf, uri).unwrap();
            assert_eq!((&contents["uri"], &contents["mimeType"]), (&resource["uri"], &resource["mimeType"]));
            if let Some(size) = resource.get("size") {
                assert_eq!(contents["text"].as_str().unwrap().len(), size.as_u64().unwrap() as usize);
            }
        }
    }

    #[test]
    fn templates_have_what_fits_them_and_nothing_else() {
        let shelf = Shelf::default();
        let read = |uri: &str| read(&shelf, uri).map(|contents| contents["text"].clone());
        assert_eq!(read("demo://greeting/de/Ada%20L."), Some(json!("Guten Tag, Ada L.!")));
        assert_eq!(read("demo://number/12"), Some(json!("12 squared is 144.")));
        for wrong in [
            "",
            "demo://",
            "demo://abou",
            "DEMO://about",
            "demo://about/",
            "demo://grown/1",
            "demo://greeting/xx/A",
            "demo://greeting/de/",
            "demo://greeting/de/%4",
            "demo://greeting/de/%+4",
            "demo://greeting/de/%ff",
            "demo://number/0",
            "demo://number/251",
            "demo://number/01",
            "demo://number/+1",
            "demo://number/x",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
