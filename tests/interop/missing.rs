//! Without Python these tests fail with a sentence, or are skipped for all to see.

use crate::peer::SKIP;
use std::process::{Command, Output};

/// Runs one of these tests once more, on a machine without programs.
fn without_python(skip: bool) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("the test knows where it is"));
    command.args(["--exact", "streaming::to_python_over_tcp"]).env("PATH", "").env_remove(SKIP);
    if skip {
        command.env(SKIP, "1");
    }
    command.output().expect("this test runs")
}

#[test]
fn missing_python_fails_with_a_sentence() {
    let output = without_python(false);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("python3 was not found") && said.contains(SKIP), "{said}");
}

#[test]
fn skipping_is_seen_without_being_asked_for() {
    let output = without_python(true);
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("SKIPPED") && said.contains("to_python_over_tcp"), "{said}");
}
