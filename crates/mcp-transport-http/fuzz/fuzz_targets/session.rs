//! Fuzzes `mcp_transport_http::fuzzing::session`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_transport_http::fuzzing::session(data));
