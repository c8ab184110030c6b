//! serve_export and fetch_export, from outside: two processes, whichever of them dies.

#![cfg(not(credit_channel_loom))]

#[path = "../examples/shared/numbers.rs"]
mod numbers;
#[path = "support/programs.rs"]
mod programs;
#[path = "../examples/shared/tally.rs"]
mod tally;

use programs::{Run, Running, Scratch, end_of, wait_until_begun};
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;

// ===== both programs =====

/// Where servers listen: never at a port that a test chose.
fn addresses(scratch: &Scratch) -> Vec<String> {
    let tcp = "127.0.0.1:0".to_owned();
    if cfg!(unix) { vec![tcp, format!("unix:{}", text(&scratch.path("socket")))] } else { vec![tcp] }
}

/// A server, and where it is found.
fn serve(scratch: &Scratch, address: &str, args: &[&str]) -> (Running, String) {
    let mut server = scratch.start("serve_export", [&[address], args].concat());
    let address = server.line("listening on");
    (server, address)
}

fn fetch(scratch: &Scratch, address: &str, args: &[&str]) -> Running {
    scratch.start("fetch_export", [&[address], args].concat())
}

/// A client that is in the middle of its export, and slow enough to stay there.
fn fetch_slowly(scratch: &Scratch, address: &str, report: &Path) -> Running {
    let client = fetch(scratch, address, &["--work-us", "200", "--output", text(report)]);
    wait_until_begun(report);
    client
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

impl Run {
    fn assert_fetched(&self, rows: &[&[u8]]) {
        let end = end_of(rows);
        assert_eq!((self.says("sent"), self.says("committed")), (end.as_str(), end.as_str()));
        assert_eq!((self.says("checksums"), self.says("outcome")), ("equal", "complete: every row was committed"));
        assert!(self.says("in hand").ends_with("at the end nothing"), "{}", self.stdout);
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""));
    }

    /// What the server says of an export.
    fn export(&self, number: u32) -> &str {
        let line = self.stdout.lines().find(|line| line.starts_with(&format!("export {number} to ")));
        line.unwrap_or_else(|| panic!("no export {number} in:\n{}\n{}", self.stdout, self.stderr))
    }

    /// The number before a word, as in `4,864 rows`.
    fn number_before(&self, what: &str) -> usize {
        let before = self.stderr.split(what).next().and_then(|before| before.split_whitespace().last());
        let digits = before.unwrap_or_default().replace(',', "");
        digits.trim_start_matches('(').parse().unwrap_or_else(|_| panic!("no {what:?} in {:?}", self.stderr))
    }
}

// ===== whole exports =====

#[test]
fn two_clients_at_once_get_every_row() {
    let scratch = Scratch::new();
    let content: String = (0..5000).map(|n| format!("{n},row of Zoë\n")).collect();
    let input = scratch.file("rows.txt", content.trim_end());
    let rows: Vec<&[u8]> = content.trim_end().split_inclusive('\n').map(str::as_bytes).collect();
    let windows: [[&[&str]; 2]; 3] = [
        [&[], &["--window", "1"]],
        [&["--window", "100000"], &["--bytes", "64", "--window", "3"]],
        [&["--bytes", "700"], &["--bytes", "1000000"]],
    ];
    for address in addresses(&scratch) {
        for both in windows {
            let args = ["--exports", "2", "--page", "50", "--input", text(&input)];
            let (server, address) = serve(&scratch, &address, &args);
            let report = scratch.path("report");
            let first = fetch(&scratch, &address, &[both[0], &["--output", text(&report)]].concat());
            let second = fetch(&scratch, &address, both[1]);
            first.finish().assert_fetched(&rows);
            second.finish().assert_fetched(&rows);
            let server = server.finish();
            assert_eq!((server.code, server.stderr.as_str()), (Some(0), ""));
            for number in [1, 2] {
                assert!(server.export(number).ends_with("complete: the client has committed every row"));
            }
            let lines = fs::read_to_string(&report).expect("the report");
            assert!(lines.lines().zip(content.lines()).zip(1..).all(|((line, row), n)| line == format!("{n}\t{row}")));
        }
    }
}

#[test]
fn the_window_is_the_clients_and_is_filled() {
    let scratch = Scratch::new();
    let (server, address) = serve(&scratch, "127.0.0.1:0", &["--exports", "1", "--rows", "2000"]);
    let client = fetch(&scratch, &address, &["--window", "3", "--work-us", "50"]).finish();
    assert!(client.says("in hand").starts_with("peak 3/3, "), "{}", client.stdout);
    assert!(client.says("diagnosis").starts_with("The consumer is the limit"), "{}", client.stdout);
    let server = server.finish();
    assert!(server.stdout.contains("in flight   peak 3/3 of the client's window"), "{}", server.stdout);
    assert!(server.stdout.contains("diagnosis   The client or its window is the limit"), "{}", server.stdout);
}

#[test]
fn an_empty_ledger_is_an_export_too() {
    let scratch = Scratch::new();
    let (server, address) = serve(&scratch, "127.0.0.1:0", &["--exports", "1", "--rows", "0"]);
    fetch(&scratch, &address, &[]).finish().assert_fetched(&[]);
    assert_eq!(server.finish().code, Some(0));
}

// ===== exports that end otherwise =====

#[test]
fn a_client_that_has_enough_says_so() {
    let scratch = Scratch::new();
    for address in addresses(&scratch) {
        let (server, address) = serve(&scratch, &address, &["--exports", "1"]);
        let client = fetch(&scratch, &address, &["--cancel-after", "300"]).finish();
        assert_eq!((client.code, client.says("outcome")), (Some(0), "cancelled, 300 rows committed"));
        let server = server.finish();
        assert!(server.export(1).contains(": cancelled by the client: on request; "), "{}", server.stdout);
        assert_eq!((server.code, server.stderr.as_str()), (Some(0), ""));
    }
}

#[test]
fn a_failing_source_loses_nothing_of_what_was_sent() {
    let scratch = Scratch::new();
    let (server, address) = serve(&scratch, "127.0.0.1:0", &["--exports", "1", "--fail-at", "500"]);
    let client = fetch(&scratch, &address, &[]).finish();
    let failure = "the source was made to fail by --fail-at 500";
    client.assert_failed(1, &format!("the server failed: {failure}; 500 rows committed"));
    server.finish().assert_failed(1, &format!("failed: {failure}; 500 rows in 8 pages sent, "));
}

#[test]
fn a_row_larger_than_the_clients_window_is_named_on_both_sides() {
    let scratch = Scratch::new();
    let input = scratch.file("in", format!("a\nb\n{}\nc\n", "0123456789".repeat(7)));
    let (server, address) = serve(&scratch, "127.0.0.1:0", &["--exports", "1", "--input", text(&input)]);
    let client = fetch(&scratch, &address, &["--bytes", "70"]).finish();
    client.assert_failed(1, "the server failed: row 3 is too large: ");
    client.assert_failed(1, "; 2 rows committed");
    server.finish().assert_failed(1, "row 3 is too large: costs 1 message and 74 bytes");
}

// ===== dying =====

#[test]
fn a_killed_client_is_reported_and_disturbs_nobody() {
    let scratch = Scratch::new();
    for address in addresses(&scratch) {
        let report = scratch.path(&format!("report of {}", address.len()));
        let (server, address) = serve(&scratch, &address, &["--exports", "2"]);
        let mut doomed = fetch_slowly(&scratch, &address, &report);
        let other = fetch(&scratch, &address, &["--cancel-after", "20000"]);
        doomed.kill();
        let other = other.finish();
        assert_eq!((other.code, other.says("outcome")), (Some(0), "cancelled, 20,000 rows committed"));
        drop(doomed);
        // Killed, it could not remove it.
        fs::remove_dir_all(scratch.path("tmp")).expect("the temporary directory");
        fs::create_dir(scratch.path("tmp")).expect("the temporary directory");

        let server = server.finish();
        server.assert_failed(1, "the client is gone (");
        assert_eq!(server.stderr.lines().count(), 1, "{}", server.stderr);
        let (sent, pages) = (server.number_before(" rows in "), server.number_before(" pages sent"));
        assert_eq!(sent, pages * 64, "{}", server.stderr);
        let committed: usize = server.stderr.trim().rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number");
        assert!(committed < pages && pages - committed <= 8 + 1, "a window of 8 was out: {}", server.stderr);
    }
}

#[test]
fn a_killed_server_is_reported_and_what_came_is_kept() {
    let scratch = Scratch::new();
    for address in addresses(&scratch) {
        let report = scratch.path(&format!("report of {}", address.len()));
        let (mut server, address) = serve(&scratch, &address, &[]);
        let client = fetch_slowly(&scratch, &address, &report);
        server.kill();
        let client = client.finish();
        client.assert_failed(1, "the server is gone after ");
        assert_eq!(client.stderr.lines().count(), 1, "{}", client.stderr);
        assert_eq!(client.says("checksums"), "not compared: the server's total did not come");
        let committed = client.number_before(" rows committed");
        let kept = fs::read_to_string(&report).expect("the report");
        assert_eq!(kept.lines().count(), committed, "what it says is what is in the file");
        assert!(kept.lines().zip(1..).all(|(line, n)| line.starts_with(&format!("{n}\t{n:07},"))));
    }
}

#[test]
fn clients_that_speak_another_language_disturb_nobody() {
    let scratch = Scratch::new();
    let (server, address) = serve(&scratch, "127.0.0.1:0", &["--exports", "1", "--rows", "20000"]);
    // This one says nothing at all while the others come and go.
    let silent = TcpStream::connect(&address).expect("it listens");
    let noise: Vec<u8> = (0..100_000_u32).map(|n| n.wrapping_mul(0x9e37_79b9).to_be_bytes()[1]).collect();
    let garbage: [&[u8]; 5] = [b"GET / HTTP/1.1\r\n\r\n", &noise, &[0; 50_000], &[0xff; 3], b""];
    for bytes in garbage {
        let mut stream = TcpStream::connect(&address).expect("it listens still");
        // The server may have hung up before it is through.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let client = fetch(&scratch, &address, &[]).finish();
    assert_eq!((client.code, client.says("checksums")), (Some(0), "equal"));
    drop(silent);
    let server = server.finish();
    assert_eq!(server.code, Some(0), "strangers are no failures of the server's: {}", server.stderr);
    let lines: Vec<_> = server.stderr.lines().collect();
    assert_eq!(lines.len(), garbage.len() + 1, "one line for each: {}", server.stderr);
    assert!(lines.iter().all(|line| line.contains(": no channel on this connection: ")), "{}", server.stderr);
}

// ===== being stopped =====

#[cfg(unix)]
#[test]
fn ctrl_c_at_the_server_is_told_to_the_client() {
    let scratch = Scratch::new();
    for address in addresses(&scratch) {
        let report = scratch.path(&format!("report of {}", address.len()));
        let (server, address) = serve(&scratch, &address, &[]);
        let client = fetch_slowly(&scratch, &address, &report);
        server.press_ctrl_c();
        client.finish().assert_failed(1, "the server failed: the server is shutting down; ");
        server.finish().assert_failed(130, "cut short by the server's shutdown; ");
    }
    assert!(!scratch.path("socket").exists(), "the socket is removed");
}

#[cfg(unix)]
#[test]
fn ctrl_c_at_an_idle_server_is_its_regular_end() {
    let scratch = Scratch::new();
    let (server, _) = serve(&scratch, "127.0.0.1:0", &[]);
    server.press_ctrl_c();
    let server = server.finish();
    assert_eq!((server.code, server.stderr.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn ctrl_c_at_the_client_is_a_cancel() {
    let scratch = Scratch::new();
    let (server, address) = serve(&scratch, "127.0.0.1:0", &["--exports", "1"]);
    let client = fetch_slowly(&scratch, &address, &scratch.path("report"));
    client.press_ctrl_c();
    client.finish().assert_failed(130, "interrupted, ");
    let server = server.finish();
    assert!(server.export(1).contains(": cancelled by the client: shutting down; "), "{}", server.stdout);
    assert_eq!((server.code, server.stderr.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn a_socket_is_taken_over_from_the_dead_and_not_from_the_living() {
    let scratch = Scratch::new();
    let address = format!("unix:{}", text(&scratch.path("socket")));
    let (mut first, _) = serve(&scratch, &address, &["--rows", "100"]);
    first.kill();
    drop(first);
    assert!(scratch.path("socket").exists(), "killed, it could not remove it");
    let (server, _) = serve(&scratch, &address, &["--rows", "100", "--exports", "1"]);
    let third = scratch.start("serve_export", [&address]).finish();
    third.assert_failed(2, "cannot listen on unix:");
    assert_eq!(fetch(&scratch, &address, &[]).finish().code, Some(0), "the second is still there");
    assert_eq!(server.finish().code, Some(0));
}

// ===== arguments =====

#[test]
fn bad_arguments_get_one_line() {
    let scratch = Scratch::new();
    let missing = scratch.path("missing");
    for (program, args, code, message) in [
        ("serve_export", &["here"][..], 2, "it is neither HOST:PORT nor unix:PATH"),
        ("serve_export", &["127.0.0.1:65536"], 2, "the port is no number up to 65535"),
        ("serve_export", &["127.0.0.1:0", "--page", "0"], 2, "0 is not in 1..=65536"),
        ("serve_export", &["127.0.0.1:0", "--input", text(&missing)], 2, "cannot read"),
        ("serve_export", &["127.0.0.1:0", "--bogus"], 2, "unexpected argument '--bogus'"),
        ("fetch_export", &[":80"], 2, "it is neither HOST:PORT nor unix:PATH"),
        ("fetch_export", &["127.0.0.1:1", "--window", "0"], 2, "'--window <N>': 0 is not in 1.."),
        ("fetch_export", &["127.0.0.1:1", "--bytes", "0"], 2, "'--bytes <N>': 0 is not in 64.."),
        ("fetch_export", &["127.0.0.1:1"], 1, "cannot connect to 127.0.0.1:1: "),
    ] {
        let run = scratch.finish(scratch.program(program).args(args));
        run.assert_failed(code, message);
        assert_eq!((run.stdout.as_str(), run.stderr.lines().count()), ("", 1), "{args:?}");
    }
}
