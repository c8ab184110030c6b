//! An onlooker: what one session said, sent and told, and whether it may have.

use bytes::Bytes;
use credit_channel::session::{Event, Session};
use credit_channel::wire::{Frame, Grant, Hello, LARGEST_MAX_FRAME, Role, SMALLEST_MAX_FRAME, Units};
use credit_channel::{CancelReason, Credit, Disconnect, Failure};
use std::fmt::Debug;
use std::time::Instant;

/// What a chunk carries.
pub(super) trait Load: Debug {
    fn weight(&self) -> u64;
}

impl Load for Bytes {
    fn weight(&self) -> u64 {
        u64::try_from(self.len()).expect("short")
    }
}

/// How a channel ended, as its side was told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ending {
    Ended(u64),
    Failed(Failure, bool),
    Abandoned,
    Drained,
    Cancelled(CancelReason),
    Lost(Disconnect),
}

/// Messages and bytes.
pub(super) type Amount = [u64; 2];

#[derive(Debug)]
pub(super) struct Watch {
    pub(super) role: Role,
    /// Which units the window counts: a producer knows with the consumer's HELLO.
    pub(super) counted: [bool; 2],
    pub(super) opened: bool,
    /// Nothing more may be told: the channel ended it, or was told that it ended.
    pub(super) ended: bool,
    pub(super) ending: Option<Ending>,
    pub(super) over: bool,
    said: u64,
    /// A producer's END or ERROR is said.
    pub(super) last_word: bool,
    /// All is said.
    silent: bool,
    pub(super) goaway: Option<u32>,
    pub(super) credits: u32,
    /// Of a producer sent, of a consumer received.
    pub(super) chunks: u64,
    pub(super) cost: Amount,
    /// The newest CREDIT: of a producer as it was told, of a consumer as it was said.
    pub(super) grant: Grant,
    /// A PING of ours that is not answered.
    pub(super) asked: Option<u64>,
    /// The latest PING of theirs, if it is not answered.
    pub(super) owed: Option<u64>,
}

impl Watch {
    pub(super) fn new(role: Role, counted: [bool; 2]) -> Self {
        Self {
            role,
            counted,
            opened: false,
            ended: false,
            ending: None,
            over: false,
            said: 0,
            last_word: false,
            silent: false,
            goaway: None,
            credits: 0,
            chunks: 0,
            cost: [0; 2],
            grant: Grant::default(),
            asked: None,
            owed: None,
        }
    }

    /// What one more chunk of this weight makes of the cost.
    pub(super) fn plus(&self, weight: u64) -> Amount {
        let [messages, bytes] = self.cost;
        let [by_message, by_byte] = self.counted;
        [messages + u64::from(by_message), bytes.saturating_add(if by_byte { weight.max(1) } else { 0 })]
    }

    pub(super) fn fits(&self, amount: Amount, limit: Credit) -> bool {
        let limit = amounts(limit);
        (0..2).all(|unit| !self.counted[unit] || amount[unit] <= limit[unit])
    }

    // ----- what may be said -----

    pub(super) fn said<T: Load>(&mut self, frame: &Frame<T>) {
        assert!(!self.silent && !self.over, "{frame:?} after all was said");
        assert_eq!(self.said == 0, matches!(frame, Frame::Hello(_)), "{frame:?} as frame {}", self.said);
        self.said += 1;
        let producer = self.role == Role::Producer;
        match frame {
            Frame::Hello(hello) => assert_eq!(hello.role, self.role),
            Frame::Pong { token } => assert_eq!(self.owed.take(), Some(*token), "a PONG that nobody asked for"),
            Frame::Ping { token } => assert_eq!(self.asked.replace(*token), None, "one PING at a time"),
            Frame::GoAway { code, text } => {
                assert!(text.len() <= 4_096);
                self.goaway = Some(code.0);
                self.silent = true;
            }
            Frame::Cancel { text, .. } if !producer => {
                assert!(text.len() <= 4_096);
                self.silent = true;
            }
            Frame::Credit(grant) if !producer => {
                assert!(goes_on(self.grant, *grant), "{grant:?} after {:?}", self.grant);
                self.grant = *grant;
                self.credits += 1;
            }
            Frame::Drain if !producer => {}
            Frame::Chunk { seq, payload } if producer => {
                assert!(!self.last_word && *seq == self.chunks, "{frame:?} as chunk {}", self.chunks);
                self.cost = self.plus(payload.weight());
                self.chunks += 1;
                assert!(self.fits(self.cost, self.grant.limit), "{frame:?} beyond {:?}", self.grant);
            }
            Frame::Blocked { limit } if producer => {
                assert!(!self.last_word && *limit == self.grant.limit, "{frame:?} with {:?}", self.grant);
            }
            Frame::End { count, .. } | Frame::Error { count, .. } if producer => {
                assert!(!self.last_word, "a second last word");
                assert_eq!(*count, self.chunks);
                self.last_word = true;
            }
            _ => panic!("{frame:?} from a {:?}", self.role),
        }
    }

    // ----- what may be told -----

    pub(super) fn told<T: Load>(&mut self, event: &Event<T>) {
        assert!(!self.ended && !self.over, "{event:?} after the end");
        if let Event::Opened(hello) = event {
            assert!(!self.opened, "opened twice");
            self.opened = true;
            if self.role == Role::Producer {
                self.counted = units(hello);
            }
            return;
        }
        assert!(self.opened || matches!(event, Event::Lost(_)), "{event:?} before it was open");
        let ending = match (event, self.role) {
            (Event::Chunk { seq, payload }, Role::Consumer) => {
                assert_eq!(*seq, self.chunks, "out of order");
                self.chunks += 1;
                self.cost = self.plus(payload.weight());
                return assert!(self.fits(self.cost, self.grant.limit), "beyond what was announced");
            }
            (Event::Blocked, Role::Consumer) | (Event::Drain, Role::Producer) => return,
            (Event::Granted(grant), Role::Producer) => {
                assert!(goes_on(self.grant, *grant), "{grant:?} after {:?}", self.grant);
                let released = amounts(grant.released);
                assert!((0..2).all(|unit| released[unit] <= self.cost[unit]), "{grant:?}, {:?} sent", self.cost);
                assert!(self.fits(self.cost, grant.limit));
                self.grant = *grant;
                return;
            }
            (Event::Ended { count }, Role::Consumer) => {
                assert_eq!(*count, self.chunks);
                Ending::Ended(*count)
            }
            (Event::Failed { failure, discard }, Role::Consumer) => Ending::Failed(failure.clone(), *discard),
            (Event::Abandoned, Role::Consumer) => Ending::Abandoned,
            (Event::Drained, Role::Consumer) => Ending::Drained,
            (Event::Cancelled(reason), Role::Producer) => Ending::Cancelled(reason.clone()),
            (Event::Lost(why), _) => Ending::Lost(why.clone()),
            (event, role) => panic!("{event:?} told to a {role:?}"),
        };
        self.ended = true;
        self.ending = Some(ending);
    }

    // ----- always -----

    pub(super) fn check<T>(&mut self, session: &mut Session<T>, now: Instant) {
        assert!(!self.over || session.is_over(), "over, and then not");
        self.over = session.is_over();
        if self.over {
            assert_eq!(session.poll_timeout(), None);
            assert!(session.wants_write_closed() && session.poll_frame(now).is_none());
        }
        assert!(session.cut_short().is_none() || self.over || self.silent || self.ended, "cut short, and not told");
        if session.wants_write_closed() {
            assert!(!session.may_send());
            self.silent = true;
        }
        assert!((SMALLEST_MAX_FRAME..=LARGEST_MAX_FRAME).contains(&session.peer_max_frame()));
    }
}

pub(super) fn amounts(credit: Credit) -> Amount {
    [credit.messages(), credit.bytes()]
}

pub(super) fn units(hello: &Hello) -> [bool; 2] {
    let Units { messages, bytes } = hello.units;
    [messages, bytes]
}

/// Limit and released never decrease.
fn goes_on(before: Grant, after: Grant) -> bool {
    let pairs = [(before.limit, after.limit), (before.released, after.released)];
    pairs.iter().all(|(a, b)| a.messages() <= b.messages() && a.bytes() <= b.bytes())
}
