//! The command line that runs a Windows batch file with arguments, quoted so that none of them
//! can become a second command.
//!
//! A batch file is run by the command interpreter, which reads its command line by rules of its
//! own before the batch file's program sees it. Pure, so that it is tested on every platform.

/// An argument that no quoting makes safe; `number` counts from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unsafe {
    pub(crate) number: usize,
}

/// Expands to nothing and so keeps a percent sign from starting a variable: a substring of length
/// zero of a variable that always exists.
const NOTHING: &str = "%cd:~,%";

/// What follows the interpreter's own name on its command line.
///
/// `/d` keeps autorun commands out, `/v:off` keeps `!` an ordinary character, `/e:on` is needed
/// for the guard of percent signs, and `/s` takes exactly the outermost quotes off the rest.
pub(crate) fn command_line(script: &str, args: &[String]) -> Result<String, Unsafe> {
    let mut line = String::from("/e:ON /v:OFF /d /s /c \"");
    // The script is a path found on disk, or a name as configured; it is number 0.
    quote(&mut line, script, 0)?;
    for (at, arg) in args.iter().enumerate() {
        line.push(' ');
        quote(&mut line, arg, at + 1)?;
    }
    line.push('"');
    Ok(line)
}

/// Appends `text` in quotes: quotes inside are doubled, backslashes before a quote are doubled
/// for the program behind the batch file, percent signs are guarded. Inside quotes the
/// interpreter gives no other character a meaning, but a line end always ends the command.
fn quote(line: &mut String, text: &str, number: usize) -> Result<(), Unsafe> {
    if text.contains(['\0', '\r', '\n']) {
        return Err(Unsafe { number });
    }
    line.push('"');
    let mut backslashes = 0;
    for character in text.chars() {
        match character {
            '"' => {
                line.extend(std::iter::repeat_n('\\', backslashes));
                line.push_str("\"\"");
            }
            '%' => {
                line.push('%');
                line.push_str(NOTHING);
            }
            other => line.push(other),
        }
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
    }
    line.extend(std::iter::repeat_n('\\', backslashes));
    line.push('"');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Unsafe, command_line};

    fn line(args: &[&str]) -> Result<String, Unsafe> {
        command_line(r"C:\a b\tool.cmd", &args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>())
    }

    fn check(arg: &str, expected: &str) {
        assert_eq!(line(&[arg]).unwrap(), format!(r#"/e:ON /v:OFF /d /s /c ""C:\a b\tool.cmd" {expected}""#));
    }

    #[test]
    fn every_argument_is_quoted() {
        check("a b", r#""a b""#);
        check("", r#""""#);
        check("x&calc", r#""x&calc""#);
        check("^|<>()!*?;,=", r#""^|<>()!*?;,=""#);
        check("$(id)", r#""$(id)""#);
    }

    #[test]
    fn quotes_and_backslashes_reach_the_program() {
        check(r#"say "hi""#, r#""say ""hi""""#);
        check(r"C:\dir\", r#""C:\dir\\""#);
        check(r#"a\"b"#, r#""a\\""b""#);
    }

    #[test]
    fn a_percent_sign_starts_no_variable() {
        check("%X%", r#""%%cd:~,%X%%cd:~,%""#);
    }

    #[test]
    fn a_line_end_is_refused() {
        assert_eq!(line(&["ok", "a\nb"]), Err(Unsafe { number: 2 }));
        assert_eq!(line(&["a\rb"]), Err(Unsafe { number: 1 }));
        assert_eq!(line(&["a\0b"]), Err(Unsafe { number: 1 }));
    }

    /// Inside quotes nothing but a quote changes what the interpreter sees; so the quotes of a
    /// line must stay balanced after every argument.
    #[test]
    fn no_argument_leaves_the_quotes_open() {
        for arg in ["\"", "\"\"", "\\\"", "a\"&calc&\"b", "\"&calc", "%\"%", "\\", "\\\\\""] {
            let line = line(&[arg, "next"]).unwrap();
            let quotes = line.bytes().filter(|byte| *byte == b'"').count();
            assert_eq!(quotes % 2, 0, "{line}");
            let outside: String = line
                .strip_prefix("/e:ON /v:OFF /d /s /c \"")
                .and_then(|line| line.strip_suffix('"'))
                .unwrap()
                .split('"')
                .step_by(2)
                .collect();
            assert!(outside.trim().is_empty(), "outside of quotes: {outside:?} in {line}");
        }
    }
}
