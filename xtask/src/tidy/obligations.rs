//! Each obligation of the protocol has one row on its page, and the row says something.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::tree::Tree;

const PAGE: &str = "docs/obligations.md";
/// The highest number of the checklist. It grows at its end only, and no number is given twice.
const LAST: u32 = 588;
/// What may still be open. Nothing is added here; what is shown is taken out.
const MAY_BE_OPEN: &[RangeInclusive<u32>] = &[];
const OPEN_HEADING: &str = "## Open";
/// What stands in a row whose rule does not hold yet, or is shown by nothing.
const OPEN_WORDS: [&str; 3] = ["not yet", "not done", "no test yet"];

pub(super) fn problems(tree: &Tree) -> Vec<String> {
    match tree.text(PAGE) {
        Some(text) => problems_of(text, LAST, MAY_BE_OPEN),
        None => vec![format!("{PAGE}: missing")],
    }
}

/// How many obligations are open.
pub(super) fn open(tree: &Tree) -> usize {
    let (rows, _) = rows(tree.text(PAGE).unwrap_or_default());
    rows.iter().filter(|row| row.is_open).map(|row| row.numbers.len()).sum()
}

struct Row {
    line: usize,
    numbers: Vec<u32>,
    is_open: bool,
}

fn problems_of(text: &str, last: u32, may_be_open: &[RangeInclusive<u32>]) -> Vec<String> {
    let (rows, mut problems) = rows(text);
    let mut lines = BTreeMap::new();
    for row in &rows {
        for &number in &row.numbers {
            if !(1..=last).contains(&number) {
                problems.push(format!("{PAGE}:{}: there is no {}", row.line, name(number)));
            } else if let Some(earlier) = lines.insert(number, row.line) {
                problems.push(format!("{PAGE}:{}: {} is in line {earlier} too", row.line, name(number)));
            }
        }
        for number in row.numbers.iter().filter(|_| row.is_open) {
            if !may_be_open.iter().any(|range| range.contains(number)) {
                problems.push(format!("{PAGE}:{}: {} may not be open any more", row.line, name(*number)));
            }
        }
    }
    let missing = (1..=last).filter(|number| !lines.contains_key(number));
    problems.extend(listed("no row for", missing));

    let open: BTreeSet<u32> =
        rows.iter().filter(|row| row.is_open).flat_map(|row| row.numbers.clone()).collect();
    let told = told_open(text, &mut problems);
    problems.extend(listed("open, but not under `## Open`", open.difference(&told).copied()));
    problems.extend(listed("under `## Open`, but not open", told.difference(&open).copied()));
    problems
}

fn rows(text: &str) -> (Vec<Row>, Vec<String>) {
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for (line, content) in (1..).zip(text.lines()) {
        if !content.starts_with("| C-") {
            continue;
        }
        let cells: Vec<_> = content.split('|').map(str::trim).collect();
        let ["", numbers, tests, note, ""] = cells[..] else {
            problems.push(format!("{PAGE}:{line}: a row has three cells"));
            continue;
        };
        let Some(numbers) = read_numbers(numbers) else {
            problems.push(format!("{PAGE}:{line}: `{numbers}` are no numbers"));
            continue;
        };
        if tests.is_empty() && note.is_empty() {
            problems.push(format!("{PAGE}:{line}: the row cites nothing and says nothing"));
        }
        let is_open = OPEN_WORDS.iter().any(|words| note.contains(words));
        rows.push(Row { line, numbers, is_open });
    }
    (rows, problems)
}

/// The numbers in the list that ends the page: `- C-001, C-003 to C-005: why`.
fn told_open(text: &str, problems: &mut Vec<String>) -> BTreeSet<u32> {
    let lines = (1..).zip(text.lines()).skip_while(|(_, line)| *line != OPEN_HEADING);
    let mut told = BTreeSet::new();
    for (line, item) in lines.filter_map(|(line, text)| Some((line, text.strip_prefix("- ")?))) {
        match item.split_once(':').and_then(|(numbers, _)| read_numbers(numbers)) {
            Some(numbers) => told.extend(numbers),
            None => problems.push(format!("{PAGE}:{line}: an item is numbers, a colon, and what is open")),
        }
    }
    told
}

/// `C-001, C-003 to C-005`.
fn read_numbers(text: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in text.split(", ") {
        match part.split_once(" to ") {
            Some((first, last)) => {
                let (first, last) = (read_number(first)?, read_number(last)?);
                if first >= last {
                    return None;
                }
                numbers.extend(first..=last);
            }
            None => numbers.push(read_number(part)?),
        }
    }
    Some(numbers)
}

fn read_number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("C-")?;
    (digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

fn name(number: u32) -> String {
    format!("C-{number:03}")
}

fn listed(what: &str, numbers: impl Iterator<Item = u32>) -> Option<String> {
    let names: Vec<_> = numbers.map(name).collect();
    (!names.is_empty()).then(|| format!("{PAGE}: {what}: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &[&str]) {
        assert_eq!(problems_of(page, 4, &[1..=4]), expected);
    }

    #[test]
    fn each_number_has_one_row() {
        check("| id | test | note |\n| C-001 to C-003 | a: `t` | |\n| C-004 | | of the host |", &[]);
        check("| C-001, C-003 | a: `t` | |", &["docs/obligations.md: no row for: C-002, C-004"]);
        check(
            "| C-001 to C-004 | a: `t` | |\n| C-002, C-003 | | why |",
            &[
                "docs/obligations.md:2: C-002 is in line 1 too",
                "docs/obligations.md:2: C-003 is in line 1 too",
            ],
        );
        check("| C-001 to C-005 | a: `t` | |", &["docs/obligations.md:1: there is no C-005"]);
        check("| C-000 to C-004 | a: `t` | |", &["docs/obligations.md:1: there is no C-000"]);
    }

    #[test]
    fn a_row_that_says_nothing_is_a_fault() {
        let page = "| C-001 to C-004 | | |";
        check(page, &["docs/obligations.md:1: the row cites nothing and says nothing"]);
    }

    #[test]
    fn what_cannot_be_read_is_told_and_counts_for_nothing() {
        let all = "docs/obligations.md: no row for: C-001, C-002, C-003, C-004";
        for numbers in ["C-1 to C-004", "C-004 to C-001", "C-001 C-002", "C-001,", "C-+01", "C-99999999999"] {
            let fault = format!("docs/obligations.md:1: `{numbers}` are no numbers");
            check(&format!("| {numbers} | | why |"), &[fault.as_str(), all]);
        }
        for row in ["| C-001 | a: `t` |", "| C-001 | a | b | c |", "| C-001"] {
            check(row, &["docs/obligations.md:1: a row has three cells", all]);
        }
    }

    #[test]
    fn what_is_open_stands_in_the_list_at_the_end_and_nothing_else_does() {
        let page =
            "| C-001, C-002 | a: `t` | |\n| C-003 | | not yet: x |\n| C-004 | a: `t` | no test yet |\n";
        check(&format!("{page}\n## Open\n\n- C-003: x\n- C-004: a test\n"), &[]);
        let open = "docs/obligations.md: open, but not under `## Open`: C-003, C-004";
        check(page, &[open]);
        check(&format!("- C-003: x\n{page}"), &[open]);
        check(
            &format!("{page}## Open\n- C-001, C-003 to C-004: x\n"),
            &["docs/obligations.md: under `## Open`, but not open: C-001"],
        );
        check(
            &format!("{page}## Open\n- C-003 to C-004: x\n- C-003\n"),
            &["docs/obligations.md:6: an item is numbers, a colon, and what is open"],
        );
    }

    #[test]
    fn a_number_that_may_not_be_open_any_more_is_a_fault() {
        let page = "| C-001 | a: `t` | |\n| C-002, C-003 | | not done: x |\n## Open\n- C-002, C-003: x\n";
        let fault = "docs/obligations.md:2: C-002 may not be open any more";
        assert_eq!(problems_of(page, 3, &[1..=1, 3..=3]), [fault]);
    }

    #[test]
    fn open_numbers_are_counted_and_a_page_that_is_gone_is_a_fault() {
        let page = "| C-001, C-002 | | not yet: x |\n| C-003 | a: `t` | no test yet for y |";
        assert_eq!(open(&tree(&[(PAGE, page)])), 3);
        assert_eq!(problems(&tree(&[])), ["docs/obligations.md: missing"]);
    }
}
