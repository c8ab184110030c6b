//! HELLO, in bytes and back, and what its fields may say.

use super::code::Code;
use super::error::violation;
use super::fields::Fields;
use super::frame::{Hello, Role, Units, Version};
use super::header::{HELLO_FIXED, LARGEST_MAX_FRAME, SMALLEST_MAX_FRAME};
use crate::{Credit, Violation};
use bytes::{BufMut, BytesMut};
use std::time::Duration;

const PRODUCER: u8 = 1;
const CONSUMER: u8 = 2;

const MESSAGES: u8 = 0x01;
const BYTES: u8 = 0x02;

/// TLVs from this type on are not to be ignored.
const CRITICAL: u16 = 0x8000;

const LARGEST_WINDOW: u64 = 1 << 62;

/// Reads the body of a HELLO.
pub(super) fn read(body: &[u8]) -> Result<Hello, Violation> {
    let mut fields = Fields::new("HELLO", body);
    let version = Version { major: fields.u8()?, minor: fields.u8()? };
    if version.major != Version::CURRENT.major {
        // Of another version's HELLO nothing more is known, its length included.
        let text = format!("HELLO.major is {}: only version {} is spoken here", version.major, Version::CURRENT.major);
        return Err(violation(Code::VERSION, text));
    }
    if body.len() < usize::try_from(HELLO_FIXED).unwrap_or(usize::MAX) {
        let text = format!("HELLO.length is {}: it must be at least {HELLO_FIXED}", body.len());
        return Err(violation(Code::FRAME_SIZE, text));
    }
    let role = match fields.u8()? {
        PRODUCER => Role::Producer,
        CONSUMER => Role::Consumer,
        other => return Err(out_of_bounds("role", other.into(), "1 (producer) or 2 (consumer)")),
    };
    let units = fields.u8()?;
    let units = Units { messages: units & MESSAGES != 0, bytes: units & BYTES != 0 };
    let features = fields.u32()?;
    let max_frame = fields.u32()?;
    let idle_timeout = Duration::from_millis(fields.u32()?.into());
    let ping_interval = Duration::from_millis(fields.u32()?.into());
    let _reserved = fields.u32()?;
    let window = counted(role, units, fields.credit()?);
    let session = fields.array()?;
    let hello = Hello { version, role, units, features, max_frame, idle_timeout, ping_interval, window, session };
    check(&hello)?;
    skip_tlvs(fields)?;
    Ok(hello)
}

/// Writes the body of a HELLO that was [checked](check).
pub(super) fn write(hello: &Hello, dst: &mut BytesMut) {
    dst.put_u8(hello.version.major);
    dst.put_u8(hello.version.minor);
    dst.put_u8(match hello.role {
        Role::Producer => PRODUCER,
        Role::Consumer => CONSUMER,
    });
    let messages = if hello.units.messages { MESSAGES } else { 0 };
    let bytes = if hello.units.bytes { BYTES } else { 0 };
    dst.put_u8(messages | bytes);
    dst.put_u32(hello.features);
    dst.put_u32(hello.max_frame);
    dst.put_u32(u32::try_from(millis(hello.idle_timeout)).unwrap_or(u32::MAX));
    dst.put_u32(u32::try_from(millis(hello.ping_interval)).unwrap_or(u32::MAX));
    dst.put_u32(0);
    let window = counted(hello.role, hello.units, hello.window);
    dst.put_u64(window.messages());
    dst.put_u64(window.bytes());
    dst.put_slice(&hello.session);
}

/// Whether all fields are within their bounds. (RUSTSEC-2026-0037: values of a handshake that nobody had
/// looked at.)
pub(super) fn check(hello: &Hello) -> Result<(), Violation> {
    if !hello.units.messages && !hello.units.bytes {
        return Err(out_of_bounds("units", 0, "1 (messages), 2 (bytes) or 3 (both)"));
    }
    if !(SMALLEST_MAX_FRAME..=LARGEST_MAX_FRAME).contains(&hello.max_frame) {
        return Err(out_of_bounds("max_frame", hello.max_frame.into(), "1024 to 16777215"));
    }
    let idle = millis(hello.idle_timeout);
    if idle != 0 && !(100..=86_400_000).contains(&idle) {
        return Err(out_of_bounds("idle_ms", idle, "0, or 100 to 86400000"));
    }
    let ping = millis(hello.ping_interval);
    if ping > 60_000 {
        return Err(out_of_bounds("ping_ms", ping, "at most 60000"));
    }
    if hello.role == Role::Consumer {
        let Units { messages, bytes } = hello.units;
        let legal = 1..=LARGEST_WINDOW;
        if messages && !legal.contains(&hello.window.messages()) {
            return Err(out_of_bounds("window_messages", hello.window.messages(), "1 to 2^62"));
        }
        if bytes && !legal.contains(&hello.window.bytes()) {
            return Err(out_of_bounds("window_bytes", hello.window.bytes(), "1 to 2^62"));
        }
    }
    Ok(())
}

fn out_of_bounds(field: &str, value: u64, legal: &str) -> Violation {
    violation(Code::PROTOCOL, format!("HELLO.{field} is {value}: it must be {legal}"))
}

/// A window in the units that it counts. Only a consumer has one.
fn counted(role: Role, units: Units, window: Credit) -> Credit {
    match role {
        Role::Producer => Credit::ZERO,
        Role::Consumer => Credit::new(
            if units.messages { window.messages() } else { 0 },
            if units.bytes { window.bytes() } else { 0 },
        ),
    }
}

/// Rounded up, so that a very short time does not become zero, which is never.
fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// This version defines none.
fn skip_tlvs(mut fields: Fields<'_>) -> Result<(), Violation> {
    while !fields.is_empty() {
        let cut = |_| violation(Code::FRAME_SIZE, "HELLO.tlv: its type and length run over the body's end");
        let kind = fields.u16().map_err(cut)?;
        let length = fields.u16().map_err(cut)?;
        if fields.skip(length.into()).is_none() {
            let text = format!("HELLO.tlv.length is {length} for type {kind:#06x}: it runs over the body's end");
            return Err(violation(Code::FRAME_SIZE, text));
        }
        if kind >= CRITICAL {
            let text = format!("HELLO.tlv.type is {kind:#06x}: unknown and not to be ignored");
            return Err(violation(Code::PROTOCOL, text));
        }
    }
    Ok(())
}
