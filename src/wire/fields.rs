//! The fields of a body, one after the other.

use super::code::Code;
use super::error::violation;
use crate::{Credit, Violation};

/// What is left to read of a body.
///
/// The length was checked with the header, so that nothing is ever missing; were it, it is an error and not
/// a panic.
pub(super) struct Fields<'a> {
    frame: &'static str,
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(frame: &'static str, body: &'a [u8]) -> Self {
        Self { frame, rest: body }
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Violation> {
        let Some((field, rest)) = self.rest.split_first_chunk() else {
            return Err(violation(Code::FRAME_SIZE, format!("{} is cut short", self.frame)));
        };
        self.rest = rest;
        Ok(*field)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Violation> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Violation> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Violation> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Violation> {
        self.array().map(u64::from_be_bytes)
    }

    /// An amount: messages, then bytes.
    pub(super) fn credit(&mut self) -> Result<Credit, Violation> {
        Ok(Credit::new(self.u64()?, self.u64()?))
    }

    /// Passes over so many bytes, if they are there.
    pub(super) fn skip(&mut self, len: usize) -> Option<()> {
        self.rest = self.rest.get(len..)?;
        Some(())
    }

    /// All that is left.
    pub(super) fn rest(self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}
