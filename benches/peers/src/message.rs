//! What is sent: values of two sizes, passed by value.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::fmt;

pub trait Message: Copy + Default + Send + Sync + Unpin + 'static {
    fn new(key: u64) -> Self;
    /// The number it was made with: what the consumer adds up, to prove that nothing was lost.
    fn key(&self) -> u64;
}

/// 8 bytes: the channel itself is all there is to pay.
impl Message for u64 {
    fn new(key: u64) -> Self {
        key
    }

    fn key(&self) -> u64 {
        *self
    }
}

/// 256 bytes: moving the value costs, and a channel that moves it often shows.
#[derive(Clone, Copy, Default)]
pub struct Fat([u64; 32]);

impl Message for Fat {
    fn new(key: u64) -> Self {
        Self([key; 32])
    }

    fn key(&self) -> u64 {
        self.0[31]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    Thin,
    Fat,
}

impl Payload {
    pub const ALL: [Self; 2] = [Self::Thin, Self::Fat];

    pub fn bytes(self) -> usize {
        match self {
            Self::Thin => size_of::<u64>(),
            Self::Fat => size_of::<Fat>(),
        }
    }
}

impl fmt::Display for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.bytes())
    }
}

/// On the command line they are called by their bytes.
impl ValueEnum for Payload {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Thin => "8",
            Self::Fat => "256",
        }))
    }
}
