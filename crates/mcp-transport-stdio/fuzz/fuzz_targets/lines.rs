//! Fuzzes `mcp_transport_stdio::fuzzing::lines`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_transport_stdio::fuzzing::lines(data));
