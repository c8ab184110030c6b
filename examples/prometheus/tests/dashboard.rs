//! The dashboard asks for nothing that no reporter publishes, and leaves out little of it.

use bytes::Bytes;
use credit_channel::metrics::Reporter;
use credit_channel::transport::Transport;
use credit_channel::workers::Workers;
use credit_channel::{Window, channel};
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn dashboard() -> Value {
    serde_json::from_str(include_str!("../dashboard.json")).expect("it is JSON")
}

/// What Prometheus would get to see: each name, with its labels.
fn published() -> BTreeMap<String, BTreeSet<String>> {
    let recorder = PrometheusBuilder::new().build_recorder();
    let text = metrics::with_local_recorder(&recorder, || {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
            let (tx, _rx) = channel::<u64>(Window::messages(4)).unwrap();
            let (_inbox, pool) = Workers::new(1..=2).spawn(async |n: u64| Ok::<_, std::io::Error>(n)).unwrap();
            let reporter = Reporter::new();
            reporter.watch("channel", tx.meter());
            reporter.watch_workers("pool", pool.meter());
            let (here, there) = tokio::io::duplex(1 << 10);
            let transport = Transport::new();
            let (producer, _consumer) = tokio::join!(
                transport.producer::<Bytes>(here),
                transport.consumer::<Bytes>(there, Window::messages(4))
            );
            let (tx, driver) = producer.unwrap();
            reporter.watch_connection("connection", tx.meter(), driver.meter());
            reporter.report();
            recorder.handle().render()
        })
    });
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (name, labels) = line.split_once('{').expect("each has labels");
        names.entry(name.to_owned()).or_default().extend(label_names(labels));
    }
    // Only over a connection, where it was measured.
    names.insert("credit_channel_round_trip_seconds".to_owned(), BTreeSet::from(["channel".to_owned()]));
    names
}

/// What is before an operator and a quoted value.
fn label_names(text: &str) -> impl Iterator<Item = String> {
    let names = text.split('"').step_by(2).map(|part| part.trim_matches([',', ' ', '=', '~', '!']).to_owned());
    names.filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase()))
}

/// Every query and every other string, wherever it is.
fn strings(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| strings(value, into)),
        Value::Object(fields) => fields.values().for_each(|value| strings(value, into)),
        _ => {}
    }
}

/// The metrics in a query, each with the labels between its braces.
fn asked_for(query: &str) -> Vec<(String, Vec<String>)> {
    let starts = query.match_indices("credit_channel_").map(|(at, _)| &query[at..]);
    starts
        .map(|rest| {
            let end = rest.find(|c: char| c != '_' && !c.is_ascii_lowercase()).unwrap_or(rest.len());
            let (name, rest) = rest.split_at(end);
            let matchers = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(matchers, _)| matchers);
            (name.to_owned(), matchers.map_or_else(Vec::new, |matchers| label_names(matchers).collect()))
        })
        .collect()
}

#[test]
fn every_metric_in_it_is_published() {
    let published = published();
    let mut texts = Vec::new();
    strings(&dashboard(), &mut texts);
    let asked: Vec<_> = texts.iter().flat_map(|text| asked_for(text)).collect();
    assert!(asked.len() > 20, "{asked:?}");
    for (name, labels) in &asked {
        let known = published.get(name).unwrap_or_else(|| panic!("{name} is not published: {:?}", published.keys()));
        assert!(labels.iter().all(|label| known.contains(label)), "{name} has no {labels:?}, but {known:?}");
    }
    let shown: BTreeSet<_> = asked.into_iter().map(|(name, _)| name).collect();
    for name in ["depth", "window", "park_share", "work_bucket_total", "oldest_work_seconds", "condition"] {
        assert!(shown.contains(&format!("credit_channel_{name}")), "{name}");
    }
}

/// What a legend names is there to be named, unless the query sums it away.
#[test]
fn every_label_in_a_legend_is_there() {
    let published = published();
    for panel in dashboard()["panels"].as_array().expect("panels") {
        for target in panel["targets"].as_array().expect("targets") {
            let (query, legend) = (target["expr"].as_str().unwrap(), target["legendFormat"].as_str().unwrap());
            let (name, _) = &asked_for(query)[0];
            for label in legend.split("{{").skip(1).map(|rest| rest.split("}}").next().unwrap()) {
                assert!(published[name].contains(label), "{legend}: {query}");
            }
        }
    }
}

/// What Grafana would put right by itself, and save differently.
#[test]
fn it_is_in_order() {
    let dashboard = dashboard();
    assert!(dashboard["schemaVersion"].as_u64() >= Some(38), "Grafana 10");
    let mut ids = BTreeSet::new();
    let mut taken = BTreeSet::new();
    for panel in dashboard["panels"].as_array().expect("panels") {
        assert!(ids.insert(panel["id"].as_u64().expect("an id")), "{}", panel["title"]);
        assert!(panel["description"].as_str().is_some_and(|text| !text.is_empty()), "{}", panel["title"]);
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{}", panel["title"]);
        let [x, y, w, h] = ["x", "y", "w", "h"].map(|side| panel["gridPos"][side].as_u64().expect("a place"));
        assert!(x + w <= 24, "{}", panel["title"]);
        for place in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            assert!(taken.insert(place), "{} is on top of another", panel["title"]);
        }
    }
}
