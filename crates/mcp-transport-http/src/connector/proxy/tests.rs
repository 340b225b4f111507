//! Which server is reached through which proxy.

use super::*;
use crate::endpoint::Endpoint;

#[track_caller]
fn origin(url: &str) -> Origin {
    Endpoint::parse(url).unwrap().origin().clone()
}

fn environment(variables: &[(&'static str, &'static str)]) -> Environment {
    let variables = variables.to_vec();
    Environment::read(move |wanted| {
        variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned())
    })
}

/// The proxy as it prints, `-` for none.
#[track_caller]
fn check(variables: &[(&'static str, &'static str)], cases: &[(&str, &str)]) {
    let environment = environment(variables);
    for (url, expected) in cases {
        let found = match environment.choose(&origin(url)) {
            Ok(None) => "-".to_owned(),
            Ok(Some(proxy)) => format!("{proxy:?}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, *expected, "{url} with {variables:?}");
    }
}

#[test]
fn without_variables_all_connections_are_direct() {
    check(&[], &[("http://a.test/", "-"), ("https://a.test/", "-")]);
    check(&[("HTTP_PROXY", ""), ("ALL_PROXY", "")], &[("http://a.test/", "-")]);
}

#[test]
fn each_scheme_has_its_variable_and_all_is_for_the_rest() {
    let both = [("HTTP_PROXY", "http://p.test:3128"), ("https_proxy", "q.test:8080")];
    check(&both, &[("http://a.test/", "http://p.test:3128"), ("https://a.test/", "http://q.test:8080")]);
    let all = [("all_proxy", "socks5h://s.test"), ("HTTPS_PROXY", "HTTP://q.test")];
    check(&all, &[("http://a.test/", "socks5://s.test:1080"), ("https://a.test/", "http://q.test:80")]);
    check(&[("HTTP_PROXY", "http://p.test")], &[("https://a.test/", "-")]);
}

#[test]
fn the_name_in_upper_case_counts_first() {
    let both = [("http_proxy", "http://low.test:1"), ("HTTP_PROXY", "http://up.test:1")];
    check(&both, &[("http://a.test/", "http://up.test:1")]);
}

#[test]
fn servers_on_this_machine_need_no_proxy() {
    let all = [("ALL_PROXY", "http://p.test:1")];
    for host in ["localhost", "a.localhost", "127.0.0.1", "127.1.2.3", "[::1]", "LOCALHOST:8080"] {
        check(&all, &[(&format!("http://{host}/"), "-"), (&format!("https://{host}/"), "-")]);
    }
}

#[test]
fn exceptions_are_names_domains_addresses_and_networks() {
    let variables = [
        ("ALL_PROXY", "http://p.test:1"),
        ("NO_PROXY", "localhost,127.0.0.1,::1, .a.test ,b.test,10.0.0.0/8,fd00::1"),
    ];
    let proxied = "http://p.test:1";
    check(
        &variables,
        &[
            ("http://localhost/", "-"),
            ("http://[::1]/", "-"),
            ("http://a.test/", "-"),
            ("http://x.a.test/", "-"),
            ("http://xa.test/", proxied),
            ("http://b.test:8080/", "-"),
            ("https://x.b.test/", "-"),
            ("http://xb.test/", proxied),
            ("http://10.1.2.3/", "-"),
            ("http://11.1.2.3/", proxied),
            ("http://[fd00::1]:8080/", "-"),
            ("http://[fd00::2]/", proxied),
        ],
    );
}

#[test]
fn a_star_excepts_names_and_addresses_alike() {
    let variables = [("ALL_PROXY", "http://p.test:1"), ("NO_PROXY", "b.test, *")];
    check(&variables, &[("http://a.test/", "-"), ("http://10.1.2.3/", "-"), ("https://[fd00::2]/", "-")]);
}

#[test]
fn a_proxy_that_cannot_be_used_is_not_passed_by() {
    let scheme = [("HTTPS_PROXY", "https://me:SECRET@p.test"), ("NO_PROXY", "b.test")];
    check(
        &scheme,
        &[
            ("https://a.test/", "the proxy in `HTTPS_PROXY` is of the kind `https`, which is not supported"),
            ("https://b.test/", "-"),
            ("https://localhost/", "-"),
            ("http://a.test/", "-"),
        ],
    );
    let garbage = [("ALL_PROXY", "http://me:SECRET@")];
    check(&garbage, &[("http://a.test/", "`ALL_PROXY` does not hold the URL of a proxy")]);
}

#[test]
fn a_cgi_program_takes_no_proxy_from_its_environment() {
    let variables = [("HTTP_PROXY", "http://p.test:1"), ("REQUEST_METHOD", "GET")];
    check(&variables, &[("http://a.test/", "-")]);
}

#[test]
fn the_url_of_a_proxy_is_taken_apart() {
    let proxy = Proxy::parse(" http://me:p%40ss@[::1]:3128/ignored ").unwrap();
    assert_eq!(format!("{proxy:?}"), "http://[::1]:3128");
    let Way::Http { authorization: Some(value) } = &proxy.way else { panic!("no authorization") };
    assert_eq!(value, "Basic bWU6cEBzcw==");
    assert!(value.is_sensitive());

    let proxy = Proxy::parse("socks5://me:p%40ss@s.test").unwrap();
    let Way::Socks { login: Some(login) } = &proxy.way else { panic!("no login") };
    assert_eq!((login.0.as_str(), login.1.as_str()), ("me", "p@ss"));
}

#[test]
fn what_is_no_proxy_is_told_apart() {
    let check = |url, expected| assert_eq!(Proxy::parse(url).unwrap_err(), expected, "{url}");
    check("", BadProxy::Url);
    check("http://", BadProxy::Url);
    check("://p.test", BadProxy::Url);
    check("http://p.test:99999", BadProxy::Url);
    check("http://p test", BadProxy::Url);
    check("https://p.test", BadProxy::Scheme("https".into()));
    check("socks4://p.test", BadProxy::Scheme("socks4".into()));
    check("SECRET=x://p.test", BadProxy::Url);
}
