//! What happens in one storm, drawn from its seed.

use crate::support::Dice;
use crate::support::link::{CUTS, Cut, Fate, Way};
use credit_channel::{CancelReason, Window};
use std::time::Duration;

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) window: Window,
    pub(crate) fates: [Fate; 2],
    pub(crate) cut: Option<(Way, u64, Cut)>,
    /// One for each producer.
    pub(crate) endings: Vec<Ending>,
    pub(crate) chunks_each: u64,
    pub(crate) longest: u64,
    /// How many chunks the consumer keeps in hand, at most.
    pub(crate) hands: u64,
    /// What it does after so many chunks.
    pub(crate) act: Option<(u64, Act)>,
    /// Whether it lets go of each recv after a few milliseconds and begins anew.
    pub(crate) restless: bool,
}

/// What a producer does when it has sent all of its chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    End,
    EndAndWait,
    Fail,
    FailNow,
    Drop,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Cancel(CancelReason),
    Drop,
    Drain,
    SetWindow(Window),
}

/// The longest chunk, how many of such each producer sends, and what it takes to carry them in reasonable time.
const SIZES: [(u64, u64); 4] = [(0, 30), (300, 20), (5_000, 20), (100 << 10, 4)];

impl Plan {
    pub(crate) fn draw(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let (longest, most) = *dice.one_of(&SIZES);
        let chunks_each = dice.below(most + 1);
        let producers = 1 + dice.below(3);
        let window = draw_window(&mut dice, longest);
        let fates = [draw_fate(&mut dice, longest), draw_fate(&mut dice, longest)];
        let ending = |dice: &mut Dice| match dice.below(12) {
            0 => Ending::Fail,
            1 => Ending::FailNow,
            2 => Ending::Drop,
            3..=5 => Ending::End,
            _ => Ending::EndAndWait,
        };
        let endings: Vec<_> = (0..producers).map(|_| ending(&mut dice)).collect();
        let act = (dice.below(2) == 0).then(|| {
            let act = match dice.below(5) {
                0 => Act::Cancel(CancelReason::other(7, "storm")),
                1 => Act::Drop,
                2 => Act::Drain,
                _ => Act::SetWindow(same_units(&mut dice, window, longest)),
            };
            (dice.below(producers * chunks_each + 2), act)
        });
        let cut = (dice.below(2) == 0).then(|| {
            // Around as much as there is to be carried, or in the opening.
            let whole = match dice.below(4) {
                0 => 150,
                _ => producers * chunks_each * (20 + longest / 2) + 150,
            };
            let (way, cut) = (*dice.one_of(&Way::BOTH), *dice.one_of(&CUTS));
            let most = if way == Way::There { whole } else { 150 + producers * chunks_each * 60 };
            (way, dice.below(most), cut)
        });
        let (hands, restless) = (dice.below(6), dice.below(3) == 0);
        Self { seed, window, fates, cut, endings, chunks_each, longest, hands, act, restless }
    }

    pub(crate) fn producers(&self) -> u64 {
        u64::try_from(self.endings.len()).expect("few")
    }
}

fn draw_window(dice: &mut Dice, longest: u64) -> Window {
    let messages = Window::messages(1 + dice.below(20));
    let bytes = longest.max(6) + dice.below(4 * longest + 100);
    match dice.below(3) {
        0 => messages,
        1 => Window::bytes(bytes),
        _ => messages.and_bytes(bytes),
    }
}

/// Another window in the same units; perhaps one that the longest chunks do not fit in any more.
fn same_units(dice: &mut Dice, window: Window, longest: u64) -> Window {
    let messages = 1 + dice.below(30);
    let bytes = 6 + dice.below(5 * longest + 100);
    match (window.message_limit(), window.byte_limit()) {
        (Some(_), Some(_)) => Window::messages(messages).and_bytes(bytes),
        (None, Some(_)) => Window::bytes(bytes),
        _ => Window::messages(messages),
    }
}

fn draw_fate(dice: &mut Dice, longest: u64) -> Fate {
    let small = longest <= 300;
    let crumbs = if small && dice.below(2) == 0 { 1..=7 } else { 1..=*dice.one_of(&[100_000, 4096]) };
    let buffer = *dice.one_of(if small { &[1, 24, 24, 1000] } else { &[4096, 30_000, 65_536] });
    // What is under way fills the buffer: a small one and a long way would carry next to nothing.
    let latency = dice.one_of(if buffer < 1000 { &[0, 0, 0, 1] } else { &[0, 1, 20, 200] });
    Fate {
        latency: Duration::from_millis(*latency),
        rate: *dice.one_of(&[0, 0, 100, 5000]),
        buffer,
        crumbs,
        hiccups: *dice.one_of(&[0, 20]),
    }
}
