//! The example, from outside: the text that it prints once, the same over HTTP, and what it says of bad arguments.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

fn example(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prometheus-example"));
    command.args(args);
    command
}

fn run(args: &[&str]) -> Output {
    example(args).output().expect("it runs")
}

/// The value of a series, as it is written there.
fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(series)).unwrap_or_else(|| panic!("{series}\n{text}"));
    line.trim().parse().unwrap_or_else(|_| panic!("{line}"))
}

fn assert_shows_the_two_jobs(text: &str) {
    assert_eq!(value(text, "credit_channel_window{channel=\"export\",unit=\"messages\"}"), 16.0, "{text}");
    assert_eq!(value(text, "credit_channel_condition{channel=\"export\",condition=\"consumer_bound\"}"), 1.0, "{text}");
    assert_eq!(value(text, "credit_channel_condition{channel=\"import\",condition=\"producer_bound\"}"), 1.0, "{text}");
    assert!(value(text, "credit_channel_park_share{channel=\"export\"}") > 0.8, "{text}");
    assert!(value(text, "credit_channel_idle_share{channel=\"import\"}") > 0.8, "{text}");
    assert!(value(text, "credit_channel_chunks_sent_total{channel=\"import\"}") > 2.0, "{text}");
    let all = value(text, "credit_channel_work_bucket_total{channel=\"export\",le=\"+Inf\"}");
    assert_eq!(all, value(text, "credit_channel_work_timed_total{channel=\"export\"}"), "{text}");
}

#[test]
fn once() {
    let run = run(&["--once", "--every-ms", "400"]);
    let text = String::from_utf8(run.stdout).unwrap();
    assert_eq!((run.status.code(), String::from_utf8_lossy(&run.stderr).as_ref()), (Some(0), ""), "{text}");
    assert_shows_the_two_jobs(&text);
    for (what, kind) in [("depth", "gauge"), ("chunks_sent_total", "counter"), ("work_bucket_total", "counter")] {
        assert!(text.contains(&format!("# TYPE credit_channel_{what} {kind}\n")), "{what}\n{text}");
        assert!(text.contains(&format!("# HELP credit_channel_{what} ")), "{what}\n{text}");
    }
}

/// Ends it also when an assertion fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn over_http() {
    // A port that was free a moment ago.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let args = ["--listen", &address, "--every-ms", "200"];
    let mut running = Running(example(&args).stderr(Stdio::piped()).spawn().expect("it runs"));
    let mut said = String::new();
    BufReader::new(running.0.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, format!("prometheus-example: serving http://{address}/metrics until Ctrl-C\n"));

    let second = run(&["--listen", &address]);
    let complaint = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!((second.status.code(), complaint.lines().count()), (Some(2), 1), "{complaint}");
    assert!(complaint.starts_with(&format!("prometheus-example: cannot listen on {address}: ")), "{complaint}");

    std::thread::sleep(std::time::Duration::from_millis(500));
    let mut socket = TcpStream::connect(&address).unwrap();
    write!(socket, "GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    let text = answer.split_once("\r\n\r\n").expect("a body").1;
    assert_shows_the_two_jobs(text);
}

#[test]
fn bad_arguments_are_one_line() {
    for args in [["--listen", "nowhere"], ["--every-ms", "0"], ["--once", "twice"]] {
        let run = run(&args);
        let complaint = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!((run.status.code(), complaint.lines().count(), run.stdout.len()), (Some(2), 1, 0), "{complaint}");
        assert!(complaint.starts_with("prometheus-example: "), "{complaint}");
    }
}
