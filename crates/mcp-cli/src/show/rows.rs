//! Rows of cells in aligned columns, the last of which is wrapped.

use textwrap::core::display_width;

use super::look::Look;

/// Space between two columns.
const GAP: usize = 2;
/// A last column narrower than this goes below its row instead.
const LEAST: usize = 20;

/// A cell: its text, and how to paint it once it has its width.
pub(crate) type Cell = (String, fn(Look, &str) -> String);

/// A cell that stays as it is.
pub(crate) fn plain(text: impl Into<String>) -> Cell {
    (text.into(), |_, text| text.to_owned())
}

/// Lays rows out, each `indent` columns in. Columns but the last are as wide as their widest cell,
/// up to `widest`; a wider cell pushes its row to the right.
pub(crate) fn lay_out(rows: &[Vec<Cell>], indent: usize, widest: usize, look: Look) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width_of = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|(text, _)| display_width(text)).filter(|width| *width <= widest).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..count.saturating_sub(1)).map(width_of).collect();
    rows.iter().map(|row| lay_out_row(row, &widths, indent, look)).collect()
}

/// The same for one row and given widths of all columns but the last.
pub(crate) fn lay_out_row(row: &[Cell], widths: &[usize], indent: usize, look: Look) -> String {
    let mut out = String::new();
    push_row(&mut out, row, widths, indent, look);
    out
}

fn push_row(out: &mut String, row: &[Cell], widths: &[usize], indent: usize, look: Look) {
    let mut line = " ".repeat(indent);
    let mut at = indent;
    let (last, firsts) = match row.split_last() {
        Some((last, firsts)) if row.len() > widths.len() => (Some(last), firsts),
        _ => (None, row),
    };
    for ((text, paint), width) in firsts.iter().zip(widths) {
        // A column in which all cells are empty takes no room.
        if *width == 0 && text.is_empty() {
            continue;
        }
        let used = display_width(text);
        let gap = width.saturating_sub(used) + GAP;
        line.push_str(&paint(look, text));
        line.push_str(&" ".repeat(gap));
        at += used + gap;
    }
    let Some((text, paint)) = last.filter(|(text, _)| !text.is_empty()) else {
        out.push_str(line.trim_end());
        out.push('\n');
        return;
    };
    let column = indent + widths.iter().filter(|width| **width > 0).map(|width| width + GAP).sum::<usize>();
    let start = if at > column || look.width < column + LEAST {
        out.push_str(line.trim_end());
        out.push('\n');
        let below = if look.width < column + LEAST { indent + 2 * GAP } else { column };
        line = " ".repeat(below);
        below
    } else {
        column
    };
    for (number, part) in textwrap::wrap(text, look.width.saturating_sub(start).max(LEAST)).iter().enumerate()
    {
        if number > 0 {
            line = " ".repeat(start);
        }
        line.push_str(&paint(look, part));
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::look::Look;
    use super::{lay_out, plain};

    #[track_caller]
    fn check(rows: &[&[&str]], width: usize, expected: &str) {
        let rows: Vec<Vec<_>> =
            rows.iter().map(|row| row.iter().map(|text| plain(*text)).collect()).collect();
        assert_eq!(lay_out(&rows, 2, 12, Look { colours: false, width }), expected);
    }

    #[test]
    fn columns_are_aligned_and_the_last_is_wrapped() {
        check(
            &[&["a", "x", "one two three four five six seven"], &["bcd", "", "short"]],
            40,
            "  a    x  one two three four five six\n          seven\n  bcd     short\n",
        );
    }

    #[test]
    fn wide_characters_count_as_two() {
        check(&[&["日本", "x"], &["ab", "y"]], 80, "  日本  x\n  ab    y\n");
    }

    #[test]
    fn a_cell_that_is_too_wide_stands_alone() {
        check(&[&["a_very_long_name", "x"], &["b", "y"]], 80, "  a_very_long_name\n     x\n  b  y\n");
    }

    #[test]
    fn without_room_the_last_column_goes_below() {
        check(
            &[&["abcdefgh", "ijklmnop", "some text here"]],
            40,
            "  abcdefgh  ijklmnop\n      some text here\n",
        );
    }

    #[test]
    fn an_empty_column_takes_no_room() {
        check(&[&["a", "", "x"], &["b", "", "y"]], 80, "  a  x\n  b  y\n");
    }
}
