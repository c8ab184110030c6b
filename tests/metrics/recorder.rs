//! A recorder that keeps every value under its name and labels.

use crate::support::paused;
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit, with_local_recorder};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A handle; clones see the same values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Book(Arc<Mutex<Pages>>);

#[derive(Debug, Default)]
struct Pages {
    /// By `name{label="value",…}`, as Prometheus writes them.
    counters: BTreeMap<String, Arc<AtomicU64>>,
    gauges: BTreeMap<String, Arc<AtomicU64>>,
    /// Name and kind, and the label beside `channel`.
    published: BTreeSet<(String, &'static str, Option<String>)>,
    described: Vec<(String, Option<Unit>, String)>,
}

impl Book {
    /// Runs this on a paused clock, and keeps what it publishes.
    pub(crate) fn keep<T>(&self, run: impl AsyncFnOnce() -> T) -> T {
        with_local_recorder(self, || paused().block_on(run()))
    }

    pub(crate) fn counter(&self, series: &str) -> u64 {
        let pages = self.0.lock().unwrap();
        pages.counters.get(series).unwrap_or_else(|| panic!("no {series} in {pages:#?}")).load(Ordering::Relaxed)
    }

    pub(crate) fn gauge(&self, series: &str) -> f64 {
        let pages = self.0.lock().unwrap();
        let bits = pages.gauges.get(series).unwrap_or_else(|| panic!("no {series} in {pages:#?}"));
        f64::from_bits(bits.load(Ordering::Relaxed))
    }

    pub(crate) fn gauges(&self) -> BTreeMap<String, f64> {
        let value = |bits: &Arc<AtomicU64>| f64::from_bits(bits.load(Ordering::Relaxed));
        self.0.lock().unwrap().gauges.iter().map(|(series, bits)| (series.clone(), value(bits))).collect()
    }

    pub(crate) fn counters(&self) -> BTreeMap<String, u64> {
        let pages = self.0.lock().unwrap();
        pages.counters.iter().map(|(series, value)| (series.clone(), value.load(Ordering::Relaxed))).collect()
    }

    pub(crate) fn published(&self) -> BTreeSet<(String, &'static str, Option<String>)> {
        self.0.lock().unwrap().published.clone()
    }

    pub(crate) fn described(&self) -> Vec<(String, Option<Unit>, String)> {
        self.0.lock().unwrap().described.clone()
    }

    /// Forgets what there was, as a recorder that is installed anew.
    pub(crate) fn clear(&self) {
        *self.0.lock().unwrap() = Pages::default();
    }

    fn note(&self, key: &Key, kind: &'static str) -> String {
        let mut others = key.labels().map(|label| label.key()).filter(|key| *key != "channel");
        let label = others.next().map(str::to_owned);
        assert_eq!(others.next(), None, "{key}");
        self.0.lock().unwrap().published.insert((key.name().to_owned(), kind, label));
        let labels: Vec<_> = key.labels().map(|label| format!("{}=\"{}\"", label.key(), label.value())).collect();
        format!("{}{{{}}}", key.name(), labels.join(","))
    }

    fn describe(&self, name: &KeyName, unit: Option<Unit>, text: &SharedString) {
        self.0.lock().unwrap().described.push((name.as_str().to_owned(), unit, text.to_string()));
    }
}

impl Recorder for Book {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, text: SharedString) {
        self.describe(&name, unit, &text);
    }

    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, text: SharedString) {
        self.describe(&name, unit, &text);
    }

    fn describe_histogram(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
        panic!("{} is a histogram", name.as_str());
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let series = self.note(key, "counter");
        Counter::from_arc(Arc::clone(self.0.lock().unwrap().counters.entry(series).or_default()))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        let series = self.note(key, "gauge");
        Gauge::from_arc(Arc::clone(self.0.lock().unwrap().gauges.entry(series).or_default()))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        panic!("{key} is a histogram");
    }
}
