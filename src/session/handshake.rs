//! HELLO: what this side says in it, and what it takes from the peer.

use super::reasons::breach;
use super::settings::Settings;
use crate::wire::{Code, Hello, Role, Units, Version};
use crate::{Credit, Violation, Window};
use std::ops::RangeInclusive;
use std::time::Duration;

const MAX_FRAME: RangeInclusive<u32> = 1_024..=(1 << 24) - 1;
const IDLE: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(24 * 60 * 60);
const PING: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(60);
const WINDOW: RangeInclusive<u64> = 1..=Window::MAX;

/// The longest frame body that every peer takes.
pub(super) const LEAST_MAX_FRAME: u32 = *MAX_FRAME.start();

/// What this side says: legal, whatever the settings are.
pub(super) fn own_hello(settings: &Settings, role: Role, units: Units, window: Credit, session: [u8; 16]) -> Hello {
    let idle_timeout = match settings.idle_timeout {
        Duration::ZERO => Duration::ZERO,
        idle => idle.clamp(*IDLE.start(), *IDLE.end()),
    };
    Hello {
        version: Version::CURRENT,
        role,
        units,
        features: 0,
        max_frame: settings.max_frame.clamp(*MAX_FRAME.start(), *MAX_FRAME.end()),
        idle_timeout,
        ping_interval: settings.ping_interval.min(*PING.end()),
        window,
        session,
    }
}

/// What a window counts.
pub(super) fn units_of(window: Window) -> Units {
    Units { messages: window.message_limit().is_some(), bytes: window.byte_limit().is_some() }
}

/// The window that a consumer's HELLO says.
pub(super) fn window_of(hello: &Hello) -> Window {
    let messages = Window::messages(hello.window.messages());
    let bytes = hello.window.bytes();
    match hello.units {
        Units { messages: true, bytes: true } => messages.and_bytes(bytes),
        Units { messages: false, bytes: true } => Window::bytes(bytes),
        Units { .. } => messages,
    }
}

/// Whether `own` and `theirs` can speak to each other.
pub(super) fn check(own: &Hello, theirs: &Hello) -> Result<(), Violation> {
    let (here, there) = (own.version, theirs.version);
    if here.major != there.major {
        let text = format!(
            "version {}.{} is spoken there, 1.0 to {}.{} here",
            there.major, there.minor, here.major, here.minor
        );
        return Err(breach(Code::VERSION, text));
    }
    if own.role == theirs.role {
        return Err(breach(Code::PROTOCOL, format!("both sides are {}s", name_of(own.role))));
    }
    if theirs.units == (Units { messages: false, bytes: false }) {
        return Err(breach(Code::PROTOCOL, "HELLO says units 0: it has to count messages, bytes or both"));
    }
    in_range("max_frame", theirs.max_frame, &MAX_FRAME)?;
    if theirs.idle_timeout != Duration::ZERO {
        in_range("idle_ms", theirs.idle_timeout.as_millis(), &millis(&IDLE))?;
    }
    in_range("ping_ms", theirs.ping_interval.as_millis(), &millis(&PING))?;
    if theirs.role == Role::Consumer {
        if theirs.units.messages {
            in_range("window_messages", theirs.window.messages(), &WINDOW)?;
        }
        if theirs.units.bytes {
            in_range("window_bytes", theirs.window.bytes(), &WINDOW)?;
        }
    }
    let (producer, consumer) =
        if own.role == Role::Producer { (own.units, theirs.units) } else { (theirs.units, own.units) };
    if (consumer.messages && !producer.messages) || (consumer.bytes && !producer.bytes) {
        let unit = if consumer.bytes && !producer.bytes { "bytes" } else { "messages" };
        return Err(breach(Code::UNIT_MISMATCH, format!("the window counts {unit}, which the producer cannot")));
    }
    Ok(())
}

fn in_range<N>(field: &str, value: N, range: &RangeInclusive<N>) -> Result<(), Violation>
where
    N: PartialOrd + std::fmt::Display,
{
    if range.contains(&value) {
        return Ok(());
    }
    let text = format!("HELLO says {field} {value}: it has to be {} to {}", range.start(), range.end());
    Err(breach(Code::PROTOCOL, text))
}

fn millis(range: &RangeInclusive<Duration>) -> RangeInclusive<u128> {
    range.start().as_millis()..=range.end().as_millis()
}

fn name_of(role: Role) -> &'static str {
    match role {
        Role::Producer => "producer",
        Role::Consumer => "consumer",
    }
}
