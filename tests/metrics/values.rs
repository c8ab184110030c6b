//! The values, against `stats()` of the same moment.

use crate::recorder::Book;
use bytes::Bytes;
use credit_channel::metrics::Reporter;
use credit_channel::{Credit, Stats, Window, WorkTimes, channel, weighted};
use std::time::Duration;
use tokio::time::sleep;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn micros(time: Duration) -> u64 {
    time.as_micros().try_into().unwrap()
}

fn number(n: u64) -> f64 {
    Duration::from_secs(n).as_secs_f64()
}

/// What was published of the only channel of a name, which counts messages and bytes, is what it says itself.
fn assert_published(book: &Book, name: &str, stats: &Stats, interval: &Stats) {
    let plain = |metric: &str| format!("credit_channel_{metric}{{channel=\"{name}\"}}");
    let of = |metric: &str, label: &str, value: &str| {
        format!("credit_channel_{metric}{{channel=\"{name}\",{label}=\"{value}\"}}")
    };
    let window = Credit::new(stats.window.message_limit().unwrap(), stats.window.byte_limit().unwrap());
    let amounts = [
        ("window", window),
        ("credit", stats.credit),
        ("depth", stats.depth),
        ("depth_peak", stats.peak_depth),
        ("reserved", stats.reserved),
    ];
    for (metric, amount) in amounts {
        assert_eq!(book.gauge(&of(metric, "unit", "messages")), number(amount.messages()), "{metric}");
        assert_eq!(book.gauge(&of(metric, "unit", "bytes")), number(amount.bytes()), "{metric}");
    }
    for (metric, amount) in [("released_total", stats.released), ("forgotten_total", stats.forgotten)] {
        assert_eq!(book.counter(&of(metric, "unit", "messages")), amount.messages(), "{metric}");
        assert_eq!(book.counter(&of(metric, "unit", "bytes")), amount.bytes(), "{metric}");
    }
    let diagnosis = interval.diagnose();
    let gauges = [
        ("channels", 1.0),
        ("waiting", number(stats.waiting)),
        ("producers", number(stats.producers)),
        ("parked_seconds", stats.parked_for.unwrap_or_default().as_secs_f64()),
        ("oldest_work_seconds", stats.oldest_work.unwrap_or_default().as_secs_f64()),
        ("park_share", diagnosis.park_share),
        ("transport_park_share", diagnosis.transport_share),
        ("idle_share", diagnosis.idle_share),
        ("full_share", diagnosis.full_share),
    ];
    for (metric, value) in gauges {
        assert_eq!(book.gauge(&plain(metric)), value, "{metric}");
    }
    let counters = [
        ("chunks_sent_total", stats.sent),
        ("parks_total", stats.parks),
        ("park_microseconds_total", micros(stats.park_time)),
        ("transport_park_microseconds_total", micros(stats.transport_park_time)),
        ("idle_microseconds_total", micros(stats.idle_time)),
        ("open_microseconds_total", micros(stats.elapsed)),
        ("work_timed_total", stats.work.timed),
        ("work_microseconds_total", micros(stats.work.total)),
    ];
    for (metric, value) in counters {
        assert_eq!(book.counter(&plain(metric)), value, "{metric}");
    }
    let times = stats.depth_times;
    let quarters = (1..).map(|n| format!("quarter_{n}")).zip(times.quarters);
    for (level, time) in quarters.chain([("empty".to_owned(), times.empty), ("full".to_owned(), times.full)]) {
        assert_eq!(book.counter(&of("depth_microseconds_total", "level", &level)), micros(time), "{level}");
    }
    let mut count = 0;
    for (slot, more) in stats.work.histogram.into_iter().enumerate() {
        count += more;
        let end = WorkTimes::upper_end(slot).map_or_else(|| "+Inf".to_owned(), |end| end.as_secs_f64().to_string());
        assert_eq!(book.counter(&of("work_bucket_total", "le", &end)), count, "{end}");
    }
}

#[test]
fn what_is_published_is_what_stats_says() {
    let book = Book::default();
    book.keep(async || {
        let window = Window::messages(4).and_bytes(400);
        let (tx, mut rx) = weighted::<Bytes>(window).unwrap();
        let reporter = Reporter::new();
        reporter.watch("script", tx.meter());
        let opened = rx.stats();
        let producer = tokio::spawn(async move {
            for _ in 0..40 {
                tx.send(Bytes::from_static(&[7; 100])).await.unwrap();
            }
            let permit = tx.reserve_bytes(300).await.unwrap();
            sleep(ms(500)).await;
            drop(permit);
            tx.end();
        });
        // Nothing is taken: the window is full, and a sender waits.
        sleep(ms(30)).await;
        reporter.report();
        let parked = rx.stats();
        assert_eq!((parked.waiting, parked.parked_for), (1, Some(ms(30))));
        assert_published(&book, "script", &parked, &parked.since(&opened));
        assert_eq!(book.gauge("credit_channel_park_share{channel=\"script\"}"), 1.0);

        // Work of different lengths, the first of it forgotten.
        let (first, guard) = rx.recv().await.unwrap().unwrap().into_parts();
        assert_eq!(first.len(), 100);
        guard.forget();
        for n in 1..=20 {
            let chunk = rx.recv().await.unwrap().unwrap();
            sleep(ms(n)).await;
            drop(chunk);
        }
        let held = rx.recv().await.unwrap().unwrap();
        sleep(ms(3)).await;
        reporter.report();
        let working = rx.stats();
        assert_eq!(working.oldest_work, Some(ms(3)));
        assert_eq!(working.forgotten, Credit::new(1, 100));
        assert_published(&book, "script", &working, &working.since(&parked));
        let leaked = || book.gauge("credit_channel_condition{channel=\"script\",condition=\"leaked_credit\"}");
        assert_eq!(leaked(), 1.0, "a quarter of the window");

        // A permit is held, and the consumer has nothing to do.
        drop(held);
        while let Ok(chunk) = tokio::time::timeout(ms(100), rx.recv()).await {
            drop(chunk.unwrap());
        }
        reporter.report();
        let idle = rx.stats();
        assert_eq!(idle.reserved, Credit::new(1, 300));
        assert!(idle.idle_time >= ms(90), "{idle:?}");
        assert_published(&book, "script", &idle, &idle.since(&working));
        assert_eq!(leaked(), 1.0, "and it stays so");
        producer.await.unwrap();
    });
}

/// A window that counts one unit has no series of the other.
#[test]
fn only_units_that_are_counted() {
    let book = Book::default();
    book.keep(async || {
        let (tx, _rx) = channel::<u64>(Window::messages(4)).unwrap();
        let (bytes, _rx) = weighted::<Bytes>(Window::bytes(4000)).unwrap();
        let reporter = Reporter::new();
        reporter.watch("messages", tx.meter());
        reporter.watch("bytes", bytes.meter());
        reporter.report();
    });
    let units: Vec<_> = book.gauges().into_keys().filter(|series| series.contains("unit=")).collect();
    assert_eq!(units.len(), 10, "{units:?}");
    for series in units {
        let name = if series.contains("channel=\"bytes\"") { "bytes" } else { "messages" };
        assert!(series.contains(&format!("unit=\"{name}\"")), "{series}");
    }
    assert_eq!(book.gauge("credit_channel_window{channel=\"bytes\",unit=\"bytes\"}"), 4000.0);
}

/// Those of one name are added up.
#[test]
fn several_channels_of_one_name() {
    let book = Book::default();
    book.keep(async || {
        let (tx, _rx) = channel(Window::messages(2)).unwrap();
        let (other, mut idle) = channel::<u64>(Window::messages(6)).unwrap();
        let reporter = Reporter::new();
        reporter.watch("jobs", tx.meter());
        reporter.watch("jobs", other.meter());
        // From the other end it is the same channel.
        reporter.watch("jobs", idle.meter());
        assert_eq!(reporter.watched(), 2);
        for n in 0..2 {
            tx.send(n).await.unwrap();
        }
        let parked = tokio::spawn(async move { tx.send(2).await });
        let waiting = tokio::spawn(async move { idle.recv().await });
        sleep(ms(400)).await;
        reporter.report();
        let gauge = |metric: &str| book.gauge(&format!("credit_channel_{metric}"));
        assert_eq!(gauge("channels{channel=\"jobs\"}"), 2.0);
        assert_eq!(gauge("window{channel=\"jobs\",unit=\"messages\"}"), 8.0);
        assert_eq!(gauge("depth{channel=\"jobs\",unit=\"messages\"}"), 2.0);
        assert_eq!(gauge("park_share{channel=\"jobs\"}"), 0.5, "one of the two, all the time");
        assert_eq!(gauge("idle_share{channel=\"jobs\"}"), 0.5);
        assert_eq!(gauge("parked_seconds{channel=\"jobs\"}"), 0.4);
        assert_eq!(gauge("condition{channel=\"jobs\",condition=\"consumer_bound\"}"), 1.0);
        assert_eq!(gauge("condition{channel=\"jobs\",condition=\"healthy\"}"), 1.0, "nothing was sent yet");
        parked.abort();
        waiting.abort();
    });
}

#[test]
fn two_reporters() {
    let book = Book::default();
    book.keep(async || {
        let (tx, mut rx) = channel(Window::messages(2)).unwrap();
        let (other, _rx) = channel(Window::messages(9)).unwrap();
        let reporters = [Reporter::new(), Reporter::new()];
        for reporter in &reporters {
            reporter.watch("both", tx.meter());
        }
        reporters[1].watch("second", other.meter());
        other.send(0).await.unwrap();
        for n in 0..50 {
            tx.send(n).await.unwrap();
            drop(rx.recv().await.unwrap());
            reporters[n % 2].report();
            let sent = book.counter("credit_channel_chunks_sent_total{channel=\"both\"}");
            assert_eq!(sent, rx.stats().sent, "set, and not added to");
        }
        assert_eq!(book.counter("credit_channel_chunks_sent_total{channel=\"second\"}"), 1);
    });
}

/// By its clones, and by itself as time passes.
#[test]
fn it_reports_every_so_often() {
    let book = Book::default();
    book.keep(async || {
        let (tx, _rx) = channel(Window::messages(100)).unwrap();
        let reporter = Reporter::new();
        let running = tokio::spawn(reporter.clone().run(ms(100)));
        sleep(ms(50)).await;
        reporter.watch("run", tx.meter());
        for n in 1..=3 {
            tx.send(n).await.unwrap();
            sleep(ms(100)).await;
            assert_eq!(book.counter("credit_channel_chunks_sent_total{channel=\"run\"}"), n);
        }
        running.abort();
        assert!(running.await.unwrap_err().is_cancelled());
        tx.send(4).await.unwrap();
        sleep(ms(500)).await;
        assert_eq!(book.counter("credit_channel_chunks_sent_total{channel=\"run\"}"), 3);
    });
}
