//! Running the examples: their binaries, where they may write, and what they say.

// Every test binary takes what it needs.
#![allow(dead_code)]

use crate::tally::Tally;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a program may take for what a test waits for. Only a hang costs it.
const WATCHDOG: Duration = Duration::from_secs(60);

/// An example's binary, beside this test's: `cargo test` builds both. One that is missing (`cargo test --test …` on a
/// fresh clone) is built.
fn binary(name: &str) -> PathBuf {
    static BUILDING: Mutex<()> = Mutex::new(());
    let this = std::env::current_exe().expect("the test knows where it is");
    let profile = this.parent().and_then(Path::parent).expect("it is in target/<profile>/deps");
    let binary = profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let _one_at_a_time = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    if !binary.exists() {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--example", name, "--target-dir"]).arg(profile.join(".."));
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        let status = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo runs");
        assert!(status.success() && binary.exists(), "build it with `cargo build --example {name}`");
    }
    binary
}

/// A directory of a test's own: its inputs, and the temporary directory of the runs.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("credit-channel-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(path.join("tmp")).expect("a scratch directory");
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("a scratch file");
        path
    }

    pub(crate) fn program(&self, name: &str) -> Command {
        let mut command = Command::new(binary(name));
        for variable in ["TMPDIR", "TMP", "TEMP"] {
            command.env(variable, self.path("tmp"));
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// However a run ends, it leaves no temporary file and says at most one line on stderr.
    pub(crate) fn finish(&self, command: &mut Command) -> Run {
        let run = Run::new(command.output().expect("the example runs"));
        assert!(run.stderr.lines().count() <= 1, "more than a line: {}", run.stderr);
        let left = fs::read_dir(self.path("tmp")).expect("the temporary directory").count();
        assert_eq!(left, 0, "a temporary file was left");
        run
    }

    pub(crate) fn start<A: AsRef<OsStr>>(&self, name: &str, args: impl IntoIterator<Item = A>) -> Running {
        Running::new(self.program(name).args(args))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A program that is over.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// What the summary says of something.
    pub(crate) fn says(&self, what: &str) -> &str {
        let line = self.stdout.lines().find_map(|line| line.strip_prefix(what).filter(|rest| rest.starts_with(' ')));
        line.unwrap_or_else(|| panic!("no {what:?} in:\n{}\n{}", self.stdout, self.stderr)).trim_start()
    }

    pub(crate) fn assert_failed(&self, code: i32, message: &str) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        let (program, said) = self.stderr.split_once(": ").unwrap_or_default();
        assert!(!program.contains(' ') && said.contains(message), "{message:?} is not in: {}", self.stderr);
    }
}

/// A program that runs. It is killed if the test fails.
pub(crate) struct Running {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    seen: String,
    deadline: Instant,
}

impl Running {
    fn new(command: &mut Command) -> Self {
        let mut child = command.spawn().expect("the example runs");
        let (lines, stdout) = channel();
        let reader = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            for line in reader.lines() {
                let _ = lines.send(line.expect("output is UTF-8"));
            }
        });
        let (text, stderr) = channel();
        let mut reader = child.stderr.take().expect("a pipe");
        thread::spawn(move || {
            let mut said = String::new();
            let _ = reader.read_to_string(&mut said);
            let _ = text.send(said);
        });
        Self { child, stdout, stderr, seen: String::new(), deadline: Instant::now() + WATCHDOG }
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Waits for the line that begins with this, and returns the rest of it.
    pub(crate) fn line(&mut self, start: &str) -> String {
        loop {
            let line = self.stdout.recv_timeout(self.left());
            let line = line.unwrap_or_else(|error| panic!("no {start:?}, {error}: {}", self.seen));
            self.seen.push_str(&line);
            self.seen.push('\n');
            if let Some(rest) = line.strip_prefix(start) {
                return rest.trim_start().to_owned();
            }
        }
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
    }

    /// As a terminal does it.
    #[cfg(unix)]
    pub(crate) fn press_ctrl_c(&self) {
        signal("-INT", &self.child.id().to_string());
    }

    /// Waits until it is over: all it had to say is said, also by a child of its own.
    pub(crate) fn finish(mut self) -> Run {
        loop {
            match self.stdout.recv_timeout(self.left()) {
                Ok(line) => self.seen = format!("{}{line}\n", self.seen),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                Err(error) => panic!("it does not end, {error}: {}", self.seen),
            }
        }
        let stderr = self.stderr.recv_timeout(self.left()).expect("it closes stderr");
        let code = self.child.wait().expect("it ends").code();
        Run { code, stdout: std::mem::take(&mut self.seen), stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
pub(crate) fn signal(signal: &str, process: &str) {
    let sent = Command::new("kill").args([signal, process]).status().expect("kill runs");
    assert!(sent.success(), "kill {signal} {process}");
}

/// Waits until a file has something in it: whoever writes it is in the middle of its work.
pub(crate) fn wait_until_begun(path: &Path) {
    let deadline = Instant::now() + WATCHDOG;
    while fs::metadata(path).map_or(0, |file| file.len()) == 0 {
        assert!(Instant::now() < deadline, "nothing in {path:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// How a summary writes what an end counted.
pub(crate) fn end_of(rows: &[&[u8]]) -> String {
    let mut sum = Tally::default();
    for (number, row) in (1..).zip(rows) {
        sum += Tally::of(number, row);
    }
    sum.to_string()
}
