//! pipeline, from outside: everything arrives, and the source is never further ahead than it may be.

#![cfg(not(credit_channel_loom))]

#[path = "../examples/shared/numbers.rs"]
mod numbers;
#[path = "support/programs.rs"]
mod programs;
#[path = "../examples/shared/tally.rs"]
mod tally;

use programs::Scratch;

#[test]
fn all_lines_arrive_and_the_source_stays_near() {
    let scratch = Scratch::new();
    for hop in ["local", "tcp"] {
        for (keep, workers, slow) in [("10", "4", "0"), ("1", "2", "0"), ("100", "3", "300"), ("100000", "1", "0")] {
            let args = ["--rows", "30000", "--hop", hop, "--keep", keep, "--workers", workers, "--write-us", slow];
            let run = scratch.start("pipeline", args).finish();
            assert_eq!(run.code, Some(0), "{args:?}: {}", run.stderr);
            let kept = 30_000_u64.div_ceil(keep.parse().unwrap());
            let counts = format!(
                "30,000 rows read, {} kept, {} written",
                numbers::grouped(kept),
                numbers::count(2 * kept, "line")
            );
            assert!(run.stdout.contains(&counts), "{args:?}: {}", run.stdout);
            let ahead = run.stdout.split("rows read and not written: at most ").nth(1).expect("it says how far ahead");
            let ahead: u64 = ahead.split(',').next().unwrap().parse().expect("a number");
            assert!((48..=64).contains(&ahead), "{args:?}: {}", run.stdout);
            assert_eq!(run.stdout.contains("\nhop "), hop == "tcp", "{}", run.stdout);
        }
    }
}

#[test]
fn bad_arguments_are_one_line() {
    let scratch = Scratch::new();
    for args in [["--rows", "0"], ["--keep", "0"], ["--workers", "0"], ["--hop", "pigeon"], ["--write-us", "-1"]] {
        let run = scratch.start("pipeline", args).finish();
        assert_eq!(run.code, Some(2), "{args:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(run.stderr.starts_with("pipeline: ") && run.stdout.is_empty(), "{}", run.stderr);
    }
}
