//! What is published: names, kinds, labels, units, and what they mean.

use metrics::{Unit, describe_counter, describe_gauge};

/// One metric: a row of the table in the module's docs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    kind: Kind,
    /// The label beside `channel`.
    pub(super) label: Option<&'static str>,
    unit: Option<Unit>,
    text: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Gauge,
    Counter,
}

macro_rules! table {
    ($($kind:ident $id:ident $(by $label:literal)? $(in $unit:ident)?: $text:literal = $name:literal;)*) => {
        $(pub(super) const $id: Metric = Metric {
            name: $name,
            kind: Kind::$kind,
            label: table!(@some $($label)?),
            unit: table!(@some $(Unit::$unit)?),
            text: $text,
        };)*
        const ALL: &[Metric] = &[$($id),*];
    };
    (@some) => { None };
    (@some $value:expr) => { Some($value) };
}

// The text is what an exporter shows as help, and the table's last column.
table! {
    Gauge CHANNELS: "channels of this name that are not over" = "credit_channel_channels";
    Gauge WINDOW by "unit": "the window in force" = "credit_channel_window";
    Gauge CREDIT by "unit": "what could be sent now without waiting" = "credit_channel_credit";
    Gauge DEPTH by "unit": "cost in flight: sent and not yet released" = "credit_channel_depth";
    Gauge DEPTH_PEAK by "unit": "the most that was ever in flight" = "credit_channel_depth_peak";
    Gauge RESERVED by "unit": "credit held by permits" = "credit_channel_reserved";
    Gauge WAITING: "senders waiting for credit now" = "credit_channel_waiting";
    Gauge PRODUCERS: "producer handles alive" = "credit_channel_producers";
    Gauge PARKED in Seconds: "for how long senders have been waiting now without a break; 0 if none waits"
        = "credit_channel_parked_seconds";
    Gauge OLDEST_WORK in Seconds: "for how long the oldest timed chunk has been worked on; 0 if none is"
        = "credit_channel_oldest_work_seconds";
    Gauge ROUND_TRIP in Seconds: "there and back to the other end of a connection; absent where it is not known"
        = "credit_channel_round_trip_seconds";
    Gauge PARK_SHARE: "the part of the interval in which a sender waited" = "credit_channel_park_share";
    Gauge TRANSPORT_PARK_SHARE: "the part of it in which one waited for the transport's sake"
        = "credit_channel_transport_park_share";
    Gauge IDLE_SHARE: "the part of it in which the consumer waited with nothing in flight"
        = "credit_channel_idle_share";
    Gauge FULL_SHARE: "the part of it in which the whole window was in flight" = "credit_channel_full_share";
    Gauge CONDITION by "condition": "how many channels of this name are judged so, of the interval"
        = "credit_channel_condition";
    Counter SENT: "chunks sent" = "credit_channel_chunks_sent_total";
    Counter RELEASED by "unit": "cost whose work is done, or that was discarded" = "credit_channel_released_total";
    Counter FORGOTTEN by "unit": "credit that `forget` took out of the window for good"
        = "credit_channel_forgotten_total";
    Counter PARKS: "times that a sender had to wait for credit" = "credit_channel_parks_total";
    Counter PARK_TIME in Microseconds: "time during which at least one sender was waiting"
        = "credit_channel_park_microseconds_total";
    Counter TRANSPORT_PARK_TIME in Microseconds: "the part of that in which the transport took no more"
        = "credit_channel_transport_park_microseconds_total";
    Counter IDLE_TIME in Microseconds: "time in which the consumer waited with nothing in flight"
        = "credit_channel_idle_microseconds_total";
    Counter DEPTH_TIME by "level" in Microseconds: "for how long the depth was at which part of the window"
        = "credit_channel_depth_microseconds_total";
    Counter OPEN_TIME in Microseconds: "for how long channels were open: what the other times are a part of"
        = "credit_channel_open_microseconds_total";
    Counter WORK_TIMED: "chunks whose work was timed" = "credit_channel_work_timed_total";
    Counter WORK_TIME in Microseconds: "what their work took, all together" = "credit_channel_work_microseconds_total";
    Counter WORK_BUCKET by "le": "how many of them took at most so many seconds"
        = "credit_channel_work_bucket_total";
    Gauge WORKERS: "workers of a pool" = "credit_channel_workers";
    Gauge WORKERS_BUSY: "workers that have something in hand" = "credit_channel_workers_busy";
    Gauge WORKERS_QUEUED: "values that wait for a worker" = "credit_channel_workers_queued";
    Counter WORKERS_SERVED: "values that workers are done with" = "credit_channel_workers_served_total";
    Counter WORKERS_REFUSED by "reason": "submissions that the pool refused" = "credit_channel_workers_refused_total";
    Counter WORKERS_TIME in Microseconds: "the time all workers together had something in hand"
        = "credit_channel_workers_microseconds_total";
    Counter FRAMES_RECEIVED by "frame": "frames that came over connections"
        = "credit_channel_connection_frames_received_total";
    Counter FRAMES_SENT by "frame": "frames that were handed to connections"
        = "credit_channel_connection_frames_sent_total";
    Counter BYTES_READ in Bytes: "bytes that came over connections" = "credit_channel_connection_read_bytes_total";
    Counter BYTES_WRITTEN in Bytes: "bytes that were written to connections"
        = "credit_channel_connection_written_bytes_total";
    Gauge BUDGET_USED: "what a peer has used of its 1,000 for frames that carry no chunk; at that it is cut off"
        = "credit_channel_connection_budget_used";
}

/// Tells the recorder what the metrics are: their units and a line of help for each.
///
/// The first [`report`](super::Reporter::report) does that. It is only needed where a recorder is installed after that.
pub fn describe() {
    for &Metric { name, kind, unit, text, .. } in ALL {
        match (kind, unit) {
            (Kind::Gauge, Some(unit)) => describe_gauge!(name, unit, text),
            (Kind::Gauge, None) => describe_gauge!(name, text),
            (Kind::Counter, Some(unit)) => describe_counter!(name, unit, text),
            (Kind::Counter, None) => describe_counter!(name, text),
        }
    }
}

#[cfg(all(test, not(credit_channel_loom)))]
mod tests {
    use super::{ALL, Kind, Metric};

    /// The docs have each of them, word by word, and no others.
    #[test]
    fn the_docs_have_the_same_table() {
        let row = |&Metric { name, kind, label, unit, text }: &Metric| {
            let kind = if kind == Kind::Gauge { "gauge" } else { "counter" };
            let label = label.map_or(String::new(), |label| format!("`{label}`"));
            format!("//! | `{name}` | {kind} | {label} | {} | {text} |", unit.map_or("", |unit| unit.as_str()))
        };
        let expected: Vec<_> = ALL.iter().map(row).collect();
        let docs: Vec<_> = include_str!("mod.rs").lines().filter(|line| line.starts_with("//! | `credit_")).collect();
        assert!(docs == expected, "it should be\n{}", expected.join("\n"));
    }

    /// Exporters that keep to Prometheus' conventions would otherwise change them.
    #[test]
    fn counters_are_totals() {
        for metric in ALL {
            assert_eq!(metric.kind == Kind::Counter, metric.name.ends_with("_total"), "{metric:?}");
            if let Some(unit) = metric.unit {
                assert!(metric.name.contains(unit.as_str()), "{metric:?}");
            }
        }
    }
}
