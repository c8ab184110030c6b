//! The Python process at the other end: started, listened to, and killed whatever happens.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{env, io, thread};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How long a test may take. The peer gives up before, and then says where it stood.
const PATIENCE: Duration = Duration::from_secs(40);
const PEERS_PATIENCE: &str = "30";

/// Switches these tests off, for machines without Python.
pub(crate) const SKIP: &str = "CREDIT_CHANNEL_SKIP_INTEROP";

/// Runs a test against the peer, unless the user has said that there is none.
pub(crate) fn interop(test: impl Future<Output = ()>) {
    if skipped() {
        return;
    }
    let runtime = crate::support::runtime(crate::support::Flavour::MultiThread);
    // On this thread and not spawned: a panic here drops the peer, which shows what it said.
    runtime.block_on(async { timeout(PATIENCE, test).await.expect("the test is over in time") });
}

pub(crate) fn skipped() -> bool {
    let skipped = env::var(SKIP).is_ok_and(|value| value == "1");
    if skipped {
        let test = thread::current().name().unwrap_or("a test").to_owned();
        // Not by `eprintln`, which the test harness swallows: a test that was skipped must not look like one that ran.
        let _ = writeln!(io::stderr(), "SKIPPED, since {SKIP}=1: {test} did not talk to the Python peer");
    }
    skipped
}

pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/python").join(name)
}

/// A running Python script.
pub(crate) struct Peer {
    child: Child,
    lines: mpsc::UnboundedReceiver<String>,
    said: Vec<String>,
    complaints: Arc<Mutex<String>>,
}

impl Peer {
    /// Starts `peer.py`.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::script("peer.py", &[arguments, &["--timeout", PEERS_PATIENCE]].concat())
    }

    /// Starts one of the scripts.
    pub(crate) fn script(name: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new("python3");
        // -B: no bytecode is left beside the sources.
        command.arg("-B").arg(script(name)).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| match error.kind() {
            ErrorKind::NotFound => panic!(
                "python3 was not found. These tests talk to a peer written in Python 3 (3.9 or later): install it, \
                 or set {SKIP}=1 to skip them"
            ),
            _ => panic!("python3 did not start: {error}"),
        });
        let (say, lines) = mpsc::unbounded_channel();
        let stdout = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| say.send(line)));
        let complaints = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&complaints);
        let mut stderr = child.stderr.take().expect("stderr is a pipe");
        thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(read @ 1..) = stderr.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..read]);
                heard.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
            }
        });
        Self { child, lines, said: Vec::new(), complaints }
    }

    /// Where it listens.
    pub(crate) async fn address(&mut self) -> String {
        let line = self.line().await.expect("the peer says where it listens");
        line.strip_prefix("listening ").expect("the first line is the address").to_owned()
    }

    /// The side and the user of the next conversation that it wants to have, if there is one.
    pub(crate) async fn next_conversation(&mut self) -> Option<(String, String)> {
        let line = self.line().await?;
        let mut words = line.strip_prefix("conversation ")?.split(' ');
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    }

    /// What it said at its end. It must have found everything in order.
    pub(crate) async fn report(self) -> Report {
        let (code, report) = self.end().await;
        assert_eq!(code, Some(0), "the peer found fault: {report:?}");
        report
    }

    /// What it said at its end, and its exit status.
    pub(crate) async fn end(mut self) -> (Option<i32>, Report) {
        while self.line().await.is_some() {}
        let status = self.child.wait().expect("it can be waited for");
        // A word of complaint belongs to the test's own output, also where the test expects it.
        self.show();
        let said = self.said.iter().filter_map(|line| line.split_once(' '));
        (status.code(), Report(said.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()))
    }

    async fn line(&mut self) -> Option<String> {
        let line = self.lines.recv().await?;
        self.said.push(line.clone());
        Some(line)
    }

    fn show(&self) {
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        if !complaints.is_empty() || thread::panicking() {
            eprintln!("the peer said:\n{}\nand on stderr:\n{complaints}", self.said.join("\n"));
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            while let Ok(line) = self.lines.try_recv() {
                self.said.push(line);
            }
            self.show();
        }
    }
}

/// What the peer said at its end, in lines of a key and a value.
#[derive(Debug)]
pub(crate) struct Report(HashMap<String, String>);

impl Report {
    pub(crate) fn get(&self, key: &str) -> &str {
        self.0.get(key).unwrap_or_else(|| panic!("the peer said nothing of {key}: {self:?}"))
    }

    /// How it ended, as the peer saw it.
    pub(crate) fn outcome(&self) -> &str {
        self.get("outcome")
    }

    /// A number; what was never counted is 0.
    pub(crate) fn number(&self, key: &str) -> u64 {
        self.0.get(key).map_or(0, |value| value.parse().expect("a number"))
    }
}
