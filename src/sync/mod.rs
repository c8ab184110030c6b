//! The only room with locks, atomics and wakers.
//!
//! * **One lock per channel**, held for a few loads and stores. No user code runs under it: no `Drop` of
//!   a value, no waker (neither its clone, wake nor drop), no closure. Wakers to be woken are gathered in
//!   a [`WakeList`] under the lock and woken after it.
//! * **One word beside it**, the [`Tray`], into which guards put credit that comes home without taking
//!   the lock, unless somebody waits for it.
//! * **One lock per stage that returns in batches**, the [`Bank`]: the same rules hold for it.
//! * Everything here goes through [`shim`], so that under `--cfg credit_channel_loom` it is loom's.

mod bank;
pub(crate) mod clock;
pub(crate) mod coop;
mod counter;
pub(crate) mod shim;
mod tray;
mod wake_list;
mod watchers;

pub(crate) use bank::Bank;
pub(crate) use counter::Counter;
pub(crate) use tray::Tray;
pub(crate) use wake_list::WakeList;
pub(crate) use watchers::Watchers;
