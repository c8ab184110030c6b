//! The numbers of channels, published through the [`metrics`](https://docs.rs/metrics) facade.
//!
//! Every channel counts anyway, so nothing is published per chunk. A [`Reporter`] is handed [`Meter`](crate::Meter)s, each
//! with a name, reads them when it is told to, and hands what they say to whatever recorder the application has
//! installed. Between two reports it costs nothing.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use credit_channel::metrics::Reporter;
//! use credit_channel::{Window, channel};
//! use std::time::Duration;
//!
//! let (tx, mut rx) = channel::<u64>(Window::messages(64))?;
//! let reporter = Reporter::new();
//! reporter.watch("export", rx.meter());
//! tokio::spawn(reporter.clone().run(Duration::from_secs(5)));
//! # tx.end();
//! # assert!(rx.recv().await?.is_none());
//! reporter.report(); // or by hand: the last time, before the application ends
//! # Ok(())
//! # }
//! ```
//!
//! `examples/prometheus` serves them to Prometheus, and has a dashboard for Grafana.
//!
//! # What is published
//!
//! Each with the label `channel`, which is the name, and with the one named here.
//!
//! | name | kind | label | unit | what it is |
//! |---|---|---|---|---|
//! | `credit_channel_channels` | gauge |  |  | channels of this name that are not over |
//! | `credit_channel_window` | gauge | `unit` |  | the window in force |
//! | `credit_channel_credit` | gauge | `unit` |  | what could be sent now without waiting |
//! | `credit_channel_depth` | gauge | `unit` |  | cost in flight: sent and not yet released |
//! | `credit_channel_depth_peak` | gauge | `unit` |  | the most that was ever in flight |
//! | `credit_channel_reserved` | gauge | `unit` |  | credit held by permits |
//! | `credit_channel_waiting` | gauge |  |  | senders waiting for credit now |
//! | `credit_channel_producers` | gauge |  |  | producer handles alive |
//! | `credit_channel_parked_seconds` | gauge |  | seconds | for how long senders have been waiting now without a break; 0 if none waits |
//! | `credit_channel_oldest_work_seconds` | gauge |  | seconds | for how long the oldest timed chunk has been worked on; 0 if none is |
//! | `credit_channel_round_trip_seconds` | gauge |  | seconds | there and back to the other end of a connection; absent where it is not known |
//! | `credit_channel_park_share` | gauge |  |  | the part of the interval in which a sender waited |
//! | `credit_channel_transport_park_share` | gauge |  |  | the part of it in which one waited for the transport's sake |
//! | `credit_channel_idle_share` | gauge |  |  | the part of it in which the consumer waited with nothing in flight |
//! | `credit_channel_full_share` | gauge |  |  | the part of it in which the whole window was in flight |
//! | `credit_channel_condition` | gauge | `condition` |  | how many channels of this name are judged so, of the interval |
//! | `credit_channel_chunks_sent_total` | counter |  |  | chunks sent |
//! | `credit_channel_released_total` | counter | `unit` |  | cost whose work is done, or that was discarded |
//! | `credit_channel_forgotten_total` | counter | `unit` |  | credit that `forget` took out of the window for good |
//! | `credit_channel_parks_total` | counter |  |  | times that a sender had to wait for credit |
//! | `credit_channel_park_microseconds_total` | counter |  | microseconds | time during which at least one sender was waiting |
//! | `credit_channel_transport_park_microseconds_total` | counter |  | microseconds | the part of that in which the transport took no more |
//! | `credit_channel_idle_microseconds_total` | counter |  | microseconds | time in which the consumer waited with nothing in flight |
//! | `credit_channel_depth_microseconds_total` | counter | `level` | microseconds | for how long the depth was at which part of the window |
//! | `credit_channel_open_microseconds_total` | counter |  | microseconds | for how long channels were open: what the other times are a part of |
//! | `credit_channel_work_timed_total` | counter |  |  | chunks whose work was timed |
//! | `credit_channel_work_microseconds_total` | counter |  | microseconds | what their work took, all together |
//! | `credit_channel_work_bucket_total` | counter | `le` |  | how many of them took at most so many seconds |
//! | `credit_channel_workers` | gauge |  |  | workers of a pool |
//! | `credit_channel_workers_busy` | gauge |  |  | workers that have something in hand |
//! | `credit_channel_workers_queued` | gauge |  |  | values that wait for a worker |
//! | `credit_channel_workers_served_total` | counter |  |  | values that workers are done with |
//! | `credit_channel_workers_refused_total` | counter | `reason` |  | submissions that the pool refused |
//! | `credit_channel_workers_microseconds_total` | counter |  | microseconds | the time all workers together had something in hand |
//! | `credit_channel_connection_frames_received_total` | counter | `frame` |  | frames that came over connections |
//! | `credit_channel_connection_frames_sent_total` | counter | `frame` |  | frames that were handed to connections |
//! | `credit_channel_connection_read_bytes_total` | counter |  | bytes | bytes that came over connections |
//! | `credit_channel_connection_written_bytes_total` | counter |  | bytes | bytes that were written to connections |
//! | `credit_channel_connection_budget_used` | gauge |  |  | what a peer has used of its 1,000 for frames that carry no chunk; at that it is cut off |
//!
//! | label | values |
//! |---|---|
//! | `unit` | `messages`, `bytes`: those that the window counts |
//! | `condition` | `healthy`, `consumer_bound`, `producer_bound`, `window_too_small`, `consumer_stalled`, `transport_bound`, `leaked_credit`: [`Condition`](crate::Condition) |
//! | `level` | `empty`, `quarter_1` to `quarter_4`, `full`: [`DepthTimes`](crate::DepthTimes) |
//! | `le` | `0.000001`, `0.000004` and so on to `4.194304`, `+Inf`: [`WorkTimes`](crate::WorkTimes) |
//! | `reason` | `full`, `not_admitted`, `closed` |
//! | `frame` | `hello`, `chunk`, `credit` and so on, with the names of PROTOCOL.md; `ignored` for kinds that are unknown |
//!
//! The ones of workers are there for pools that are watched with [`Reporter::watch_workers`]: the others of that name are
//! then those of the window round the pool. The ones of connections are there for `Reporter::watch_connection`, which
//! needs the feature `transport`.
//!
//! # How to read them
//!
//! * **Counters** are whole numbers in `metrics`, so times are counted in microseconds. They are set and not added to,
//!   so a report that is missed loses nothing, and they never go down: what a channel came to stays in the sum of its
//!   name when it is over.
//! * **Shares and conditions** are of the interval since the last report, whoever asked for it, and from 0 to 1. For
//!   intervals of your own take the counters: `rate(credit_channel_park_microseconds_total[5m]) /
//!   rate(credit_channel_open_microseconds_total[5m])`.
//! * **How long work takes** comes in cumulative buckets with a label `le`, as Prometheus has them, and under a name of
//!   its own since the facade's histograms take single values: `histogram_quantile(0.99,
//!   rate(credit_channel_work_bucket_total[5m]))`, in seconds. Each end is four times the one before, so a quantile is
//!   right within that. Of work below 100 µs few chunks are timed: for how many there were take
//!   `credit_channel_chunks_sent_total`.
//! * **Several channels of one name** are added up; of peaks and of times that last the longest is taken, and shares are
//!   those of the channels' time together.
//! * **Over a connection** each end has numbers of its own. Where both are in one process, give them two names. The
//!   producer's end leaves the report at once where the channel did not end cleanly: nobody may be left to say that the
//!   work is done.
//! * **A channel that is over** is reported once more when all its work is done, then no longer. If it was the last of
//!   its name, its gauges are 0 in that report, so that nothing keeps showing a share or a condition that is past.

mod beside;
mod names;
mod publish;
mod reporter;
mod sums;
#[cfg(feature = "transport")]
mod traffic;

pub use names::describe;
pub use reporter::Reporter;
