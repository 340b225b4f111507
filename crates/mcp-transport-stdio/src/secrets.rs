//! What in a configuration is secret.

use std::collections::BTreeMap;

use mcp_jsonrpc::Mask;

/// Masks what a configuration calls secret: all configured environment values, and arguments
/// whose name says so (`--token X`, `--api-key=X`).
pub(crate) fn mask(env: &BTreeMap<String, Option<String>>, args: &[String]) -> Mask {
    let mut secrets: Vec<_> = env.values().flatten().cloned().collect();
    for (at, arg) in args.iter().enumerate() {
        match arg.split_once('=') {
            Some((name, value)) if names_a_secret(name) => secrets.push(value.to_owned()),
            None if arg.starts_with('-') && names_a_secret(arg) => {
                secrets.extend(args.get(at + 1).cloned());
            }
            _ => {}
        }
    }
    Mask::new(secrets)
}

fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "secret", "password", "passwd", "key", "auth", "credential", "bearer"]
        .iter()
        .any(|word| name.contains(word))
}

/// An argument as a configuration shows it: the names of options stay, all values are masked.
pub(crate) fn shown(arg: &str) -> String {
    match arg.split_once('=') {
        Some((name, _)) if name.starts_with('-') => format!("{name}=***"),
        None if arg.starts_with('-') => arg.to_owned(),
        _ => "***".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_values_and_secret_arguments_are_masked() {
        let env = BTreeMap::from([
            ("A".to_owned(), Some("SECRET-1".to_owned())),
            ("C".to_owned(), Some("1".to_owned())),
            ("D".to_owned(), None),
        ]);
        let args =
            ["--token", "tok-123456", "--api-key=key-123456", "--root", "/srv/data"].map(str::to_owned);
        let text = "1 SECRET-1 tok-123456 key-123456 /srv/data";
        assert_eq!(mask(&env, &args).apply(text), "1 *** *** *** /srv/data");
    }

    #[test]
    fn shown_arguments_hold_no_value() {
        assert_eq!(["-y", "--key=x", "/srv", "a=b"].map(shown), ["-y", "--key=***", "***", "***"]);
    }
}
