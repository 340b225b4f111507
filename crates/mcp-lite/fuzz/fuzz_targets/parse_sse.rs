//! Fuzzes `mcp_lite::fuzzing::parse_sse`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_lite::fuzzing::parse_sse(data));
