//! Challenges as servers send them, well and badly formed.

use hyper::header::{HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use proptest::prelude::{any, prop};

use super::{Challenge, challenges, hints};

fn headers(lines: &[&[u8]]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(WWW_AUTHENTICATE, HeaderValue::from_bytes(line).unwrap());
    }
    headers
}

fn read(lines: &[&str]) -> Vec<Challenge> {
    challenges(&headers(&lines.iter().map(|line| line.as_bytes()).collect::<Vec<_>>()))
}

/// `Scheme token68 name=value|name=value`, one challenge a line.
#[track_caller]
fn check(lines: &[&str], expected: &[&str]) {
    let shown: Vec<_> = read(lines)
        .iter()
        .map(|challenge| {
            let params: Vec<_> =
                challenge.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let parts = [&challenge.scheme, challenge.token68.as_deref().unwrap_or(""), &params.join("|")];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(shown, expected, "{lines:?}");
}

#[test]
fn a_bearer_challenge_gives_its_parameters() {
    let line = r#"Bearer resource_metadata="http://a.test/x", scope="s1", error="e", error_description="d""#;
    let [challenge] = &read(&[line])[..] else { panic!("one challenge") };
    assert_eq!(challenge.resource_metadata(), Some("http://a.test/x"));
    assert_eq!(challenge.scope(), Some("s1"));
    assert_eq!(challenge.error(), Some("e"));
    assert_eq!(challenge.error_description(), Some("d"));
    assert_eq!(challenge.param("SCOPE"), Some("s1"));
    assert_eq!(challenge.param("realm"), None);
    assert!(challenge.is("bearer") && !challenge.is("basic"));
}

#[test]
fn several_header_lines_are_one_list() {
    check(
        &[r#"Bearer resource_metadata="http://a.test/x""#, r#"scope="s1""#],
        &["Bearer resource_metadata=http://a.test/x|scope=s1"],
    );
    check(&["Basic realm=a", "Bearer scope=s"], &["Basic realm=a", "Bearer scope=s"]);
}

#[test]
fn several_challenges_in_a_line_are_told_apart() {
    check(
        &[r#"Basic realm="a, b", Bearer error="insufficient_scope", scope="a b""#],
        &["Basic realm=a, b", "Bearer error=insufficient_scope|scope=a b"],
    );
    check(&["Negotiate abc==, Bearer"], &["Negotiate abc==", "Bearer"]);
    check(&["Negotiate, NTLM,Basic realm=x"], &["Negotiate", "NTLM", "Basic realm=x"]);
    check(&["Negotiate a/b+c=  , x=1"], &["Negotiate a/b+c= x=1"]);
}

#[test]
fn quoted_texts_lose_their_quotes_and_escapes() {
    check(&[r#"Bearer realm="say \"hi\"", scope="a\\b""#], &[r#"Bearer realm=say "hi"|scope=a\b"#]);
    check(&[r#"Bearer realm="""#], &["Bearer realm="]);
}

#[test]
fn names_have_no_case_and_the_first_of_two_counts() {
    check(&["bEARER Scope=one, SCOPE=two, x=3"], &["bEARER scope=one|x=3"]);
}

#[test]
fn bad_space_and_empty_elements_do_not_matter() {
    check(&["  Bearer \t realm \t= \t \"a\" ,, ,\tscope=b, "], &["Bearer realm=a|scope=b"]);
    check(&["Bearer,scope=b"], &["Bearer scope=b"]);
}

#[test]
fn small_faults_are_read_as_they_are_meant() {
    check(&[r#"Bearer realm="a" scope="b""#], &["Bearer realm=a|scope=b"]);
    check(
        &["Bearer resource_metadata=https://a.test/x?y=1"],
        &["Bearer resource_metadata=https://a.test/x?y=1"],
    );
}

#[test]
fn what_cannot_be_read_is_passed_over_and_the_rest_counts() {
    check(&[r#"Bearer scope=a, realm="never ends, x=y"#], &["Bearer scope=a"]);
    check(&[r#"Bearer realm="never ends"#, "Basic realm=b"], &["Bearer", "Basic realm=b"]);
    check(&[r#"Bearer realm="ends in an escape\"#], &["Bearer"]);
    check(&[r#"@@ "a, b" ?, Bearer scope=a, ;;, (x), x=, error=b"#], &["Bearer scope=a|error=b"]);
    check(&["Bearer scope=a b, error=c"], &["Bearer scope=a|error=c"]);
    check(&["scope=a, Bear:er, =, \"Basic\""], &[]);
    check(&[""], &[]);
    check(&[], &[]);
}

#[test]
fn bytes_that_are_not_ascii_are_kept_as_far_as_they_are_text() {
    let found = challenges(&headers(&["Bearer realm=\"é\"".as_bytes(), b"Basic realm=\"\xff\""]));
    assert_eq!(found[0].param("realm"), Some("é"));
    assert_eq!(found[1].param("realm"), Some("\u{fffd}"));
}

#[test]
fn challenges_parameters_and_text_are_bounded() {
    let many = (0..20).map(|number| format!("S{number} p={number}")).collect::<Vec<_>>().join(",");
    let found = read(&[&many, "q=1"]);
    assert_eq!(found.len(), 16);
    assert_eq!(found[15].params, [("p".to_owned(), "15".to_owned())]);

    let many = (0..40).map(|number| format!("p{number}=1")).collect::<Vec<_>>().join(",");
    assert_eq!(read(&[&format!("Bearer {many}")])[0].params.len(), 32);

    let long = format!("Bearer a={}", "x".repeat(8 * 1024));
    assert_eq!(read(&[&long, "Basic b=1"]).len(), 1);
}

#[test]
fn hints_name_the_headers_that_are_there() {
    let mut headers = headers(&[b"Bearer scope=\"a\"", b"Basic realm=b"]);
    assert_eq!(hints(&headers), " [WWW-Authenticate: Bearer scope=\"a\", Basic realm=b]");
    headers.insert("Mcp-Auth-Server", HeaderValue::from_static("http://a.test"));
    assert_eq!(
        hints(&headers),
        " [WWW-Authenticate: Bearer scope=\"a\", Basic realm=b; Mcp-Auth-Server: http://a.test]"
    );
    headers.remove(WWW_AUTHENTICATE);
    assert_eq!(hints(&headers), " [Mcp-Auth-Server: http://a.test]");
}

#[test]
fn without_the_headers_there_is_no_hint() {
    assert_eq!(hints(&HeaderMap::new()), "");
    assert_eq!(hints(&headers(&[b"", b"  "])), "");
}

#[test]
fn a_hint_is_escaped_and_bounded() {
    assert_eq!(hints(&headers(&["a\té".as_bytes()])), r" [WWW-Authenticate: a\t\xc3\xa9]");
    let long = "x".repeat(700);
    let hint = hints(&headers(&[long.as_bytes(), long.as_bytes()]));
    assert_eq!(hint, format!(" [WWW-Authenticate: {long}, {}…]", "x".repeat(1024 - 702)));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2_000))]
    #[test]
    fn any_lines_are_read_within_the_bounds(
        lines in prop::collection::vec(
            prop::collection::vec(prop::sample::select(b"ab=\",\\ \t/:\xc3\xa9".to_vec()), 0..80),
            0..4,
        ),
        times in 1..200usize,
        noise in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let mut headers = HeaderMap::new();
        for line in lines.iter().map(|line| line.repeat(times)).chain([noise]) {
            if let Ok(value) = HeaderValue::from_bytes(&line) {
                headers.append(WWW_AUTHENTICATE, value);
            }
        }
        let found = challenges(&headers);
        assert!(found.len() <= 16);
        for challenge in &found {
            assert!(challenge.params.len() <= 32 && !challenge.scheme.is_empty());
            for (at, (name, _)) in challenge.params.iter().enumerate() {
                assert_eq!(&name.to_ascii_lowercase(), name);
                assert!(challenge.params[..at].iter().all(|(before, _)| before != name));
            }
        }
        assert!(hints(&headers).replace('…', "").is_ascii());
        assert!(hints(&headers).len() < 5 * 1024);
    }

    #[test]
    fn any_parameters_are_found_again(
        scheme in "[A-Za-z]{1,8}",
        values in prop::collection::vec("[ -~]{0,20}", 1..20),
    ) {
        let quoted = |value: &String| value.replace('\\', r"\\").replace('"', "\\\"");
        let params: Vec<_> =
            values.iter().enumerate().map(|(at, value)| format!("p{at}=\"{}\"", quoted(value))).collect();
        let line = format!("{scheme} {}", params.join(", "));
        let [challenge] = &read(&[&line])[..] else { panic!("one challenge in {line}") };
        let found: Vec<_> = challenge.params.iter().map(|(_, value)| value).collect();
        assert_eq!(found, values.iter().collect::<Vec<_>>());
    }
}
