//! How server and tool are put together to one name.

use std::fmt;

/// The most characters a [`NameStyle`] has besides its placeholders, so that they leave room for the tool.
pub const MAX_LITERALS: usize = 24;

/// A template for names: `{tool}` stands once in it, `{server}` at most once, and all else is of
/// `[a-zA-Z0-9_-]`.
///
/// The default is `mcp__{server}__{tool}`. Without `{server}` names are shorter, and tools of different
/// servers collide more often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameStyle {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Server,
    Tool,
}

/// Why a text is not a template for names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StyleError {
    /// Nothing would tell the tools apart.
    #[error("a name style needs the placeholder `{{tool}}`")]
    NoTool,
    /// A placeholder that stands in it twice.
    #[error("a name style has the placeholder `{{{0}}}` more than once")]
    Repeated(&'static str),
    /// A character that no name may have, or a brace of no placeholder.
    #[error("a name style cannot have {0:?} outside of `{{server}}` and `{{tool}}`")]
    Character(char),
    /// More than [`MAX_LITERALS`] besides the placeholders; this many.
    #[error("a name style has {0} characters besides its placeholders, more than {MAX_LITERALS}")]
    TooLong(usize),
}

impl NameStyle {
    /// The style of that template, as `mcp__{server}__{tool}`.
    pub fn new(template: &str) -> Result<Self, StyleError> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut rest = template;
        while let Some(first) = rest.chars().next() {
            let (piece, length) = if rest.starts_with("{server}") {
                (Piece::Server, "{server}".len())
            } else if rest.starts_with("{tool}") {
                (Piece::Tool, "{tool}".len())
            } else if is_allowed(first) {
                let length = rest.find(|c| !is_allowed(c)).unwrap_or(rest.len());
                (Piece::Literal(rest[..length].to_owned()), length)
            } else {
                return Err(StyleError::Character(first));
            };
            pieces.push(piece);
            rest = &rest[length..];
        }
        let count = |wanted: &Piece| pieces.iter().filter(|piece| *piece == wanted).count();
        match (count(&Piece::Server), count(&Piece::Tool)) {
            (_, 0) => return Err(StyleError::NoTool),
            (_, 2..) => return Err(StyleError::Repeated("tool")),
            (2.., _) => return Err(StyleError::Repeated("server")),
            (0..=1, 1) => {}
        }
        let style = Self { pieces };
        match style.literals() {
            0..=MAX_LITERALS => Ok(style),
            many => Err(StyleError::TooLong(many)),
        }
    }

    /// The whole name in allowed characters, however long.
    pub(super) fn plain(&self, server: &str, tool: &str) -> String {
        self.render(&cleaned(server), &cleaned(tool))
    }

    /// The name within `most` characters. The server gives way first, down to half of the room.
    pub(super) fn cut(&self, server: &str, tool: &str, most: usize) -> String {
        let (mut server, mut tool) = (cleaned(server), cleaned(tool));
        let mut room = most.saturating_sub(self.literals());
        if self.pieces.contains(&Piece::Server) {
            server.truncate(room.saturating_sub(tool.len()).max(room / 2));
            room -= server.len().min(room);
        }
        tool.truncate(room);
        let mut name = self.render(&server, &tool);
        name.truncate(most);
        name
    }

    /// How many characters are always the same.
    fn literals(&self) -> usize {
        let length = |piece: &Piece| if let Piece::Literal(text) = piece { text.len() } else { 0 };
        self.pieces.iter().map(length).sum()
    }

    fn render(&self, server: &str, tool: &str) -> String {
        let mut name = String::new();
        for piece in &self.pieces {
            name += match piece {
                Piece::Literal(text) => text,
                Piece::Server => server,
                Piece::Tool => tool,
            };
        }
        name
    }
}

impl Default for NameStyle {
    fn default() -> Self {
        let literal = |text: &str| Piece::Literal(text.to_owned());
        Self { pieces: vec![literal("mcp__"), Piece::Server, literal("__"), Piece::Tool] }
    }
}

impl fmt::Display for NameStyle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.render("{server}", "{tool}"))
    }
}

/// Whether every model takes this as the name of a tool, just as it is: 1 to [`MAX_NAME`](super::MAX_NAME)
/// characters of `[a-zA-Z0-9_-]`. Others are exposed by another name.
pub fn is_model_safe(name: &str) -> bool {
    !name.is_empty() && name.len() <= super::MAX_NAME && name.chars().all(is_allowed)
}

/// Whether every model takes it in the name of a tool.
fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Each character that is not allowed becomes a `_`, so the text is ASCII and may be cut anywhere.
fn cleaned(text: &str) -> String {
    text.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn style(template: &str) -> NameStyle {
        NameStyle::new(template).unwrap()
    }

    #[test]
    fn a_template_shows_as_it_was_given() {
        for template in ["mcp__{server}__{tool}", "{tool}", "{tool}-of-{server}", "{server}{tool}x"] {
            assert_eq!(style(template).to_string(), template);
        }
        assert_eq!(NameStyle::default(), style("mcp__{server}__{tool}"));
    }

    #[test]
    fn what_is_no_template_is_told_apart() {
        let check = |template: &str, message: &str| {
            assert_eq!(NameStyle::new(template).unwrap_err().to_string(), message);
        };
        check("", "a name style needs the placeholder `{tool}`");
        check("{server}", "a name style needs the placeholder `{tool}`");
        check("{tool}{tool}", "a name style has the placeholder `{tool}` more than once");
        check("{server}{tool}{server}", "a name style has the placeholder `{server}` more than once");
        check("{Tool}", "a name style cannot have '{' outside of `{server}` and `{tool}`");
        check("{tool}.x", "a name style cannot have '.' outside of `{server}` and `{tool}`");
        check("ä{tool}", "a name style cannot have 'ä' outside of `{server}` and `{tool}`");
        check(
            &format!("{{tool}}{}", "x".repeat(25)),
            "a name style has 25 characters besides its placeholders, more than 24",
        );
    }

    #[test]
    fn other_characters_become_underscores_one_for_one() {
        assert_eq!(NameStyle::default().plain("my server", "a.b/é:c"), "mcp__my_server__a_b___c");
    }

    #[test]
    fn a_name_is_safe_for_models_by_its_characters_and_length() {
        for name in ["a", "read_file-2", &"x".repeat(64)] {
            assert!(is_model_safe(name), "{name}");
        }
        for name in ["", "a.b", "é", "a b", &"x".repeat(65)] {
            assert!(!is_model_safe(name), "{name}");
        }
    }

    #[test]
    fn a_cut_keeps_as_much_of_the_tool_as_it_can() {
        let cut = |server: &str, tool: &str, most| NameStyle::default().cut(server, tool, most);
        assert_eq!(cut("server", "tool", 17), "mcp__server__tool");
        assert_eq!(cut("server", "tool", 16), "mcp__serve__tool");
        assert_eq!(cut("serverserver", "a", 16), "mcp__serverse__a");
        assert_eq!(cut("serverserver", "tooltool", 15), "mcp__serv__tool");
        assert_eq!(cut("s", "tooltooltool", 16), "mcp__s__tooltool");
        assert_eq!(cut("server", "tool", 6), "mcp___");
        assert_eq!(style("{tool}").cut("server", "tooltool", 5), "toolt");
    }
}
