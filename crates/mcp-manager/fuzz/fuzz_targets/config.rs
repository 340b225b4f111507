//! Fuzzes `mcp_manager::config::fuzzing::config`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mcp_manager::config::fuzzing::config(data));
