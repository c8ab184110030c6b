//! Settings, windows, and the passing of time.

use super::super::input::Input;
use super::watch::{Load, Watch};
use credit_channel::Window;
use credit_channel::session::{Session, Settings};
use std::time::{Duration, Instant};

/// Times that a user may set, the ones that make no sense among them. Short inputs, and most others, get the defaults.
pub(super) fn settings(input: &mut Input<'_>) -> Settings {
    let mut settings = Settings { ping_seed: 7, ..Settings::default() };
    if input.below(4) != 3 {
        return settings;
    }
    for time in [
        &mut settings.handshake_timeout,
        &mut settings.keepalive,
        &mut settings.idle_timeout,
        &mut settings.frame_timeout,
        &mut settings.write_timeout,
        &mut settings.linger,
        &mut settings.ping_interval,
    ] {
        if let Some(other) = duration(input) {
            *time = other;
        }
    }
    settings.progress_timeout = duration(input);
    settings.max_frame = [0, 1_024, 65_536, u32::MAX][usize::from(input.below(4))];
    settings
}

fn duration(input: &mut Input<'_>) -> Option<Duration> {
    match input.below(16) {
        0 => Some(Duration::ZERO),
        1 => Some(Duration::from_nanos(1)),
        2 => Some(Duration::from_millis(100)),
        3 => Some(Duration::from_secs(1)),
        4 => Some(Duration::from_secs(60)),
        5 => Some(Duration::MAX),
        6 => Some(Duration::from_secs(1 << 60)),
        7 => Some(Duration::from_millis(input.byte().into())),
        _ => None,
    }
}

pub(super) fn window(input: &mut Input<'_>) -> Window {
    let (messages, bytes) = (1 + u64::from(input.below(8)), 1 + u64::from(input.byte()));
    match input.below(3) {
        0 => Window::messages(messages),
        1 => Window::bytes(bytes),
        _ => Window::messages(messages).and_bytes(bytes),
    }
}

/// A later time: a little, a lot, or when it was asked for.
pub(super) fn later(input: &mut Input<'_>, now: Instant, due: Option<Instant>) -> Instant {
    let time = u64::from(input.byte());
    match (input.below(4), due) {
        (0, _) => now + Duration::from_millis(time),
        (1, _) => now + Duration::from_millis(100 * time),
        (2, _) => now + Duration::from_secs(time),
        (_, Some(due)) => due.max(now),
        (_, None) => now,
    }
}

/// Calls the session because its time is up; it is up again at once a few times at most.
pub(super) fn ring<T: Load>(session: &mut Session<T>, watch: &mut Watch, now: Instant) {
    for _ in 0..4 {
        if let Some(event) = session.handle_timeout(now) {
            watch.told(&event);
        }
        watch.check(session, now);
        if session.poll_timeout().is_none_or(|at| at > now) {
            return;
        }
    }
    panic!("the timer rings at {now:?} and is never content: {session:?}");
}

/// Lets time pass until nothing is waited for any more.
pub(super) fn wait_for_ever<T: Load>(session: &mut Session<T>, watch: &mut Watch, mut now: Instant) -> Instant {
    for _ in 0..32 {
        let Some(due) = session.poll_timeout() else { return now };
        now = due.max(now);
        ring(session, watch, now);
        drain(session, watch, now);
    }
    panic!("a timer without end: {session:?}");
}

/// Takes all that is to be said.
pub(super) fn drain<T: Load>(session: &mut Session<T>, watch: &mut Watch, now: Instant) {
    let mut count = 0;
    while let Some(frame) = session.poll_frame(now) {
        watch.said(&frame);
        count += 1;
        assert!(count <= 9, "more than one frame of each kind is kept");
    }
    watch.check(session, now);
}
