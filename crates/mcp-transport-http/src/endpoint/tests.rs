//! What URLs and references come to.

use proptest::prelude::{any, prop_assert, proptest};

use super::*;

#[track_caller]
fn parsed(url: &str) -> Endpoint {
    Endpoint::parse(url).unwrap()
}

/// Scheme, host, port and target.
#[track_caller]
fn check(url: &str, expected: (Scheme, &str, u16, &str)) {
    let endpoint = parsed(url);
    let origin = endpoint.origin();
    assert_eq!((origin.scheme(), origin.host(), origin.port(), endpoint.path_and_query()), expected);
    assert_eq!(endpoint.uri().to_string(), expected.3);
}

#[track_caller]
fn fails(url: &str, expected: EndpointError) {
    assert_eq!(Endpoint::parse(url).unwrap_err(), expected, "{url:?}");
}

#[test]
fn a_url_is_taken_apart() {
    check("http://a.test", (Scheme::Http, "a.test", 80, "/"));
    check("https://a.test/mcp", (Scheme::Https, "a.test", 443, "/mcp"));
    check("http://[::1]:8080/mcp", (Scheme::Http, "::1", 8080, "/mcp"));
    check("http://localhost:1/mcp?key=SECRET-1", (Scheme::Http, "localhost", 1, "/mcp?key=SECRET-1"));
    check(" \thttp://a.test/mcp \n", (Scheme::Http, "a.test", 80, "/mcp"));
    check("HTTPS://A.Test:8443/Mcp", (Scheme::Https, "a.test", 8443, "/Mcp"));
    check("http://a.test?x=1", (Scheme::Http, "a.test", 80, "/?x=1"));
    check("http://a.test/m#part?no=1", (Scheme::Http, "a.test", 80, "/m"));
    check("http://a.test:/", (Scheme::Http, "a.test", 80, "/"));
    check("http://my_host.test:65535/", (Scheme::Http, "my_host.test", 65535, "/"));
}

#[test]
fn a_query_stays_byte_for_byte() {
    for query in ["a=%zz&b=100%", "a[]=1|2", "u=http://b.test/?x", "", "a=\\", "j={1}"] {
        assert_eq!(parsed(&format!("http://a.test/m?{query}")).path_and_query(), format!("/m?{query}"));
    }
}

#[test]
fn what_is_no_url_of_a_server_is_told_apart() {
    fails("", EndpointError::NotAUrl);
    fails("   ", EndpointError::NotAUrl);
    fails("a.test/mcp", EndpointError::NotAUrl);
    fails("http:/a.test", EndpointError::NotAUrl);
    fails("user:pass@a.test", EndpointError::NotAUrl);
    fails("ftp://a.test/", EndpointError::Scheme("ftp".into()));
    fails("http://", EndpointError::NoHost);
    fails("http:///mcp", EndpointError::NoHost);
    fails("http://user:pass@/", EndpointError::NoHost);
    fails("http://:80/", EndpointError::NoHost);
    fails("http://a.test:0/", EndpointError::Port);
    fails("http://a.test:65536/", EndpointError::Port);
    fails("http://a.test:+80/", EndpointError::Port);
    fails("http://a.test:8o/", EndpointError::Port);
    fails("http://[::1]x/", EndpointError::Port);
    fails("http://user:pass#1@a.test/", EndpointError::Port);
    fails("http://[::1/", EndpointError::Host);
    fails("http://[a.test]/", EndpointError::Host);
    fails("http://a%20b/", EndpointError::Host);
    fails("http://a.test\\mcp", EndpointError::Host);
    fails("http://a.test/a\\b", EndpointError::Character);
    fails("http://a.test/a b", EndpointError::Character);
    fails("http://a.test/a\tb", EndpointError::Character);
    fails("http://a.test/a\r\nX: y", EndpointError::Character);
    fails("http://a.test/\u{7f}", EndpointError::Character);
    fails("http://a.test/%zz", EndpointError::Character);
    fails("http://a.test/?a=\"b\"", EndpointError::Character);
    fails("http://p@ss@a.test/", EndpointError::Character);
    fails("http://bücher.test/", EndpointError::NotAscii);
    fails(&format!("http://a.test/{}", "a".repeat(MAX_URL)), EndpointError::TooLong);
}

#[test]
fn the_host_header_leaves_out_the_default_port() {
    let check = |url, expected| assert_eq!(parsed(url).host_header(), expected);
    check("http://a.test:80/", "a.test");
    check("https://a.test:443/", "a.test");
    check("https://a.test:80/", "a.test:80");
    check("http://[0:0::1]/", "[::1]");
    check("http://[::1]:8080/", "[::1]:8080");
    check("http://user:pass@a.test/", "a.test");
}

#[test]
fn the_absolute_uri_has_no_user_info() {
    let check = |url, expected| assert_eq!(parsed(url).absolute_uri().to_string(), expected);
    check("HTTP://user:pass@A.test:80/m?k=1", "http://a.test/m?k=1");
    check("https://[::1]:8443", "https://[::1]:8443/");
}

#[test]
fn user_info_becomes_basic_authorization() {
    let check = |url, expected: Option<&str>| {
        let value = parsed(url).authorization();
        assert_eq!(value.as_ref().map(|value| value.to_str().unwrap()), expected);
        assert!(value.is_none_or(|value| value.is_sensitive()));
    };
    check("http://a.test/", None);
    check("http://@a.test/", None);
    check("http://user:p%40ss@h/", Some("Basic dXNlcjpwQHNz"));
    check("http://user@h/", Some("Basic dXNlcjo="));
    check("http://:token@h/", Some("Basic OnRva2Vu"));
}

#[test]
fn people_see_no_secret() {
    let check = |url, expected| {
        assert_eq!(parsed(url).to_string(), expected);
        assert_eq!(format!("{:?}", parsed(url)), expected);
    };
    check("https://a.test/mcp?key=SECRET", "https://a.test/mcp?key=***");
    check("https://a.test/mcp?SECRET", "https://a.test/mcp?***");
    check("https://a.test/mcp?a=1&SECRET&b=x=y&", "https://a.test/mcp?a=***&***&b=***&");
    check("https://me:SECRET@a.test:8443/", "https://a.test:8443/");
    check("http://a.test/?", "http://a.test/?");
}

#[test]
fn secrets_are_given_as_written_and_decoded() {
    let secrets = parsed("http://me:p%40ss@a.test/m?key=a%20b+c&flag").secrets();
    assert_eq!(
        secrets,
        ["bWU6cEBzcw==", "a%20b+c", "p%40ss", "a b c", "a b+c", "flag", "p@ss", "me"].map(String::from)
    );
    assert!(parsed("http://a.test/m?").secrets().is_empty());
}

#[test]
fn references_are_resolved_against_the_url() {
    let base = parsed("http://a.test/gw/sse?k=1");
    let check = |reference, expected: &str| {
        assert_eq!(base.resolve(reference).unwrap().absolute_uri().to_string(), expected, "{reference}");
    };
    check("/messages?s=1", "http://a.test/messages?s=1");
    check("messages?s=1", "http://a.test/gw/messages?s=1");
    check("?s=1", "http://a.test/gw/sse?s=1");
    check("?", "http://a.test/gw/sse?");
    check("", "http://a.test/gw/sse?k=1");
    check("#part", "http://a.test/gw/sse?k=1");
    check("http://a.test/m", "http://a.test/m");
    check("//a.test/m", "http://a.test/m");
    check("//b.test:81/m", "http://b.test:81/m");
    check("../x", "http://a.test/x");
    check("../../../x", "http://a.test/x");
    check("./", "http://a.test/gw/");
    check("  /m?a[]=1|2 \n", "http://a.test/m?a[]=1|2");
    check("https://a.test", "https://a.test/");
}

#[test]
fn a_bad_reference_is_an_error() {
    let base = parsed("http://a.test/gw/sse?k=1");
    let check =
        |reference, expected| assert_eq!(base.resolve(reference).unwrap_err(), expected, "{reference}");
    check("ftp://a.test/", EndpointError::Scheme("ftp".into()));
    check("javascript:alert(1)", EndpointError::NotAUrl);
    check("http:m", EndpointError::NotAUrl);
    check("/a b", EndpointError::Character);
    check("\\\\b.test\\m", EndpointError::Character);
    check("//", EndpointError::NoHost);
    check("/ü", EndpointError::NotAscii);
}

#[test]
fn user_info_stays_with_its_origin() {
    let base = parsed("http://user:pass@a.test/sse");
    let check = |reference, stays| {
        assert_eq!(base.resolve(reference).unwrap().authorization().is_some(), stays, "{reference}");
    };
    check("/m", true);
    check("http://A.test:80/m", true);
    check("http://other:info@a.test/m", true);
    check("http://a.test:81/m", false);
    check("https://a.test/m", false);
    check("//b.test/m", false);
    let same = base.resolve("http://other:info@a.test/m").unwrap();
    assert_eq!(same.authorization(), base.authorization());
}

#[test]
fn an_origin_is_scheme_host_and_port() {
    let same = |a, b| parsed(a).is_same_origin(&parsed(b));
    assert!(same("http://a.test/x", "HTTP://A.TEST:80/y?z"));
    assert!(same("https://[::1]/", "https://[0:0:0:0:0:0:0:1]:443/"));
    assert!(!same("http://a.test/", "https://a.test/"));
    assert!(!same("http://a.test/", "http://a.test:81/"));
    assert!(!same("http://a.test/", "http://b.test/"));
}

#[test]
fn loopback_is_known_by_name_and_address() {
    let loopback = |host: &str| parsed(&format!("http://{host}/")).origin().is_loopback();
    for host in
        ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]"]
    {
        assert!(loopback(host), "{host}");
    }
    for host in ["notlocalhost", "localhost.a.test", "128.0.0.1", "[::2]", "a.test"] {
        assert!(!loopback(host), "{host}");
    }
}

#[cfg(unix)]
#[test]
fn a_socket_is_named_by_its_encoded_path() {
    let endpoint = parsed("http+unix://%2Frun%2Fmy%20mcp.sock/mcp?k=SECRET");
    assert_eq!(endpoint.origin().scheme(), Scheme::Unix);
    assert_eq!(endpoint.origin().socket().unwrap().to_str(), Some("/run/my mcp.sock"));
    assert_eq!(endpoint.origin().to_string(), "/run/my mcp.sock");
    assert_eq!(endpoint.path_and_query(), "/mcp?k=SECRET");
    assert_eq!(endpoint.host_header(), "localhost");
    assert_eq!(endpoint.absolute_uri().to_string(), "http://localhost/mcp?k=SECRET");
    assert_eq!(endpoint.to_string(), "http+unix://%2Frun%2Fmy%20mcp.sock/mcp?k=***");
    let resolved = endpoint.resolve("/messages?s=1").unwrap();
    assert!(resolved.is_same_origin(&endpoint));
    assert!(!resolved.is_same_origin(&parsed("http+unix://%2Frun%2Fother.sock/")));
    assert_eq!(resolved.path_and_query(), "/messages?s=1");
    for url in ["http+unix://", "http+unix:///run/a.sock", "http+unix://a.sock/", "http+unix://%2Fa%00/"] {
        fails(url, EndpointError::Socket);
    }
}

#[cfg(not(unix))]
#[test]
fn there_are_no_sockets_here() {
    fails("http+unix://%2Frun%2Fa.sock/", EndpointError::NoSockets);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), reference in "[ -~]{0,40}") {
        for url in [text.clone(), format!("http://{text}"), format!("http+unix://%2F{reference}")] {
            if let Ok(endpoint) = Endpoint::parse(&url) {
                let _ = (endpoint.resolve(&text), endpoint.resolve(&reference), endpoint.secrets());
            }
        }
        let _ = parsed("http://a.test/b/c?d").resolve(&reference);
    }

    #[test]
    fn no_secret_is_ever_shown(
        user in "SECRET[a-z0-9%:._~-]{0,8}",
        query in "[a-z]{0,3}=SECRET[!-~&&[^#\"<>&]]{0,8}(&SECRET[a-z]{0,3})?",
        port in any::<u16>(),
        path in "(/[!-~&&[^#?]]{0,6})?",
    ) {
        let shown = match Endpoint::parse(&format!("http://{user}@a.test:{port}{path}?{query}")) {
            Ok(endpoint) => format!("{endpoint} {endpoint:?} {:?}", endpoint.authorization()),
            Err(error) => format!("{error} {error:?}"),
        };
        prop_assert!(!shown.contains("SECRET"), "{}", shown);
    }
}
