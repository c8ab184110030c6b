//! What a connection tells `tracing`: that it was opened, and why it was lost. Every frame is silent.

use crate::Disconnect;
use tracing::{Instrument, debug, info_span, warn};

/// Runs a driver in a span that says which end it is.
pub(super) async fn told(
    role: &'static str,
    run: impl Future<Output = Result<(), Disconnect>>,
) -> Result<(), Disconnect> {
    let span = info_span!(target: "credit_channel", "connection", role);
    let run = async {
        debug!(target: "credit_channel", "connection opened");
        let result = run.await;
        match &result {
            Ok(()) => debug!(target: "credit_channel", "connection closed"),
            Err(reason) => warn!(target: "credit_channel", %reason, "connection lost"),
        }
        result
    };
    run.instrument(span).await
}
