//! Tables of texts and what becomes of them, for each way of writing variables.

use super::*;

fn lookup(name: &str) -> Result<String, VarError> {
    match name {
        "KEY" => Ok("${OTHER} $$".to_owned()),
        "_E2" => Ok(String::new()),
        "BYTES" => Err(VarError::NotUnicode("x".into())),
        _ => Err(VarError::NotPresent),
    }
}

fn fill(syntax: Syntax, text: &str) -> Result<String, VariableProblem> {
    let input = |input: &Input| (input.id == "answered").then(|| "yes".to_owned());
    let file = |path: &Path| match path.to_str() {
        Some("conf/key.txt" | "/h/key.txt") => Ok("from file\n".to_owned()),
        _ => Err(std::io::ErrorKind::NotFound.into()),
    };
    let values = Values {
        env: Some(&lookup),
        input: Some(&input),
        file: Some(&file),
        home: Some("/h".into()),
        workspace: Some("/w/name".into()),
    };
    let inputs =
        [Input { id: "defaulted".to_owned(), default: Some("by default".to_owned()), ..Input::default() }];
    Filler { syntax, values: &values, inputs: &inputs, folder: Path::new("conf") }.fill(text)
}

#[track_caller]
fn check(syntax: Syntax, table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(fill(syntax, text).as_deref(), Ok(*expected), "{text}");
    }
}

#[track_caller]
fn check_bad(syntax: Syntax, table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(fill(syntax, text).unwrap_err().to_string(), *expected, "{text}");
    }
}

// Field case 155.
#[test]
fn our_variables_are_filled_in_once() {
    check(
        Syntax::Own,
        &[
            ("", ""),
            ("no variable", "no variable"),
            ("Bearer ${KEY}!", "Bearer ${OTHER} $$!"),
            ("${KEY}${_E2}${KEY}", "${OTHER} $$${OTHER} $$"),
            ("${NONE:-a b}", "a b"),
            ("${_E2:-x}", "x"),
            ("${NONE:-}", ""),
            ("${KEY:-x}", "${OTHER} $$"),
            ("${NONE:-$$a:-b$C}", "$$a:-b$C"),
            ("$KEY $ 5$", "$KEY $ 5$"),
            ("$${KEY}", "${KEY}"),
            ("$$$$", "$$"),
            ("$$${_E2}", "$"),
        ],
    );
}

// Field case 172.
#[test]
fn a_variable_that_cannot_be_filled_in_is_named_and_nothing_else() {
    check_bad(
        Syntax::Own,
        &[
            ("SECRET ${NONE} SECRET", "the variable `NONE` is not set"),
            ("SECRET ${KEY", "`${KEY` has no closing brace"),
            ("${KEY SECRET", "`${KEY` has no closing brace"),
            ("${", "`${` has no closing brace"),
            ("${BYTES:-x}", "the value of the variable `BYTES` is not Unicode"),
            ("${NONE:-${KEY}}", "the default of the variable `NONE` holds a variable itself"),
        ],
    );
    for text in ["${}", "${:-x}", "${sk-SECRET}", "${9A}", "${env:KEY}", "${ KEY}", "${KEY-x}"] {
        check_bad(Syntax::Own, &[(text, "what stands between `${` and `}` is not the name of a variable")]);
    }
}

#[test]
fn two_dollars_are_two_for_claude_code() {
    check(Syntax::Braces, &[("$$", "$$"), ("$KEY", "$KEY"), ("$${_E2}", "$"), ("${NONE:-d}", "d")]);
    check_bad(Syntax::Braces, &[("${NONE}", "the variable `NONE` is not set")]);
}

#[test]
fn gemini_knows_names_without_braces() {
    check(
        Syntax::Bare,
        &[("$KEY/x", "${OTHER} $$/x"), ("$5 $", "$5 $"), ("${NONE:-d}", "d"), ("a$_E2-b", "a-b")],
    );
    check_bad(Syntax::Bare, &[("$NONE", "the variable `NONE` is not set")]);
}

#[test]
fn prefixed_forms_are_filled_in_and_other_braces_are_text() {
    check(
        Syntax::Prefixed,
        &[
            ("${env:KEY}", "${OTHER} $$"),
            ("${userHome}/x", "/h/x"),
            ("${workspaceFolder}/${workspaceFolderBasename}", "/w/name/name"),
            ("${input:answered} ${input:defaulted}", "yes by default"),
            ("${file:key.txt}", "from file"),
            ("echo ${KEY} $KEY $$ ${", "echo ${KEY} $KEY $$ ${"),
        ],
    );
    check_bad(
        Syntax::Prefixed,
        &[
            ("${env:NONE}", "the variable `NONE` is not set"),
            ("${env:}", "what stands between `${` and `}` is not the name of a variable"),
            ("${input:token}", "the input `token` has no value"),
            ("${command:run.me}", "`${command:...}` is not supported here"),
        ],
    );
}

#[test]
fn opencode_has_curly_forms() {
    check(
        Syntax::Curly,
        &[
            ("Bearer {env:_E2}!", "Bearer !"),
            ("{file:key.txt} {file:~/key.txt}", "from file from file"),
            ("{} {\"a\":1} ${KEY} {env:", "{} {\"a\":1} ${KEY} {env:"),
        ],
    );
    let missing = "the file that the value is to come from cannot be read: entity not found";
    check_bad(Syntax::Curly, &[("{env:NONE}", "the variable `NONE` is not set"), ("{file:x}", missing)]);
}

#[test]
fn where_there_are_no_variables_all_is_text() {
    check(Syntax::Literal, &[("${KEY} $KEY {env:KEY}", "${KEY} $KEY {env:KEY}")]);
}

#[test]
fn a_variable_named_as_a_whole_must_not_be_empty() {
    let values = Values::of_env(&lookup);
    assert_eq!(named("_E2", &values).unwrap_err().to_string(), "the variable `_E2` is empty");
    assert_eq!(named("KEY", &values).unwrap(), "${OTHER} $$");
}
