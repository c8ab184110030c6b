//! Texts for people, whose length both sides bound.

use std::borrow::Cow;

/// The longest text a frame carries, in bytes.
pub const MAX_TEXT: u16 = 4096;

/// The longest beginning of `text` that has at most `limit` bytes and ends between two characters.
pub(super) fn cut(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// A text of the peer's. What is not UTF-8 is replaced, and replacements are longer than what they replace,
/// so that it is cut once more.
pub(super) fn read(bytes: &[u8]) -> String {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => text.to_owned(),
        Cow::Owned(text) => cut(&text, usize::from(MAX_TEXT)).to_owned(),
    }
}
