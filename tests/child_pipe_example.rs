//! child_pipe, from outside: both directions, and every way in which either process may end.

#![cfg(all(unix, not(credit_channel_loom)))]

#[path = "../examples/shared/numbers.rs"]
mod numbers;
#[path = "support/programs.rs"]
mod programs;
#[path = "../examples/shared/tally.rs"]
mod tally;

use programs::{Run, Running, Scratch, end_of, signal, wait_until_begun};
use std::fs;
use std::path::Path;

const DIRECTIONS: [&str; 2] = ["from-child", "to-child"];

fn start(scratch: &Scratch, direction: &str, args: &[&str]) -> Running {
    scratch.start("child_pipe", [&["--direction", direction], args].concat())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// One that is in the middle of it, and slow enough to stay there; with the child's process id.
fn start_slowly(scratch: &Scratch, direction: &str) -> (Running, String) {
    let output = scratch.path(direction);
    let mut parent = start(scratch, direction, &["--work-us", "2000", "--output", text(&output)]);
    let child = parent.line("child       process");
    wait_until_begun(&output);
    (parent, child)
}

impl Run {
    /// The last word of the child, on the stderr that both share.
    fn child_says(&self) -> &str {
        let line = self.stderr.lines().find_map(|line| line.strip_prefix("child_pipe: child: "));
        line.unwrap_or_else(|| panic!("the child says nothing:\n{}\n{}", self.stdout, self.stderr))
    }

    /// The last word of the parent there.
    fn parent_says(&self) -> &str {
        let lines: Vec<_> = self.stderr.lines().filter(|line| !line.starts_with("child_pipe: child: ")).collect();
        assert_eq!(lines.len(), 1, "{}", self.stderr);
        lines[0]
    }
}

#[test]
fn every_row_goes_through_the_pipes_in_capitals() {
    let scratch = Scratch::new();
    let content: String = (0..5000).map(|n| format!("{n},row of Zoë\n")).collect();
    let content = content.trim_end();
    let (input, output) = (scratch.file("rows.txt", content), scratch.path("out"));
    let capitals = content.to_ascii_uppercase();
    for direction in DIRECTIONS {
        for window in ["1", "4", "1000"] {
            let args = ["--window", window, "--input", text(&input), "--output", text(&output)];
            let run = start(&scratch, direction, &args).finish();
            let (what, other, content) = match direction {
                "from-child" => ("committed", "sent", capitals.as_str()),
                _ => ("sent", "committed", content),
            };
            let end = end_of(&content.split_inclusive('\n').map(str::as_bytes).collect::<Vec<_>>());
            assert_eq!((run.code, run.says("outcome")), (Some(0), "complete: every row was committed"));
            assert_eq!(run.says(what), end, "the same at both ends");
            assert_eq!(run.child_says(), format!("complete; {other} {end}"));
            assert!(run.stdout.contains("child       ended with exit status: 0"), "{}", run.stdout);
            assert!(fs::read_to_string(&output).expect("the rows") == capitals, "{direction}");
        }
    }
}

#[test]
fn the_consumer_cancels() {
    let scratch = Scratch::new();
    let run = start(&scratch, "from-child", &["--cancel-after", "10"]).finish();
    assert_eq!((run.code, run.says("outcome")), (Some(0), "cancelled here, on request"));
    assert!(run.says("committed").starts_with("640 rows, "), "{}", run.stdout);
    assert!(run.child_says().starts_with("cancelled by the parent: on request; sent "), "{}", run.stderr);

    let run = start(&scratch, "to-child", &["--cancel-after", "10"]).finish();
    assert_eq!((run.code, run.says("outcome")), (Some(0), "cancelled by the child: on request"));
    assert!(run.child_says().starts_with("cancelled here, on request; committed 640 rows, "), "{}", run.stderr);
}

#[test]
fn the_producer_fails() {
    let scratch = Scratch::new();
    let failure = "the source was made to fail by --fail-at 1000";
    let run = start(&scratch, "from-child", &["--fail-at", "1000"]).finish();
    assert_eq!((run.code, run.says("outcome")), (Some(1), format!("the child failed: {failure}").as_str()));
    assert!(run.says("committed").starts_with("1,000 rows, "), "{}", run.stdout);
    assert!(run.child_says().starts_with(&format!("{failure}; sent 1,000 rows, ")), "{}", run.stderr);

    let run = start(&scratch, "to-child", &["--fail-at", "1000"]).finish();
    assert_eq!((run.code, run.says("outcome")), (Some(1), failure));
    let child = format!("the parent failed: {failure}; committed 1,000 rows, ");
    assert!(run.child_says().starts_with(&child), "{}", run.stderr);
}

#[test]
fn a_killed_child_is_reported() {
    let scratch = Scratch::new();
    for direction in DIRECTIONS {
        let (parent, child) = start_slowly(&scratch, direction);
        signal("-KILL", &child);
        let run = parent.finish();
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert!(run.parent_says().starts_with("child_pipe: the child is gone "), "{}", run.stderr);
        assert!(run.parent_says().contains("; the child ended with signal: 9 (SIGKILL); "), "{}", run.stderr);
    }
}

#[test]
fn a_killed_parent_is_noticed_by_the_child() {
    let scratch = Scratch::new();
    for direction in DIRECTIONS {
        let (mut parent, _child) = start_slowly(&scratch, direction);
        parent.kill();
        // Its pipes are closed only when the child is gone, too.
        let run = parent.finish();
        assert!(run.child_says().starts_with("the parent is gone "), "{}", run.stderr);
    }
}

#[test]
fn ctrl_c_in_a_terminal_reaches_both_and_stops_them_in_good_order() {
    let scratch = Scratch::new();
    for direction in DIRECTIONS {
        let (parent, child) = start_slowly(&scratch, direction);
        signal("-INT", &child);
        parent.press_ctrl_c();
        let run = parent.finish();
        assert_eq!((run.code, run.says("outcome")), (Some(130), "interrupted"));
        let told = run.child_says();
        assert!(told.starts_with("cancelled by the parent: ") || told.starts_with("the parent failed: interrupted; "));
    }
}

#[test]
fn bad_arguments_get_one_line() {
    let scratch = Scratch::new();
    for (args, message) in [
        (&["--window", "0"][..], "'--window <N>': 0 is not in 1.."),
        (&["--direction", "sideways"], "invalid value 'sideways' for '--direction <WHERE>'"),
        (&["--input", "/does/not/exist"], "cannot read \"/does/not/exist\""),
        (&["--output", "/does/not/exist"], "cannot write \"/does/not/exist\""),
    ] {
        let run = scratch.finish(scratch.program("child_pipe").args(args));
        run.assert_failed(2, message);
    }
}
