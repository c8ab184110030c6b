//! rate_and_concurrency, from outside: it asserts what it prints, so it only has to run.

#![cfg(not(credit_channel_loom))]

#[path = "../examples/shared/numbers.rs"]
mod numbers;
#[path = "support/programs.rs"]
mod programs;
#[path = "../examples/shared/tally.rs"]
mod tally;

use programs::Scratch;

#[test]
fn each_of_the_three_bounds_what_is_its_own() {
    let scratch = Scratch::new();
    let run = scratch.finish(&mut scratch.program("rate_and_concurrency"));
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    let numbers = |what| run.says(what).split_whitespace().take(3).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(numbers("quick work, 30 ms each"), ["2", "50", "2"]);
    assert_eq!(numbers("slow work, and a window of 2")[0], "2");
}
