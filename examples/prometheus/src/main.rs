//! The numbers of two channels, for Prometheus to scrape and for Grafana to show.
//!
//! ```text
//!   export: quick ─▶ ▓▓▓▓▓▓▓▓ ─▶ slow        Reporter ─▶ recorder ─▶ http://127.0.0.1:9464/metrics
//!   import: slow  ─▶ ░░░░░░░░ ─▶ quick           once a second         whenever it is scraped
//! ```
//!
//! ```sh
//! cargo run -p prometheus-example              # and then: curl http://127.0.0.1:9464/metrics
//! cargo run -p prometheus-example -- --once    # what would be served, after a second
//! prometheus --config.file=examples/prometheus/prometheus.yml
//! ```
//!
//! `dashboard.json` is for Grafana 10 or later: import it, and choose the Prometheus that scrapes this. It shows any
//! channel that a reporter watches, not only these two.
//!
//! * [`jobs`]: the two. All that an application needs is below: a recorder, and a reporter that is told to report.

mod args;
#[path = "../../shared/cli.rs"]
mod cli;
mod jobs;

use args::Args;
use cli::{BAD_ARGUMENTS, FAILED, INTERRUPTED, complain, fail};
use credit_channel::metrics::Reporter;
use metrics_exporter_prometheus::PrometheusBuilder;
use std::process::ExitCode;

/// What went wrong, and the exit status for it.
type Failed = (u8, String);

fn main() -> ExitCode {
    let (args, runtime) = match cli::begin::<Args>() {
        Ok(begun) => begun,
        Err(code) => return code,
    };
    let ended = runtime.block_on(async { if args.once { once(&args).await } else { serve(&args).await } });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, message)) => fail(code, &message),
    }
}

async fn serve(args: &Args) -> Result<(), Failed> {
    let builder = PrometheusBuilder::new().with_http_listener(args.listen);
    let (recorder, exporter) =
        builder.build().map_err(|error| (BAD_ARGUMENTS, format!("cannot listen on {}: {error}", args.listen)))?;
    metrics::set_global_recorder(recorder).map_err(failed)?;
    let reporter = Reporter::new();
    let mut jobs = jobs::start(&reporter).map_err(failed)?;
    complain(&format!("serving http://{}/metrics until Ctrl-C", args.listen));
    tokio::select! {
        _ = reporter.run(args.every()) => unreachable!("it goes on for ever"),
        _ = exporter => Err((FAILED, "the exporter stopped".into())),
        _ = jobs.join_next() => Err((FAILED, "a job stopped".into())),
        heard = tokio::signal::ctrl_c() => match heard {
            Ok(()) => Err((INTERRUPTED, "interrupted".into())),
            Err(error) => Err((FAILED, format!("cannot hear Ctrl-C: {error}"))),
        },
    }
}

async fn once(args: &Args) -> Result<(), Failed> {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(failed)?;
    let reporter = Reporter::new();
    let _jobs = jobs::start(&reporter).map_err(failed)?;
    tokio::time::sleep(args.every()).await;
    reporter.report();
    cli::print(&handle.render()).map_err(failed)
}

fn failed(error: impl ToString) -> Failed {
    (FAILED, error.to_string())
}
