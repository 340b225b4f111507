//! Colours and width of the terminal, or their absence.

use std::io::IsTerminal;

use anstyle::{AnsiColor, Style};

/// Narrowest and widest lines worth laying out for.
const NARROWEST: usize = 40;
const WIDEST: usize = 120;
/// The width of output that does not go to a terminal.
const PLAIN_WIDTH: usize = 80;

/// How to write for one stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) colours: bool,
    pub(crate) width: usize,
}

impl Look {
    /// No colours, and a fixed width.
    pub(crate) const PLAIN: Self = Self { colours: false, width: PLAIN_WIDTH };

    /// For stdout as it is.
    pub(crate) fn of_stdout() -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let width = if is_terminal { textwrap::termwidth().clamp(NARROWEST, WIDEST) } else { PLAIN_WIDTH };
        Self { colours: is_terminal && wants_colours(), width }
    }

    /// For stderr as it is; nothing is wrapped there.
    pub(crate) fn of_stderr() -> Self {
        Self { colours: std::io::stderr().is_terminal() && wants_colours(), ..Self::PLAIN }
    }

    /// For text that will be indented by `columns`.
    pub(crate) fn narrowed(self, columns: usize) -> Self {
        Self { width: self.width.saturating_sub(columns), ..self }
    }

    pub(crate) fn strong(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    pub(crate) fn name(self, text: &str) -> String {
        self.paint(AnsiColor::Cyan.on_default(), text)
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.colours && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// As no-color.org asks: any value but an empty one switches colours off.
fn wants_colours() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
