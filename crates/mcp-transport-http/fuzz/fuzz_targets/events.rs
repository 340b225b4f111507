//! Fuzzes `mcp_transport_http::fuzzing::events`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_transport_http::fuzzing::events(data));
