//! Without transports there are no drivers.

use super::state::State;
use crate::Window;
use crate::sync::WakeList;

/// Nobody asks.
#[derive(Debug, Default)]
pub(super) struct Remote {}

impl Remote {
    pub(super) fn held_up(&self) -> bool {
        let Self {} = self;
        false
    }

    pub(super) fn round_trip(&self) -> Option<std::time::Duration> {
        let Self {} = self;
        None
    }
}

impl<T> State<T> {
    pub(super) fn tell_of_park(&self, _: &mut WakeList) {
        let Remote {} = self.remote;
    }

    pub(super) fn tell_listener(&self, _: &mut WakeList) {}

    pub(super) fn tell_of_want(&mut self, _: &mut WakeList) {}

    pub(super) fn call_listener(&self, _: &mut WakeList) {}

    pub(super) fn listener_sees_all(&self) -> bool {
        false
    }

    pub(super) fn arm(&self, _: &mut WakeList) {}

    pub(super) fn measure(&self) {}

    pub(super) fn is_listened_to(&self) -> bool {
        false
    }

    pub(super) fn window_kept(&self, asked: Window) -> Window {
        asked
    }
}
