//! User code that may panic.

use std::mem;

/// Runs user code; if it panics, `tell` is called before the panic goes on.
#[inline(always)]
pub(crate) fn on_unwind<R>(tell: impl FnOnce(), run: impl FnOnce() -> R) -> R {
    struct Unwinding<F: FnOnce()>(Option<F>);
    impl<F: FnOnce()> Drop for Unwinding<F> {
        fn drop(&mut self) {
            if let Some(tell) = self.0.take() {
                tell();
            }
        }
    }
    let unwinding = Unwinding(Some(tell));
    let result = run();
    mem::forget(unwinding);
    result
}
