#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| credit_channel_fuzz::decoder(data));
