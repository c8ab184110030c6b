//! The rules of Reactive Streams (JVM 1.0.4) that concern a stage, as consumer and as producer, and this crate's own two:
//! one suite, run against every stage in [`subjects`], on both runtimes.
//!
//! request(n) is n polls of the stage, onNext a chunk, onComplete the end, onError an error, cancel
//! [`Stage::cancel`](credit_channel::stages::Stage::cancel) or a drop; what a stage asks of what is before it is the
//! chunks that it takes there. A test has the number of the rule in its name; a failure says which subject it was.
//!
//! | rule | in short | where |
//! |---|---|---|
//! | 1.1, S2 | no more out than asked for, no more in than that needs | [`publisher`], `rs_1_1` |
//! | 1.2 | may send less and end | `rs_1_2` |
//! | 1.3 | one after the other, in order | `rs_1_3` |
//! | 1.4 | a failure is an error | `rs_1_4`, the abandoned source too |
//! | 1.5 | success is an end, an empty one too | `rs_1_5` |
//! | 1.6, 2.4 | after a terminal nothing concerns what is before | [`subscriber`], `rs_2_4` |
//! | 1.7 | nothing after a terminal | `rs_1_7`, polled 100 times |
//! | 1.8, 3.12, 3.14 | cancelled, it stops; who is parked wakes; the source's loop ends | `rs_1_8` and `rs_3_12` |
//! | 1.9 | whoever makes one gets one | `rs_1_9`, outside of any runtime |
//! | 2.1 | nothing is taken that was not asked for | `rs_2_1` |
//! | 2.3 | who hears of the end tells nobody anything | `rs_2_3` |
//! | 2.6 | what is not needed is cancelled | `rs_2_6`, by a drop |
//! | 2.7, 3.4 | guards go from any thread, beside a cancel | `rs_2_7` |
//! | 2.8 | what comes after a cancel is dropped and accounted for | `rs_2_8` |
//! | 2.9, 2.10 | end and error need no demand | `rs_2_9`, `rs_2_10`, with all in hand that may be |
//! | 2.13 | a closure or handler that panics cancels | `rs_2_13` |
//! | 3.2 | guards go in the handler, in a `Drop`, in a poll, in a cancel | [`subscription`], `rs_3_2` |
//! | 3.3 | whoever is always ready lets others run | `rs_3_3`, a million items |
//! | 3.5 to 3.7 | cancel once or often, guards after it | `rs_3_5` |
//! | 3.8 | requests add up | `rs_3_8`, polls dropped halfway among them |
//! | 3.13 | a cancel lets go of everything | `rs_3_13`, by weak references |
//! | 3.15, 3.16 | neither cancel nor the drop of a guard fails | `rs_3_15`, without a runtime and in a panic |
//! | 3.17 | demand as large as can be | `rs_3_17` |
//! | 4.1 | long-ago demand goes on | [`processor`], `rs_4_1` |
//! | 4.2 | an error passes, as what it was | `rs_4_2`; its order (an option) is each stage's own test |
//! | I1 | what comes out holds the credit of what went in, whatever way it ends | [`carrying`] |
//! | S7 | no more in flight than the one window, however many the stages | [`end_to_end`] |
//! | I2, I3 | all accounts balance at the end | `accounts_balance` there, and the end of every other test |
//!
//! Not here: 1.10, 1.11, 2.5 and 2.12, since what is before a stage is moved into it; 2.2, since a stage has no task
//! that could be obstructed; 2.11 and 3.1, by the types (`Send`, `&mut self`) and the loom models; 3.9, in `Demand` and
//! where stages are made; 3.10 and 3.11, which only allow.

mod carrying;
mod end_to_end;
mod holding;
mod processor;
mod publisher;
mod rig;
mod source;
mod subjects;
mod subscriber;
mod subscription;
