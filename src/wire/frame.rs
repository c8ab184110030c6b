//! What the two ends of a connection say to each other.

use super::code::Code;
use crate::Credit;
use std::time::Duration;

/// One message of the protocol. `T` is what a chunk carries: bytes on a byte stream, a value of any type
/// where both ends share their memory.
///
/// PROTOCOL.md says what each means, who may send it and when, and how it is written in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame<T> {
    /// Who speaks, and what it can take. The first frame of each side.
    Hello(Hello),
    /// Work. Producer to consumer.
    Chunk {
        /// Its number, from 0, without gaps.
        seq: u64,
        /// What it carries.
        payload: T,
    },
    /// How much may have been sent by now, and how much work is done. Consumer to producer.
    Credit(Grant),
    /// All was sent. Producer to consumer.
    End {
        /// The chunks sent since the channel opened.
        count: u64,
        /// Their cost in bytes, where the window counts bytes, else 0.
        bytes: u64,
    },
    /// The producer stops without having sent everything. Producer to consumer.
    Error {
        /// Why.
        code: Code,
        /// What the code says that it is; else 0.
        detail: u32,
        /// The chunks sent since the channel opened.
        count: u64,
        /// Whether chunks that were not handed out yet are to be thrown away.
        discard: bool,
        /// A text for people.
        text: String,
    },
    /// The consumer wants no more. Consumer to producer.
    Cancel {
        /// Why.
        code: Code,
        /// What the code says that it is; else 0.
        detail: u32,
        /// A text for people.
        text: String,
    },
    /// Are you there? Answered with a `Pong` of the same token. Both ways.
    Ping {
        /// Any number.
        token: u64,
    },
    /// I am. Both ways.
    Pong {
        /// The number of the latest `Ping`.
        token: u64,
    },
    /// A send waits, and nothing can be sent below this limit. Advice to a consumer that holds credit back.
    /// Producer to consumer.
    Blocked {
        /// The limit of the latest grant the producer knows.
        limit: Credit,
    },
    /// Send what you have accepted and no more. Consumer to producer.
    Drain,
    /// The connection is over. Both ways.
    GoAway {
        /// Why.
        code: Code,
        /// A text for people.
        text: String,
    },
    /// A frame of a type that this version does not know and may ignore; its body was passed over. Sent, its
    /// body is zeros: a way to see that the peer ignores it too.
    Ignored {
        /// Its type byte.
        kind: u8,
        /// The length of its body, in bytes.
        length: u32,
    },
}

/// The first frame of each side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The protocol's version. Another major version is refused; of the minor ones the smaller is spoken.
    pub version: Version,
    /// Which end of the channel this is.
    pub role: Role,
    /// A consumer: what its window counts. A producer: what it can count.
    pub units: Units,
    /// Bits of what this side can do beyond the version; both use what both have. None are defined yet.
    pub features: u32,
    /// The longest frame body this side takes, in bytes.
    pub max_frame: u32,
    /// After how much silence this side gives up; zero is never.
    pub idle_timeout: Duration,
    /// How often this side takes a `Ping`, at most.
    pub ping_interval: Duration,
    /// A consumer's window in each unit that it counts; else 0.
    pub window: Credit,
    /// A random name, for logs.
    pub session: [u8; 16],
}

/// The version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// Versions that differ here do not understand each other.
    pub major: u8,
    /// Versions that differ here do, by what the smaller one has.
    pub minor: u8,
}

impl Version {
    /// The version spoken here: 1.0.
    pub const CURRENT: Self = Self { major: 1, minor: 0 };
}

/// Which end of the channel a side is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Sends chunks.
    Producer,
    /// Takes them, and grants credit.
    Consumer,
}

/// What a window counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Units {
    /// Messages: 1 for each chunk.
    pub messages: bool,
    /// Bytes: the payload's length, at least 1.
    pub bytes: bool,
}

/// The consumer's books, as a grant: all totals since the channel opened, in each unit that its window
/// counts and 0 in the other, so that a grant which is repeated, or overtaken by a later one, does no harm
/// (QUIC's MAX_DATA, RFC 9000 section 4.1, has the same form).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Grant {
    /// The cost that may have been sent by now. Never decreases.
    pub limit: Credit,
    /// The cost whose work is done. Never decreases.
    pub released: Credit,
    /// The window now: a chunk that costs more can never be sent.
    pub window: Credit,
}
