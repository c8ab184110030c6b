//! User code inside a stage.

use super::Stage;
use crate::CancelReason;
use std::mem;

/// Runs a closure of the user's; if it panics, what is before the stage is told before the panic goes on.
#[inline(always)]
pub(crate) fn telling<S: Stage, R>(upstream: &mut S, run: impl FnOnce() -> R) -> R {
    struct CancelOnUnwind<'a, S: Stage>(&'a mut S);
    impl<S: Stage> Drop for CancelOnUnwind<'_, S> {
        fn drop(&mut self) {
            self.0.cancel(CancelReason::HandlerPanic);
        }
    }
    let unwinding = CancelOnUnwind(upstream);
    let result = run();
    mem::forget(unwinding);
    result
}
