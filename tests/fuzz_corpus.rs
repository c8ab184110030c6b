//! The committed corpus of the fuzz targets (fuzz/corpus), through the same functions that they call: what was found
//! once stays found, without a fuzzer.
#![cfg(all(feature = "bincode", not(credit_channel_loom)))]

// What is public there is so for the targets.
#[allow(unreachable_pub, dead_code)]
#[path = "../fuzz/src/lib.rs"]
mod fuzz;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::{fs, path::Path};

/// Runs the target over every file of its corpus, and says which one was too much for it.
fn run(target: &str, body: fn(&[u8]), at_least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the corpus is committed").map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(files.len() >= at_least, "{} files", files.len());
    for file in files {
        let input = fs::read(&file).expect("readable");
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(&input))) {
            eprintln!("it was {}", file.display());
            resume_unwind(panic);
        }
    }
}

#[test]
fn decoder_corpus() {
    run("decoder", fuzz::decoder, 40);
}

#[test]
fn session_corpus() {
    run("session", fuzz::session, 100);
}

#[test]
fn typed_corpus() {
    run("typed", fuzz::typed, 60);
}
