//! What PROTOCOL.md says of a stream's frames, read a second time and without a thought to speed.

/// What a stream holds.
#[derive(Debug, Default)]
pub(super) struct Reading<'a> {
    pub(super) frames: Vec<Seen<'a>>,
    pub(super) end: End,
}

/// A frame as it lies in the stream.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) kind: u8,
    pub(super) length: usize,
    /// Of one that may be ignored: what is there of it.
    pub(super) body: &'a [u8],
}

/// How a stream ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum End {
    #[default]
    Between,
    Inside,
    /// It does not begin with the preface.
    Foreign,
    /// A frame is not a legal one.
    Refused,
}

/// Reads a stream whose preface is `preface`.
pub(super) fn read<'a>(stream: &'a [u8], preface: &[u8], max_frame: usize) -> Reading<'a> {
    let mut reading = Reading::default();
    let common = stream.len().min(preface.len());
    if stream[..common] != preface[..common] {
        reading.end = End::Foreign;
        return reading;
    }
    let mut rest = &stream[common..];
    if common < preface.len() {
        reading.end = if common == 0 { End::Between } else { End::Inside };
        return reading;
    }
    while !rest.is_empty() {
        let Some((header, after)) = rest.split_first_chunk::<12>() else {
            reading.end = End::Inside;
            return reading;
        };
        let length = usize::try_from(number(&header[..4])).expect("32 bits");
        let kind = header[4];
        if !is_legal_header(kind, length, number(&header[8..]), max_frame) {
            reading.end = End::Refused;
            return reading;
        }
        let body = &after[..length.min(after.len())];
        let ignored = matches!(kind, 0x40..=0x7F);
        if body.len() == length && kind == 0x01 && !is_legal_hello(body) {
            reading.end = End::Refused;
            return reading;
        }
        if body.len() == length || ignored {
            reading.frames.push(Seen { kind, length, body });
        }
        if body.len() < length {
            reading.end = End::Inside;
            return reading;
        }
        rest = &after[length..];
    }
    reading
}

/// Section 4.
fn is_legal_header(kind: u8, length: usize, channel: u64, max_frame: usize) -> bool {
    let (on, lengths) = match kind {
        0x01 => (0, 2..=1024),
        0x02 => (1, 8..=max_frame),
        0x03 => (1, 48..=48),
        0x04 => (1, 16..=16),
        0x05 => (1, 16..=4112),
        0x06 => (1, 8..=4104),
        0x07 | 0x08 => (0, 8..=8),
        0x09 => (1, 16..=16),
        0x0A => (1, 0..=0),
        0x0B => (0, 4..=4100),
        0x40..=0x7F => (channel, 0..=max_frame),
        _ => return false,
    };
    channel == on && length <= max_frame && lengths.contains(&length)
}

/// Section 5.
fn is_legal_hello(body: &[u8]) -> bool {
    if body[0] != 1 || body.len() < 56 {
        return false;
    }
    let (role, units) = (body[2], body[3] & 3);
    let (max_frame, idle, ping) = (number(&body[8..12]), number(&body[12..16]), number(&body[16..20]));
    let windows = [number(&body[24..32]), number(&body[32..40])];
    let counted = [units & 1 != 0, units & 2 != 0];
    let window_is_legal = |unit: usize| role == 1 || !counted[unit] || (1..=1 << 62).contains(&windows[unit]);
    matches!(role, 1 | 2)
        && units != 0
        && (1024..=16_777_215).contains(&max_frame)
        && (idle == 0 || (100..=86_400_000).contains(&idle))
        && ping <= 60_000
        && window_is_legal(0)
        && window_is_legal(1)
        && are_legal_tlvs(&body[56..])
}

fn are_legal_tlvs(mut tlvs: &[u8]) -> bool {
    while !tlvs.is_empty() {
        let Some((head, after)) = tlvs.split_first_chunk::<4>() else { return false };
        let length = usize::try_from(number(&head[2..])).expect("16 bits");
        if head[0] & 0x80 != 0 || length > after.len() {
            return false;
        }
        tlvs = &after[length..];
    }
    true
}

pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
