//! User code inside a stage.

use super::Stage;
use crate::CancelReason;
use crate::channel::on_unwind;

/// Runs a closure of the user's; if it panics, what is before the stage is told before the panic goes on.
#[inline(always)]
pub(crate) fn telling<S: Stage, R>(upstream: &mut S, run: impl FnOnce() -> R) -> R {
    on_unwind(|| upstream.cancel(CancelReason::HandlerPanic), run)
}
