//! Where the rows go: a file, each row behind its number.

use crate::numbers::grouped;
use crate::row::Row;
use crate::tally::Tally;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The report. Rows may be committed from several tasks.
#[derive(Debug)]
pub(crate) struct Report {
    path: PathBuf,
    temporary: bool,
    limit: Option<u64>,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    out: BufWriter<File>,
    line: Vec<u8>,
    tally: Tally,
    written: u64,
}

/// What became of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Committed {
    More,
    /// It was the last one that is wanted.
    Last,
    /// It came after the last one that is wanted, from a task beside: it is not in the report.
    TooLate,
}

impl Report {
    /// Creates the report in `output`, or in a temporary file. It takes at most `limit` rows.
    pub(crate) fn create(output: Option<&Path>, input: Option<&Path>, limit: Option<u64>) -> Result<Self, String> {
        let (file, path, temporary) = match output {
            Some(path) if input.is_some_and(|input| is_same_file(input, path)) => {
                return Err(format!("cannot write {path:?}: it is the input"));
            }
            Some(path) => (File::create(path), path.to_path_buf(), false),
            None => {
                let (file, path) = create_temporary();
                (file, path, true)
            }
        };
        let file = file.map_err(|error| format!("cannot write {path:?}: {error}"))?;
        let out = BufWriter::with_capacity(1 << 16, file);
        let inner = Inner { out, line: Vec::new(), tally: Tally::default(), written: 0 };
        Ok(Self { path, temporary, limit, inner: Mutex::new(inner) })
    }

    /// Commits a row: formats it and writes it to the file's buffer.
    ///
    /// That is done work here, since [`flush`](Self::flush) speaks up if the file does not take it. A report that
    /// has to survive a power cut would sync before it returns, that is, before the row's credit goes back.
    pub(crate) fn commit(&self, number: u64, row: &Row) -> io::Result<Committed> {
        let one = Tally::of(number, row);
        let mut inner = self.lock();
        if self.limit == Some(inner.tally.rows) {
            return Ok(Committed::TooLate);
        }
        inner.write_row(number, row)?;
        inner.tally += one;
        Ok(if self.limit == Some(inner.tally.rows) { Committed::Last } else { Committed::More })
    }

    /// What was committed so far.
    pub(crate) fn tally(&self) -> Tally {
        self.lock().tally
    }

    /// Writes what the buffer holds: only now is it known that the file took it all.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.lock().out.flush()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The report in a few words.
    pub(crate) fn description(&self) -> String {
        let bytes = grouped(self.lock().written);
        if self.temporary {
            format!("{bytes} bytes in a temporary file, removed")
        } else {
            format!("{bytes} bytes in {:?}", self.path)
        }
    }

    /// A commit that panicked leaves numbers that are good; what it meant to add is missing in them.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn write_row(&mut self, number: u64, row: &[u8]) -> io::Result<()> {
        self.line.clear();
        write!(self.line, "{number}\t")?;
        self.line.extend_from_slice(row);
        // The last row may come without: another one that follows it here must not run into it.
        if !row.ends_with(b"\n") {
            self.line.push(b'\n');
        }
        self.out.write_all(&self.line)?;
        self.written += u64::try_from(self.line.len()).unwrap_or(u64::MAX);
        // One huge row is no reason to keep its room for all the small ones.
        self.line.shrink_to(1 << 16);
        Ok(())
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        if self.temporary {
            // If it is gone already, so be it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A new file in the temporary directory: never one that is there, whoever put it there.
fn create_temporary() -> (io::Result<File>, PathBuf) {
    let directory = std::env::temp_dir();
    let mut attempt = 0;
    loop {
        let path = directory.join(format!("credit-channel-export-{}-{attempt}.tsv", std::process::id()));
        match File::options().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => attempt += 1,
            file => return (file, path),
        }
    }
}

/// Whether creating `output` would destroy `input`.
fn is_same_file(input: &Path, output: &Path) -> bool {
    let (Ok(this), Ok(that)) = (fs::metadata(input), fs::metadata(output)) else { return false };
    // Devices such as /dev/null may be both.
    if !this.is_file() {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // Finds hard links too.
        (this.dev(), this.ino()) == (that.dev(), that.ino())
    }
    #[cfg(not(unix))]
    {
        that.is_file() && fs::canonicalize(input).ok() == fs::canonicalize(output).ok()
    }
}
