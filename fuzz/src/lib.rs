//! What the fuzz targets do with an input. None of it needs a fuzzer: `tests/fuzz_corpus.rs` runs the same functions
//! over the committed corpus.

mod decoder;
mod input;
pub mod meter;
mod reference;
mod session;
mod typed;

pub use decoder::decoder;
pub use session::session;
pub use typed::typed;
