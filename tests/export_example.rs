//! The export example, from outside: its summary, its exit status, and what it says on stderr.
//!
//! Its pure parts are compiled in here as well, so that their unit tests run with `cargo test`.

#![cfg(not(credit_channel_loom))]

#[path = "../examples/shared/diagnosis.rs"]
mod diagnosis;
#[path = "../examples/shared/loss.rs"]
mod loss;
#[path = "../examples/shared/numbers.rs"]
mod numbers;
#[path = "../examples/shared/rates.rs"]
mod rates;
#[path = "../examples/shared/tally.rs"]
mod tally;

#[path = "support/programs.rs"]
mod programs;

use numbers::grouped;
use programs::{Run, Scratch, end_of};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The export example, run to its end.
trait Export {
    fn command(&self) -> Command;
    fn run(&self, args: &[&str]) -> Run;
    fn export(&self, input: &Path, args: &[&str]) -> Run;
}

impl Export for Scratch {
    fn command(&self) -> Command {
        self.program("export")
    }

    fn run(&self, args: &[&str]) -> Run {
        self.finish(self.command().args(args))
    }

    fn export(&self, input: &Path, args: &[&str]) -> Run {
        self.finish(self.command().arg("--input").arg(input).args(args))
    }
}

impl Run {
    /// It went well, and both ends counted what this test counts itself.
    fn assert_complete(&self, rows: &[&[u8]]) {
        let end = end_of(rows);
        assert_eq!((self.says("produced"), self.says("committed")), (end.as_str(), end.as_str()));
        assert_eq!((self.says("checksums"), self.says("outcome")), ("equal", "complete: every row was committed"));
        assert!(self.says("in flight").ends_with("at the end nothing"), "{}", self.stdout);
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""));
    }
}

/// What can carry the rows. None of it may make a difference to what arrives.
const TRANSPORTS: &[&str] = if cfg!(unix) { &["local", "tcp", "unix"] } else { &["local", "tcp"] };

// ===== whole exports =====

#[test]
fn a_plain_file_arrives_whole_in_any_window() {
    let scratch = Scratch::new();
    let text: String = (0..1000).map(|n| format!("{n},row of Zoë\n")).collect();
    let input = scratch.file("rows.txt", &text);
    let rows: Vec<&[u8]> = text.split_inclusive('\n').map(str::as_bytes).collect();
    let windows: [&[&str]; 6] = [
        &[],
        &["--window", "1"],
        &["--window", "100000"],
        &["--bytes", "20"],
        &["--bytes", "500", "--window", "3"],
        &["--window", "18446744073709551615"],
    ];
    for transport in TRANSPORTS {
        for window in windows {
            scratch.export(&input, &[&["--transport", transport], window].concat()).assert_complete(&rows);
        }
        let slow = ["--transport", transport, "--window", "3", "--rows", "200", "--work-us", "2000"];
        let run = scratch.export(&input, &slow);
        assert!(run.says("in flight").starts_with("peak 3/3,"), "a slow consumer fills the window: {}", run.stdout);
        assert!(run.says("diagnosis").starts_with("The consumer is the limit"), "{}", run.stdout);
    }
}

#[test]
fn an_empty_file_has_no_rows() {
    let scratch = Scratch::new();
    let run = scratch.export(&scratch.file("empty", ""), &[]);
    run.assert_complete(&[]);
    assert_eq!(run.says("diagnosis"), "Nothing was sent, so there is nothing to say.");
    scratch.export(&scratch.file("empty.csv", ""), &[]).assert_complete(&[]);
}

#[test]
fn rows_are_carried_byte_for_byte() {
    let scratch = Scratch::new();
    scratch.export(&scratch.file("open", "a\nb\nc"), &[]).assert_complete(&[b"a\n", b"b\n", b"c"]);
    scratch.export(&scratch.file("crlf", "a\r\nb\r\n\r\nc"), &[]).assert_complete(&[b"a\r\n", b"b\r\n", b"\r\n", b"c"]);
    scratch.export(&scratch.file("blank", "\n\n\n"), &[]).assert_complete(&[b"\n", b"\n", b"\n"]);
    let input = scratch.file("bytes", b"\xff\xfe\0\n\x80\r\xc3\n\0\0");
    for transport in TRANSPORTS {
        let run = scratch.export(&input, &["--transport", transport]);
        run.assert_complete(&[b"\xff\xfe\0\n", b"\x80\r\xc3\n", b"\0\0"]);
    }
}

#[test]
fn a_row_of_a_mebibyte_is_a_row() {
    let scratch = Scratch::new();
    let long = [vec![b'x'; 1 << 20], b"\n".to_vec()].concat();
    let content = [b"before\n", long.as_slice(), b"after\n"].concat();
    let input = scratch.file("long", content);
    // Over a connection it travels in five bytes more.
    for (transport, bytes) in TRANSPORTS.iter().zip(["1048577", "1048582", "1048582"]) {
        for window in [["--window", "64"], ["--bytes", bytes]] {
            let run = scratch.export(&input, &[&["--transport", transport], &window[..]].concat());
            run.assert_complete(&[b"before\n", &long, b"after\n"]);
        }
    }
}

#[test]
fn the_header_of_a_csv_file_is_not_counted() {
    let scratch = Scratch::new();
    let content = "name,town\nZoë,Łódź\n";
    let run = scratch.export(&scratch.file("ledger.CSV", content), &[]);
    run.assert_complete(&["Zoë,Łódź\n".as_bytes()]);
    assert!(run.says("ledger").contains("header of 10 bytes not counted"), "{}", run.stdout);
    let both = [&b"name,town\n"[..], "Zoë,Łódź\n".as_bytes()];
    scratch.export(&scratch.path("ledger.CSV"), &["--header", "no"]).assert_complete(&both);
    scratch.export(&scratch.file("ledger.txt", content), &[]).assert_complete(&both);
    scratch.export(&scratch.path("ledger.txt"), &["--header", "yes"]).assert_complete(&both[1..]);
}

#[test]
fn the_report_holds_each_row_behind_its_number() {
    let scratch = Scratch::new();
    let (input, output) = (scratch.file("in", b"a\r\n\xff\nlast"), scratch.file("out", "what was there before"));
    let run = scratch.export(&input, &["--output", output.to_str().expect("a plain path")]);
    run.assert_complete(&[b"a\r\n", b"\xff\n", b"last"]);
    assert_eq!(fs::read(&output).expect("the report"), b"1\ta\r\n2\t\xff\n3\tlast\n");
}

#[test]
fn parallel_commits_lose_nothing() {
    let scratch = Scratch::new();
    let text: String = (0..5000).map(|n| format!("{n}\n")).collect();
    let (input, output) = (scratch.file("in", text.trim_end()), scratch.path("out"));
    let rows: Vec<&[u8]> = text.trim_end().split_inclusive('\n').map(str::as_bytes).collect();
    for (window, transport) in ["2", "64"].iter().flat_map(|window| TRANSPORTS.iter().map(move |way| (window, way))) {
        let report = ["--output", output.to_str().expect("a plain path")];
        let args = ["--workers", "4", "--window", window, "--transport", transport];
        scratch.export(&input, &[&args[..], &report].concat()).assert_complete(&rows);
        let report = fs::read_to_string(&output).expect("the report");
        let mut lines: Vec<_> = report.lines().filter_map(|line| line.split_once('\t')).collect();
        lines.sort_by_key(|(number, _)| number.parse::<u32>().expect("a number"));
        let expected: Vec<_> = (1..=5000).map(|n| (n.to_string(), (n - 1).to_string())).collect();
        assert!(lines.iter().copied().eq(expected.iter().map(|(n, row)| (n.as_str(), row.as_str()))));
    }
}

#[test]
fn the_generated_ledger_is_the_same_every_time() {
    let scratch = Scratch::new();
    let first = scratch.run(&["--rows", "20000"]);
    let second = scratch.run(&["--rows", "20000", "--window", "7", "--workers", "3"]);
    assert!(first.says("committed").starts_with("20,000 rows, "), "{}", first.stdout);
    assert_eq!(first.says("committed"), second.says("committed"));
    assert_eq!((first.code, second.code), (Some(0), Some(0)));
}

#[test]
fn a_limit_of_rows_ends_a_file_early() {
    let scratch = Scratch::new();
    let input = scratch.file("in", "a\nb\nc\n");
    scratch.export(&input, &["--rows", "2"]).assert_complete(&[b"a\n", b"b\n"]);
    scratch.export(&input, &["--rows", "9"]).assert_complete(&[b"a\n", b"b\n", b"c\n"]);
    scratch.export(&input, &["--rows", "0"]).assert_complete(&[]);
}

// ===== exports that end otherwise =====

#[test]
fn a_failing_source_loses_nothing_of_what_was_sent() {
    let scratch = Scratch::new();
    for (n, rows) in [(0, "0 rows"), (1, "1 row"), (64, "64 rows"), (1000, "1,000 rows")] {
        for (workers, transport) in ["1", "4"].iter().flat_map(|n| TRANSPORTS.iter().map(move |way| (n, way))) {
            let run = scratch.run(&["--fail-at", &n.to_string(), "--workers", workers, "--transport", transport]);
            run.assert_failed(
                1,
                &format!("the producer failed after {rows}: the source was made to fail by --fail-at {n}"),
            );
            assert!(run.says("committed").starts_with(&format!("{rows}, ")), "{}", run.stdout);
            assert_eq!(run.says("produced"), run.says("committed"));
            assert_eq!(run.says("checksums"), "equal");
        }
    }
    let run = scratch.run(&["--rows", "10", "--fail-at", "11"]);
    assert_eq!((run.code, run.says("note")), (Some(0), "--fail-at 11 was not reached"));
}

#[test]
fn a_cancel_ends_it_after_exactly_so_many_commits() {
    let scratch = Scratch::new();
    for (workers, transport) in ["1", "4"].iter().flat_map(|n| TRANSPORTS.iter().map(move |way| (n, way))) {
        let run = scratch.run(&["--cancel-after", "300", "--workers", workers, "--transport", transport]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert!(run.says("committed").starts_with("300 rows, "), "{}", run.stdout);
        assert!(run.says("outcome").starts_with("cancelled after 300 commits; "), "{}", run.stdout);
        assert_eq!(run.says("producer"), "was told: cancelled by the consumer: on request");
        assert!(run.says("in flight").ends_with("at the end nothing"), "dropped rows gave credit back: {}", run.stdout);
    }
}

#[test]
fn a_cancel_wakes_a_parked_send() {
    let scratch = Scratch::new();
    // The consumer is so slow that the producer has been waiting for a long time when it cancels.
    let args = ["--cancel-after", "2", "--window", "4", "--work-us", "200000", "--transport"];
    let outcome =
        "cancelled after 2 commits; 3 rows in flight dropped; the producer's parked send woke and gave row 6 back";
    for transport in TRANSPORTS {
        let run = scratch.run(&[&args[..], &[transport]].concat());
        assert_eq!((run.code, run.says("outcome")), (Some(0), outcome), "{transport}");
    }
}

#[test]
fn a_row_larger_than_the_window_is_named() {
    let scratch = Scratch::new();
    let input = scratch.file("in", "a\nb\n0123456789\nc\n");
    let run = scratch.export(&input, &["--bytes", "10"]);
    run.assert_failed(1, "after 2 rows: row 3 is too large: costs 11 bytes, the limit is 10 bytes");
    assert!(run.says("committed").starts_with("2 rows, 4 bytes, "), "{}", run.stdout);
    assert_eq!(run.says("checksums"), "equal");
    scratch.export(&input, &["--bytes", "11"]).assert_complete(&[b"a\n", b"b\n", b"0123456789\n", b"c\n"]);
    // A window of bytes also limits the rows where they come over a connection.
    let run = scratch.export(&input, &["--bytes", "11", "--transport", "tcp"]);
    let costs = "costs 1 message and 12 bytes, the limit is 16 messages and 11 bytes";
    run.assert_failed(1, &format!("after 2 rows: row 3 is too large: {costs}; what it had sent was committed"));
}

#[test]
fn bad_arguments_get_one_line() {
    let scratch = Scratch::new();
    for (args, message) in [
        (&["--window", "0"][..], "a window of 0 lets nothing through"),
        (&["--bytes", "0"], "a window of 0 lets nothing through"),
        (&["--window", "4", "--bytes", "0"], "a window of 0 lets nothing through"),
        (&["--window", "0", "--transport", "tcp"], "a window of 0 lets nothing through"),
        (&["--transport", "pigeon"], "invalid value 'pigeon' for '--transport <HOW>'"),
        (&["--workers", "0"], "'--workers <N>': 0 is not in 1..=256"),
        (&["--cancel-after", "0"], "'--cancel-after <N>': 0 is not in"),
        (&["--rows", "many"], "invalid value 'many' for '--rows <N>'"),
        (&["--rows", "18446744073709551616"], "number too large"),
        (&["--window", "1.5"], "invalid value '1.5' for '--window <N>'"),
        (&["--window", "-1"], "unexpected argument '-1'"),
        (&["--bogus"], "unexpected argument '--bogus'"),
        (&["--rows"], "a value is required for '--rows <N>'"),
        (&["--rows", "1\n\n2"], "invalid value '1"),
    ] {
        let run = scratch.run(args);
        run.assert_failed(2, message);
        assert_eq!((run.stdout.as_str(), run.stderr.lines().count()), ("", 1), "{args:?}");
    }
}

#[test]
fn files_that_cannot_be_used_get_one_line() {
    let scratch = Scratch::new();
    scratch.export(&scratch.path("missing"), &[]).assert_failed(2, "cannot read");
    scratch.export(&scratch.path("new\nline"), &[]).assert_failed(2, "cannot read");
    scratch.export(&scratch.0, &[]).assert_failed(2, "cannot read");
    let (input, inside) = (scratch.file("in", "a\n"), scratch.path("missing/out"));
    scratch.export(&input, &["--output", inside.to_str().expect("a plain path")]).assert_failed(2, "cannot write");
    scratch.export(&input, &["--output", input.to_str().expect("a plain path")]).assert_failed(2, "it is the input");
    assert_eq!(fs::read(&input).expect("the input"), b"a\n", "it is still there");
    let output = scratch.file("out", "kept");
    let kept = ["--output", output.to_str().expect("a plain path")];
    scratch.export(&scratch.path("missing"), &kept).assert_failed(2, "cannot read");
    scratch.export(&input, &[&kept[..], &["--window", "0"]].concat()).assert_failed(2, "a window of 0");
    assert_eq!(fs::read(&output).expect("the report"), b"kept", "no report is begun for nothing");
}

#[test]
fn help_is_no_error() {
    let run = Scratch::new().run(&["--help"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.contains("--cancel-after <N>"), "{}", run.stdout);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure_even_if_only_the_last_flush_finds_it() {
    let scratch = Scratch::new();
    for (rows, workers) in [("10", "1"), ("50000", "1"), ("50000", "4")] {
        let run = scratch.run(&["--rows", rows, "--workers", workers, "--output", "/dev/full"]);
        run.assert_failed(1, "cannot write \"/dev/full\": No space left on device");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_went_away_is_no_panic() {
    let scratch = Scratch::new();
    for args in [&["--rows", "2000"][..], &["--help"]] {
        let mut child = scratch.command().args(args).spawn().expect("the example runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_with_a_summary() {
    let scratch = Scratch::new();
    let report = scratch.path("out");
    let report_path = report.to_str().expect("a plain path");
    let export = scratch.start("export", ["--work-us", "100", "--output", report_path]);
    // Once the first buffer is in the file, everything runs.
    programs::wait_until_begun(&report);
    export.press_ctrl_c();
    let run = export.finish();
    run.assert_failed(130, "interrupted after ");
    assert_eq!(run.says("producer"), "was told: cancelled by the consumer: shutting down");
    let lines = fs::read_to_string(&report).expect("the report").lines().count();
    let committed = format!("{} rows, ", grouped(u64::try_from(lines).expect("a number")));
    assert!(run.says("committed").starts_with(&committed), "{lines} lines, but {}", run.says("committed"));
}
