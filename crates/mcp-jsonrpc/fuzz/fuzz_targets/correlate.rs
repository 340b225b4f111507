//! Fuzzes `mcp_jsonrpc::fuzzing::correlate`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_jsonrpc::fuzzing::correlate(data));
