//! Whether a target stands still.

/// The last targets, as far as they agree.
///
/// At once, a window follows a target that is off by a quarter. A smaller difference may be noise, and is followed only
/// when three targets in a row have said the same: exactly, or as nearly as a window of that size needs it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    /// The target, and how often in a row it was just that.
    same: (u64, u32),
    /// The first of a row that does not stray from it, and the length of the row.
    near: (u64, u32),
}

/// So many in a row are no chance.
const ENOUGH: u32 = 3;

impl Standing {
    pub(super) fn add(&mut self, target: u64) {
        run(&mut self.same, target, 0);
        run(&mut self.near, target, slack(target));
    }

    /// Whether the window should become the target that was added last.
    pub(super) fn calls_for(&self, window: u64) -> bool {
        let target = self.same.0;
        let off = target.abs_diff(window);
        off >= window.div_ceil(4).max(1)
            || (self.same.1 >= ENOUGH && off > 0)
            || (self.near.1 >= ENOUGH && off > slack(target))
    }
}

/// What targets may differ by under noise: 1 up to 63, then a thirty-second.
fn slack(target: u64) -> u64 {
    (target / 32).max(1)
}

/// One more target: of the row, or the first of a new one.
fn run((first, length): &mut (u64, u32), target: u64, slack: u64) {
    if target.abs_diff(*first) <= slack {
        *length = length.saturating_add(1);
    } else {
        (*first, *length) = (target, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::Standing;

    fn calls_for(window: u64, targets: &[u64]) -> bool {
        let mut standing = Standing::default();
        targets.iter().for_each(|&target| standing.add(target));
        standing.calls_for(window)
    }

    #[test]
    fn a_quarter_is_followed_at_once() {
        assert!(calls_for(8, &[10]) && calls_for(8, &[6]));
        assert!(!calls_for(8, &[9]) && !calls_for(8, &[7]));
        assert!(calls_for(4, &[5]) && calls_for(2, &[3]), "at small windows 1 is a quarter");
        assert!(!calls_for(2, &[2, 2, 2]));
    }

    #[test]
    fn less_is_followed_when_it_stood_still() {
        assert!(!calls_for(8, &[9, 9]));
        assert!(calls_for(8, &[9, 9, 9]));
        assert!(!calls_for(8, &[9, 9, 8, 9, 9]));
        assert!(!calls_for(320, &[329, 328, 330]), "noise of the size that such windows have");
        assert!(calls_for(320, &[340, 339, 341]));
        assert!(calls_for(320, &[322, 322, 322]));
    }
}
