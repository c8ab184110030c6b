//! HELLO, field by field.

use super::write;

/// The fields of a HELLO, legal until they are changed.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    pub(crate) major: u8,
    pub(crate) minor: u8,
    pub(crate) role: u8,
    pub(crate) units: u8,
    pub(crate) features: u32,
    pub(crate) max_frame: u32,
    pub(crate) idle_ms: u32,
    pub(crate) ping_ms: u32,
    pub(crate) reserved: u32,
    pub(crate) window_messages: u64,
    pub(crate) window_bytes: u64,
    pub(crate) tlvs: Vec<u8>,
}

impl Fields {
    pub(crate) const PRODUCER: u8 = 1;
    pub(crate) const CONSUMER: u8 = 2;

    /// A producer that can count both units.
    pub(crate) fn producer() -> Self {
        Self {
            major: 1,
            minor: 0,
            role: Self::PRODUCER,
            units: 3,
            features: 0,
            max_frame: 1 << 20,
            idle_ms: 30_000,
            ping_ms: 1_000,
            reserved: 0,
            window_messages: 0,
            window_bytes: 0,
            tlvs: Vec::new(),
        }
    }

    /// A consumer with a window of so many messages.
    pub(crate) fn consumer(messages: u64) -> Self {
        Self { role: Self::CONSUMER, units: 1, window_messages: messages, ..Self::producer() }
    }

    /// A consumer with a window in both units.
    pub(crate) fn weighing_consumer(messages: u64, bytes: u64) -> Self {
        Self { units: 3, window_bytes: bytes, ..Self::consumer(messages) }
    }

    pub(crate) fn body(&self) -> Vec<u8> {
        let mut body = vec![self.major, self.minor, self.role, self.units];
        for field in [self.features, self.max_frame, self.idle_ms, self.ping_ms, self.reserved] {
            body.extend(field.to_be_bytes());
        }
        body.extend(self.window_messages.to_be_bytes());
        body.extend(self.window_bytes.to_be_bytes());
        body.extend([0xC0; 16]);
        body.extend(&self.tlvs);
        body
    }

    pub(crate) fn frame(&self) -> Vec<u8> {
        write::frame(write::HELLO, 0, &self.body())
    }

    /// The CREDIT behind it: the whole window.
    pub(crate) fn first_credit(&self) -> Vec<u8> {
        let window = [self.window_messages, self.window_bytes];
        write::credit(window, [0, 0], window)
    }
}
