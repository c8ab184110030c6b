//! A line per look and job, in a file.

use crate::look::Look;
use crate::{cannot_write, create};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes looks down, as CSV or as JSON lines.
#[derive(Debug)]
pub(crate) struct Recorder<W: Write = BufWriter<File>> {
    path: PathBuf,
    format: Format,
    to: W,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    Json,
}

#[derive(Serialize)]
struct Line<'a> {
    job: &'a str,
    #[serde(flatten)]
    look: &'a Look,
}

const HEADER: &str = "time,job,depth,window,park_share,idle_share,rate,diagnosis";

/// For the options: a name that says which format.
pub(crate) fn path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    format(&path).map(|_| path).ok_or_else(|| "a name that ends in .csv, .json, .jsonl or .ndjson".into())
}

fn format(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "csv" => Some(Format::Csv),
        "json" | "jsonl" | "ndjson" => Some(Format::Json),
        _ => None,
    }
}

impl Recorder {
    pub(crate) fn create(path: &Path) -> Result<Self, String> {
        let to = BufWriter::new(create(path)?);
        Self::new(path, format(path).unwrap_or(Format::Csv), to)
    }
}

impl<W: Write> Recorder<W> {
    fn new(path: &Path, format: Format, to: W) -> Result<Self, String> {
        let mut recorder = Self { path: path.to_owned(), format, to };
        if format == Format::Csv {
            writeln!(recorder.to, "{HEADER}").map_err(|error| recorder.failed(&error))?;
        }
        recorder.flush()?;
        Ok(recorder)
    }

    pub(crate) fn write(&mut self, job: &str, look: &Look) -> Result<(), String> {
        self.line(job, look).map_err(|error| self.failed(&error))
    }

    /// Once per look, so that whoever follows the file sees whole ones.
    pub(crate) fn flush(&mut self) -> Result<(), String> {
        self.to.flush().map_err(|error| self.failed(&error))
    }

    fn line(&mut self, job: &str, look: &Look) -> io::Result<()> {
        match self.format {
            Format::Json => {
                serde_json::to_writer(&mut self.to, &Line { job, look })?;
                self.to.write_all(b"\n")
            }
            Format::Csv => {
                let Look { time, depth, window, park_share, idle_share, rate, diagnosis } = look;
                let (job, diagnosis) = (quoted(job), quoted(diagnosis));
                writeln!(
                    self.to,
                    "{time:.3},{job},{depth},{window},{park_share:.4},{idle_share:.4},{rate:.1},{diagnosis}"
                )
            }
        }
    }

    fn failed(&self, error: &io::Error) -> String {
        cannot_write(&self.path, error)
    }
}

/// As RFC 4180 has it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::{Format, HEADER, Recorder, path};
    use crate::look::Look;
    use std::io;
    use std::path::Path;

    fn made() -> Look {
        let diagnosis = "the consumer is the limit: more workers help, a larger window does not".into();
        Look { time: 1.25, depth: 15, window: 16, park_share: 0.93, idle_share: 0.005, rate: 123.44, diagnosis }
    }

    fn written(format: Format) -> String {
        let mut buffer = Vec::new();
        let mut recorder = Recorder::new(Path::new("x"), format, &mut buffer).unwrap();
        recorder.write("a \"slow\" one, here", &made()).unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn csv_has_a_header_and_quotes_text() {
        let line = "1.250,\"a \"\"slow\"\" one, here\",15,16,0.9300,0.0050,123.4,\
                    \"the consumer is the limit: more workers help, a larger window does not\"";
        assert_eq!(written(Format::Csv), format!("{HEADER}\n{line}\n"));
    }

    #[test]
    fn json_is_an_object_a_line() {
        let text = written(Format::Json);
        assert_eq!(text.lines().count(), 1);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["job"], "a \"slow\" one, here");
        assert_eq!((&value["depth"], &value["park_share"]), (&15.into(), &0.93.into()));
        assert_eq!(value.as_object().unwrap().len(), HEADER.split(',').count());
    }

    #[test]
    fn the_name_says_the_format() {
        assert!(["a.csv", "a.json", "b/c.jsonl", "d.ndjson"].into_iter().all(|name| path(name).is_ok()));
        assert!(["a", "a.txt", ".csv", ""].into_iter().all(|name| path(name).is_err()));
    }

    struct Full;

    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_one_line_with_the_name() {
        let message = Recorder::new(Path::new("looks.csv"), Format::Csv, Full).err().unwrap();
        assert!(message.starts_with("cannot write \"looks.csv\": ") && !message.contains('\n'), "{message}");
    }
}
