//! Every command against the built-in server, in each era, whichever way that was found out, over stdio and
//! HTTP.

use std::collections::BTreeMap;

use crate::http_peer::Peer;
use crate::run::{PROGRAM, Ran, run};

const DECLINED: &str = "The client answered elicitation/create with {\"action\":\"decline\"}\n";
const REJECTED: &str = "The client refused sampling/createMessage with {\"code\":-1,\"message\":\"User rejected \
                        sampling request\"}\n";
const UNASKED: &str =
    "error: SRV: the server asks back before it answers `tools/call`\n    there is no answer to ";
const NO_ROOTS: &str = "error: SRV: MCP error -32021: The client does not answer roots/list\n    data: \
                        {\"requiredCapabilities\":{\"roots\":{}}}\n    hint: --root DIR names a folder that it \
                        may work on\n";
const FAILED: &str = "SRV: warning: [demo-server] about to fail, as asked\nerror: SRV: tool `fail` answered with \
                      an error\n";

/// A command, and what comes of it: exit status, stdout, and how stderr begins. A text that ends with `…` is
/// only the beginning.
struct Row {
    args: &'static [&'static str],
    legacy: (i32, &'static str, &'static str),
    modern: (i32, &'static str, &'static str),
}

/// The same in both eras.
const fn same(args: &'static [&'static str], status: i32, stdout: &'static str, stderr: &'static str) -> Row {
    Row { args, legacy: (status, stdout, stderr), modern: (status, stdout, stderr) }
}

/// Done in both eras.
const fn done(args: &'static [&'static str], stdout: &'static str) -> Row {
    same(args, 0, stdout, "")
}

const TOOLS: &[Row] = &[
    done(&["call", "SRV", "echo", "text=x"], "x\n"),
    done(&["call", "SRV", "add", "a=1", "b=2"], "3\nstructured content:\n{\n  \"sum\": 3\n}\n"),
    done(&["call", "SRV", "sleep", "ms=1"], "Slept 1 ms in 4 steps.\n"),
    done(&["call", "SRV", "big", "bytes=3"], "xxx\n"),
    same(&["call", "SRV", "fail"], 1, "This tool always fails.\n", FAILED),
    same(&["call", "SRV", "nope"], 5, "", "error: SRV: MCP error -32602: Unknown tool: nope\n"),
    done(&["call", "SRV", "interview"], "The user did not say the name.\n"),
    done(&["call", "SRV", "later"], "Now it is done.\n"),
    done(&["call", "SRV", "grow"], "Added the tool grown_…"),
    done(&["call", "SRV", "count"], "1\nstructured content:\n{\n  \"counter\": 1\n}\n"),
    done(&["call", "SRV", "hang_up"], "Ended …"),
    done(&["call", "SRV", "media"], "A text.\n[image image/png, 70 bytes]\n…"),
    done(
        &["call", "SRV", "route", "region=eu", "priority=3"],
        "Routed by {\"region\":\"eu\",\"priority\":3}\n",
    ),
    done(&["call", "SRV", "ask", "method=elicitation/create"], DECLINED),
    Row {
        args: &["call", "SRV", "ask", "method=sampling/createMessage"],
        legacy: (0, REJECTED, ""),
        modern: (3, "", UNASKED),
    },
    Row {
        args: &["call", "SRV", "ask"],
        legacy: (0, "The client refused roots/list with {\"code\":-32601,…", ""),
        modern: (5, "", NO_ROOTS),
    },
    Row {
        args: &["call", "SRV", "survey"],
        legacy: (0, "The client answered elicitation/create with …", ""),
        modern: (3, "", UNASKED),
    },
];

const OTHERS: &[Row] = &[
    done(&["resources", "SRV"], "SRV: 4 resources (Demo server …"),
    done(&["templates", "SRV"], "SRV: 2 templates (Demo server …"),
    done(&["prompts", "SRV"], "SRV: 4 prompts (Demo server …"),
    done(&["read", "SRV", "demo://number/12"], "12 squared is 144.\n"),
    Row {
        args: &["read", "SRV", "demo://nope"],
        legacy: (5, "", "error: SRV: MCP error -32002: Resource not found: demo://nope\n"),
        modern: (5, "", "error: SRV: MCP error -32602: Resource not found: demo://nope\n"),
    },
    done(&["prompt", "SRV", "greet", "who=A"], "user:\nGreet A in a friendly tone.\n"),
    done(&["prompt", "SRV", "introduce"], "user:\nMy name is nobody.\nassistant:\nHello, nobody!\n"),
    same(&["prompt", "SRV", "greet"], 5, "", "error: SRV: MCP error -32602: Missing argument: who\n"),
    done(&["complete", "SRV", "prompt", "review", "language=p"], "python\n"),
    done(&["ping", "SRV"], "SRV answered in …"),
    Row {
        args: &["request", "SRV", "ping"],
        legacy: (0, "{}\n", ""),
        modern: (5, "", "error: SRV: MCP error -32601: Method not found: ping\n"),
    },
    done(&["request", "SRV", "tools/list"], "{\n…"),
    same(&["request", "SRV", "x/y"], 5, "", "error: SRV: MCP error -32601: Method not found: x/y\n"),
    done(&["doctor", "SRV"], "SRV: ok\n…"),
];

/// A server of one era, as it is reached.
struct Reached {
    era: &'static str,
    protocol: &'static str,
    /// The server over HTTP, if it is one.
    peer: Option<Peer>,
}

impl Reached {
    /// Over both transports.
    fn both(era: &'static str, protocol: &'static str) -> [Self; 2] {
        [None, Some(Peer::of(era))].map(|peer| Self { era, protocol, peer })
    }

    /// What stands for the server on a line, and what messages call it.
    fn names(&self) -> (String, String) {
        match &self.peer {
            Some(peer) => {
                let url = format!("http://{}/mcp", peer.address);
                (url.clone(), url)
            }
            None => ("-".to_owned(), "mcp-cli".to_owned()),
        }
    }

    fn run(&self, args: &[&str]) -> Ran {
        let (server, _) = self.names();
        let mut line = vec!["--protocol", self.protocol];
        line.extend(args.iter().map(|arg| if *arg == "SRV" { server.as_str() } else { arg }));
        if self.peer.is_none() {
            line.extend(["--", PROGRAM, "demo-server", "--era", self.era]);
        }
        run(&line)
    }

    #[track_caller]
    fn check(&self, rows: &[Row], is_modern: bool) {
        let (_, name) = self.names();
        for row in rows {
            let (status, stdout, stderr) = if is_modern { row.modern } else { row.legacy };
            let ran = self.run(row.args);
            let fits = begins(&ran.stdout, stdout, &name)
                && ran.stderr.starts_with(&stderr.replace("SRV", &name))
                && ran.stderr.is_empty() == stderr.is_empty();
            assert!(
                ran.status == Some(status) && fits,
                "{:?} {} {}: {ran:?}",
                row.args,
                self.era,
                self.protocol
            );
        }
    }
}

/// Whether this is the text, or begins with it up to the `…`.
fn begins(found: &str, expected: &str, name: &str) -> bool {
    let expected = expected.replace("SRV", name);
    match expected.strip_suffix('…') {
        Some(beginning) => found.starts_with(beginning),
        None => found == expected,
    }
}

#[test]
fn each_tool_is_called_in_the_modern_era() {
    for reached in Reached::both("modern", "auto") {
        reached.check(TOOLS, true);
    }
}

#[test]
fn each_tool_is_called_in_the_modern_era_of_a_server_of_both() {
    for reached in Reached::both("both", "2026-07-28") {
        reached.check(TOOLS, true);
    }
}

#[test]
fn each_tool_is_called_in_the_legacy_era_of_a_server_of_both() {
    for reached in Reached::both("both", "auto") {
        reached.check(TOOLS, false);
    }
}

#[test]
fn each_other_command_works_in_the_modern_era() {
    for (era, protocol) in [("modern", "2026-07-28"), ("both", "discover")] {
        for reached in Reached::both(era, protocol) {
            reached.check(OTHERS, true);
        }
    }
}

#[test]
fn each_other_command_works_in_the_legacy_era() {
    for (era, protocol) in [("legacy", "discover"), ("both", "2025-11-25")] {
        for reached in Reached::both(era, protocol) {
            reached.check(OTHERS, false);
        }
    }
}

#[test]
fn the_revision_that_was_found_out_is_told() {
    for (era, protocol, spoken) in [
        ("modern", "auto", "2026-07-28"),
        ("modern", "discover", "2026-07-28"),
        ("modern", "2026-07-28", "2026-07-28"),
        ("both", "auto", "2025-11-25"),
        ("both", "discover", "2026-07-28"),
        ("both", "2025-03-26", "2025-03-26"),
        ("legacy", "auto", "2025-11-25"),
        ("legacy", "discover", "2025-11-25"),
    ] {
        for reached in Reached::both(era, protocol) {
            let ran = reached.run(&["tools", "SRV"]);
            let head = format!(": 15 tools (Demo server 0.1.0, protocol {spoken})\n");
            assert!(ran.check_status(0).stdout.contains(&head), "{era} {protocol}: {ran:?}");
        }
    }
}

#[test]
fn an_argument_that_no_header_can_hold_is_a_mistake_of_use() {
    let [over_stdio, over_http] = Reached::both("modern", "2026-07-28");
    let args = ["call", "SRV", "route", "region=eu", "priority:=9007199254740993"];
    let ran = over_http.run(&args);
    assert!(ran.check_status(2).stderr.contains("`Mcp-Param-Priority`"), "{ran:?}");
    let stdout = "Routed by {\"region\":\"eu\",\"priority\":9007199254740993}\n";
    over_stdio.run(&args).check(0, stdout, "");
}

#[test]
fn a_server_of_the_other_era_is_refused_with_the_way_out() {
    for (era, protocol, status, hint) in [
        ("modern", "2025-11-25", 3, "    hint: --protocol 2026-07-28 offers what it supports\n"),
        ("legacy", "2026-07-28", 5, "before 2026-07-28; --protocol auto finds out\n"),
    ] {
        for reached in Reached::both(era, protocol) {
            let ran = reached.run(&["tools", "SRV"]);
            assert!(ran.check_status(status).stderr.ends_with(hint), "{ran:?}");
            let ran = reached.run(&["doctor", "SRV"]);
            assert!(ran.check_status(status).stdout.contains(": fails at protocol\n"), "{ran:?}");
        }
    }
}

#[test]
fn servers_of_both_eras_are_connected_side_by_side() {
    let peer = Peer::of("modern");
    let stdio = |era| serde_json::json!({ "command": PROGRAM, "args": ["demo-server", "--era", era] });
    let servers = serde_json::json!({ "mcpServers": {
        "legacy": stdio("legacy"), "modern": stdio("modern"), "http": { "url": format!("http://{}/mcp", peer.address) }
    } });
    let file = format!("{}/eras.json", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&file, servers.to_string()).unwrap();
    let versions = |protocol: &str| -> BTreeMap<String, Option<String>> {
        let ran = run(&["--config", &file, "--protocol", protocol, "--json", "servers", "--connect"]);
        let text = |server: &serde_json::Value, member: &str| server[member].as_str().map(str::to_owned);
        let document = ran.json();
        let servers = document["servers"].as_array().unwrap();
        servers.iter().map(|it| (text(it, "name").unwrap(), text(it, "protocolVersion"))).collect()
    };
    let expected = |legacy: Option<&str>| {
        let modern = || Some("2026-07-28".to_owned());
        [("http", modern()), ("legacy", legacy.map(str::to_owned)), ("modern", modern())]
            .map(|(name, version)| (name.to_owned(), version))
            .into()
    };
    assert_eq!(versions("auto"), expected(Some("2025-11-25")));
    assert_eq!(versions("discover"), expected(Some("2025-11-25")));
    assert_eq!(versions("2026-07-28"), expected(None));
}
