//! The formats that a text of a form can have.

/// What a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `email`: one `@` with something on both sides, and no spaces. Only a mail can tell more.
    Email,
    /// `uri`: with a scheme (RFC 3986), so no relative reference.
    Uri,
    /// `date`: `2025-11-25` (RFC 3339), a day that there is.
    Date,
    /// `date-time`: `2025-11-25T09:30:00Z` (RFC 3339), with its offset.
    DateTime,
}

impl Format {
    pub(super) fn of(word: &str) -> Option<Self> {
        match word {
            "email" => Some(Self::Email),
            "uri" => Some(Self::Uri),
            "date" => Some(Self::Date),
            "date-time" => Some(Self::DateTime),
            _ => None,
        }
    }

    /// The word in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
        }
    }

    /// What is wanted, for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Email => "a mail address",
            Self::Uri => "a URI such as https://example.com/",
            Self::Date => "a date such as 2025-11-25",
            Self::DateTime => "a date and time such as 2025-11-25T09:30:00Z",
        }
    }

    /// Whether the text looks like that.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Uri => is_uri(text),
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
        }
    }
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_part = |part: &str| {
        !part.is_empty() && !part.contains(|c: char| c == '@' || c.is_whitespace() || c.is_control())
    };
    is_part(local) && is_part(domain) && domain.split('.').all(|label| !label.is_empty())
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut scheme = scheme.bytes();
    let is_scheme = scheme.next().is_some_and(|first| first.is_ascii_alphabetic())
        && scheme.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme && !rest.is_empty() && has_uri_characters(rest.as_bytes())
}

fn has_uri_characters(mut rest: &[u8]) -> bool {
    loop {
        rest = match rest {
            [] => return true,
            [b'%', a, b, rest @ ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => rest,
            [byte, rest @ ..] if byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(byte) => {
                rest
            }
            _ => return false,
        };
    }
}

fn is_date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else { return false };
    let (Some(year), Some(month), Some(day)) =
        (number(&[y1, y2, y3, y4]), number(&[m1, m2]), number(&[d1, d2]))
    else {
        return false;
    };
    (1..=days(year, month)).contains(&day)
}

fn days(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    }
}

fn is_date_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else { return false };
    let [b'T' | b't', h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = rest.as_bytes() else { return false };
    // A second 60 is a leap second; when there were some, no form needs to know.
    let is_time = below(24, &[*h1, *h2]) && below(60, &[*m1, *m2]) && below(61, &[*s1, *s2]);
    is_date(date) && is_time && fraction(rest).is_some_and(is_offset)
}

/// What follows the fraction of a second. `None` if there is a point and nothing after it.
fn fraction(rest: &[u8]) -> Option<&[u8]> {
    let [b'.', digits @ ..] = rest else { return Some(rest) };
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    (end > 0).then(|| &digits[end..])
}

fn is_offset(text: &[u8]) -> bool {
    match text {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => below(24, &[*h1, *h2]) && below(60, &[*m1, *m2]),
        _ => false,
    }
}

fn below(limit: u32, digits: &[u8]) -> bool {
    number(digits).is_some_and(|number| number < limit)
}

fn number(digits: &[u8]) -> Option<u32> {
    digits
        .iter()
        .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[track_caller]
    fn check(format: Format, good: &[&str], bad: &[&str]) {
        good.iter().for_each(|text| assert!(format.fits(text), "{text}"));
        bad.iter().for_each(|text| assert!(!format.fits(text), "{text}"));
    }

    #[test]
    fn a_date_is_a_day_that_there_is() {
        let good = ["2025-11-25", "2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31"];
        let bad = ["2025-02-29", "1900-02-29", "2025-13-01", "2025-00-01", "2025-01-00", "2025-04-31"];
        check(Format::Date, &good, &bad);
        check(Format::Date, &[], &["", "2025-1-1", "25-11-25", "2025/11/25", "2025-11-25 ", "２025-11-25"]);
    }

    #[test]
    fn a_time_has_seconds_and_an_offset() {
        let good = ["2025-11-25T09:30:00Z", "2025-11-25t09:30:60.123z", "2025-11-25T23:59:59+14:00"];
        let bad =
            ["2025-11-25T09:30Z", "2025-11-25T09:30:00", "2025-11-25 09:30:00Z", "2025-11-25T24:00:00Z"];
        check(Format::DateTime, &good, &bad);
        let bad = ["2025-11-25T09:30:00.Z", "2025-11-25T09:30:00+1:00", "2025-02-30T09:30:00Z", "2025-11-2é"];
        check(Format::DateTime, &[], &bad);
    }

    #[test]
    fn a_uri_has_a_scheme_and_no_other_characters_than_uris_have() {
        check(Format::Uri, &["https://example.com/a?b=%20#c", "mailto:a@b", "urn:x:1", "http://[::1]/"], &[]);
        check(Format::Uri, &[], &["example.com", "/a", "1a:b", "a:", ":b", "a:%2", "a:b c", "a:é", "a:\\b"]);
    }

    #[test]
    fn a_mail_address_has_two_parts() {
        check(Format::Email, &["a@b", "a.b+c@example.com", "é@例え.jp"], &[]);
        check(Format::Email, &[], &["", "a", "@b", "a@", "a b@c", "a@b@c", "a@b..c", "a@b\n", "a@.b"]);
    }
}
