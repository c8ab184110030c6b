//! Frames as bytes, with nothing checked.

pub(crate) const HELLO: u8 = 0x01;
pub(crate) const CHUNK: u8 = 0x02;
pub(crate) const CREDIT: u8 = 0x03;
pub(crate) const END: u8 = 0x04;
pub(crate) const ERROR: u8 = 0x05;
pub(crate) const CANCEL: u8 = 0x06;
pub(crate) const PING: u8 = 0x07;
pub(crate) const PONG: u8 = 0x08;
pub(crate) const BLOCKED: u8 = 0x09;
pub(crate) const DRAIN: u8 = 0x0A;
pub(crate) const GOAWAY: u8 = 0x0B;
/// One of the types that may be ignored.
pub(crate) const EXTENSION: u8 = 0x4A;

pub(crate) fn preface() -> Vec<u8> {
    b"\x89CCH\r\n\x1a\n".to_vec()
}

/// The channel that frames of this type belong to.
fn channel_of(kind: u8) -> u32 {
    match kind {
        HELLO | PING | PONG | GOAWAY => 0,
        _ => 1,
    }
}

/// A header, whatever follows.
pub(crate) fn header(length: u32, kind: u8, flags: u8, reserved: u16, channel: u32) -> Vec<u8> {
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(reserved.to_be_bytes());
    bytes.extend(channel.to_be_bytes());
    bytes
}

/// A header of its type's channel, with nothing else in it.
pub(crate) fn head(kind: u8, length: u32) -> Vec<u8> {
    header(length, kind, 0, 0, channel_of(kind))
}

pub(crate) fn frame(kind: u8, flags: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).expect("a length");
    let mut bytes = header(length, kind, flags, 0, channel_of(kind));
    bytes.extend(body);
    bytes
}

fn numbers<const N: usize>(kind: u8, numbers: [u64; N]) -> Vec<u8> {
    let body: Vec<u8> = numbers.into_iter().flat_map(u64::to_be_bytes).collect();
    frame(kind, 0, &body)
}

pub(crate) fn chunk(seq: u64, payload: impl AsRef<[u8]>) -> Vec<u8> {
    let mut body = seq.to_be_bytes().to_vec();
    body.extend(payload.as_ref());
    frame(CHUNK, 0, &body)
}

/// Each pair: messages, bytes.
pub(crate) fn credit(limit: [u64; 2], released: [u64; 2], window: [u64; 2]) -> Vec<u8> {
    numbers(CREDIT, [limit[0], limit[1], released[0], released[1], window[0], window[1]])
}

/// In messages alone.
pub(crate) fn grant(limit: u64, released: u64, window: u64) -> Vec<u8> {
    credit([limit, 0], [released, 0], [window, 0])
}

pub(crate) fn end(count: u64, bytes: u64) -> Vec<u8> {
    numbers(END, [count, bytes])
}

pub(crate) fn error(code: u32, detail: u32, count: u64, text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut body = code.to_be_bytes().to_vec();
    body.extend(detail.to_be_bytes());
    body.extend(count.to_be_bytes());
    body.extend(text.as_ref());
    frame(ERROR, 0, &body)
}

pub(crate) fn cancel(code: u32, detail: u32, text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut body = code.to_be_bytes().to_vec();
    body.extend(detail.to_be_bytes());
    body.extend(text.as_ref());
    frame(CANCEL, 0, &body)
}

pub(crate) fn goaway(code: u32, text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut body = code.to_be_bytes().to_vec();
    body.extend(text.as_ref());
    frame(GOAWAY, 0, &body)
}

pub(crate) fn ping(token: u64) -> Vec<u8> {
    numbers(PING, [token])
}

pub(crate) fn pong(token: u64) -> Vec<u8> {
    numbers(PONG, [token])
}

pub(crate) fn blocked(messages: u64, bytes: u64) -> Vec<u8> {
    numbers(BLOCKED, [messages, bytes])
}

pub(crate) fn drain() -> Vec<u8> {
    frame(DRAIN, 0, &[])
}

/// A frame that may be ignored.
pub(crate) fn extension(length: usize) -> Vec<u8> {
    frame(EXTENSION, 0, &vec![0xEE; length])
}
