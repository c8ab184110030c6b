//! The session machine, driven by the bytes of an input. The first says what is driven:
//!
//! * one side alone ([`lone`]), whose peer says anything: right, nearly right, at the wrong time, from the wrong side;
//! * two sides and their users ([`pair`]), which keep the rules, over a connection that cuts and delays what it
//!   carries, and breaks.
//!
//! Held to, by the numbers of the promises in the documentation of the crate:
//!
//! | | |
//! |---|---|
//! | I1 | a producer sends within what was granted, a consumer takes in what it announced; between two honest sides never more is sent than the consumer's books allow |
//! | I2, I3 | released ≤ sent, on both sides; at rest the producer knows of all that was released, and has the whole window |
//! | I4 | two honest sides get through all that was accepted, without a timer's help |
//! | I5 | whatever happens, a session becomes over once its peer is gone, or its time is up |
//! | I6 | chunks come once, in order, as they were sent; an END is told only with all of them |
//! | I8 | one ending at most, nothing after it, and the one that the other side said |
//! | I9 | a handful of control frames, however much came; texts are bounded; timers do not spin |
//! | I10 | nothing panics, in any state; a schedule may stop anywhere |
//!
//! I7 is the channel's: a session never holds a value.

mod frames;
mod lone;
mod pair;
mod setup;
mod verdict;
mod watch;

use super::input::Input;
use credit_channel::wire::Role;

/// Drives sessions through one input.
pub fn session(data: &[u8]) {
    let mut input = Input::new(data);
    match input.byte() % 4 {
        0 => lone::run(Role::Producer, &mut input),
        1 => lone::run(Role::Consumer, &mut input),
        _ => pair::run(&mut input),
    }
}
