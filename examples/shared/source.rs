//! Where the rows come from: a file, or a generator; a page at a time.

use crate::generate::Generator;
use crate::ledger::LedgerOptions;
use crate::numbers::count;
use crate::row::Row;
use credit_channel::Failure;
use std::fmt::{self, Display};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use tokio::task::spawn_blocking;

/// A page that has so many bytes is full, however many rows were asked for, or huge ones would lie here beside any
/// window.
const PAGE_BYTES: usize = 1 << 20;
/// A longer row is taken for a file that has no lines; memory is not to be at its mercy.
const MAX_ROW: u64 = 64 << 20;
/// The generated ledger, if nothing else is asked for.
const DEFAULT_ROWS: u64 = 1_000_000;

/// Some rows, and what comes after them.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) rows: Vec<Row>,
    pub(crate) then: Then,
}

/// What comes after a page.
#[derive(Debug)]
pub(crate) enum Then {
    More,
    End,
    /// The source failed. The rows of the page were read before that, and are to be exported.
    Fail(Failure),
}

/// A ledger, being read.
#[derive(Debug)]
pub(crate) struct Source {
    kind: Kind,
    read: u64,
    rows: Option<u64>,
    fail_at: Option<u64>,
    description: String,
    size: Size,
}

#[derive(Debug)]
enum Kind {
    Generated(Generator),
    File(LineReader),
    /// A page of it is being read on another thread.
    Lent,
}

/// How much there will be, if that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Rows(u64),
    Bytes(u64),
    Unknown,
}

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows(rows) => f.write_str(&count(*rows, "row")),
            Self::Bytes(bytes) => f.write_str(&count(*bytes, "byte")),
            Self::Unknown => f.write_str("as many rows as there are"),
        }
    }
}

impl Source {
    /// Opens what the options ask for. The error is a line for people.
    pub(crate) fn open(options: &LedgerOptions) -> Result<Self, String> {
        let (kind, rows, description, size) = match &options.input {
            None => {
                let rows = options.rows.unwrap_or(DEFAULT_ROWS);
                let generator = Generator::new(Generator::SEED);
                let description = format!("generated, seed {}", Generator::SEED);
                (Kind::Generated(generator), Some(rows), description, Size::Rows(rows))
            }
            Some(path) => {
                let (reader, description, size) = LineReader::open(path, options.has_header(path))
                    .map_err(|error| format!("cannot read {path:?}: {error}"))?;
                let size = options.rows.map_or(size, |_| Size::Unknown);
                (Kind::File(reader), options.rows, description, size)
            }
        };
        Ok(Self { kind, read: 0, rows, fail_at: options.fail_at, description, size })
    }

    /// The source in a few words.
    pub(crate) fn description(&self) -> &str {
        &self.description
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// Reads the next page, of so many rows at most.
    ///
    /// Not to be called again if the future was dropped: the file is then where it was being read.
    pub(crate) async fn page(&mut self, most: u64) -> Page {
        let left = |limit: Option<u64>| limit.map_or(most, |limit| limit.saturating_sub(self.read));
        if let (Some(rows), 0) = (self.fail_at, left(self.fail_at)) {
            let failure = Failure::from(format!("the source was made to fail by --fail-at {rows}"));
            return Page { rows: Vec::new(), then: Then::Fail(failure) };
        }
        let wanted = most.min(left(self.rows)).min(left(self.fail_at));
        if wanted == 0 {
            return Page { rows: Vec::new(), then: Then::End };
        }
        let page = match std::mem::replace(&mut self.kind, Kind::Lent) {
            Kind::Generated(mut generator) => {
                let rows = (0..wanted).map(|_| generator.row()).collect();
                self.kind = Kind::Generated(generator);
                Page { rows, then: Then::More }
            }
            // A read may take as long as the disk, or the other end of a pipe, pleases: not on a thread that
            // runs tasks.
            Kind::File(mut reader) => {
                let reading = spawn_blocking(move || {
                    let page = reader.page(wanted);
                    (reader, page)
                });
                match reading.await {
                    Ok((reader, page)) => {
                        self.kind = Kind::File(reader);
                        page
                    }
                    Err(panicked) => Page { rows: Vec::new(), then: Then::Fail(Failure::from_error(panicked)) },
                }
            }
            Kind::Lent => Page { rows: Vec::new(), then: Then::Fail("the file is being read elsewhere".into()) },
        };
        self.read += u64::try_from(page.rows.len()).unwrap_or(u64::MAX);
        page
    }
}

/// Splits a file into lines without ever looking at what they say.
#[derive(Debug)]
struct LineReader {
    input: BufReader<File>,
}

impl LineReader {
    fn open(path: &Path, header: bool) -> io::Result<(Self, String, Size)> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        // Unix opens directories like files; the first read would say so, too late.
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory, not a file"));
        }
        let mut reader = Self { input: BufReader::with_capacity(1 << 16, file) };
        let mut description = format!("{path:?}");
        let mut skipped = 0;
        if header {
            skipped = reader.row()?.map_or(0, |row| row.len());
            description.push_str(&match skipped {
                0 => ", empty: not even a header".into(),
                bytes => format!(", header of {bytes} bytes not counted"),
            });
        }
        let skipped = u64::try_from(skipped).unwrap_or(u64::MAX);
        // Pipes and devices are of length 0.
        let size = match metadata.len() {
            0 => Size::Unknown,
            bytes => Size::Bytes(bytes.saturating_sub(skipped)),
        };
        Ok((reader, description, size))
    }

    fn page(&mut self, wanted: u64) -> Page {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        for _ in 0..wanted {
            match self.row() {
                Ok(Some(row)) => {
                    bytes += row.len();
                    rows.push(row);
                }
                Ok(None) => return Page { rows, then: Then::End },
                Err(error) => return Page { rows, then: Then::Fail(Failure::from_error(error)) },
            }
            if bytes >= PAGE_BYTES {
                break;
            }
        }
        Page { rows, then: Then::More }
    }

    /// The next line with its line end, which only the last may lack. `None` at the end of the file.
    fn row(&mut self) -> io::Result<Option<Row>> {
        let mut row = Vec::new();
        let length = self.input.by_ref().take(MAX_ROW + 1).read_until(b'\n', &mut row)?;
        if u64::try_from(length).is_ok_and(|length| length > MAX_ROW) {
            let text = format!("a row longer than {} MiB: are there lines in it?", MAX_ROW >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok((length > 0).then_some(row))
    }
}
