//! The figures for programs: JSON lines, if a file was asked for.

use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

pub struct Output(Option<File>);

impl Output {
    /// Appends to what is there.
    pub fn open(path: Option<&Path>) -> io::Result<Self> {
        path.map(|path| OpenOptions::new().create(true).append(true).open(path)).transpose().map(Self)
    }

    pub fn record(&mut self, figures: &Value) {
        if let Some(file) = &mut self.0 {
            writeln!(file, "{figures}").expect("the --json file takes a line");
        }
    }
}
