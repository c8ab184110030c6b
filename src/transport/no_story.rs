//! Without the feature `tracing` nothing is told.

use crate::Disconnect;

pub(super) async fn told(_: &'static str, run: impl Future<Output = Result<(), Disconnect>>) -> Result<(), Disconnect> {
    run.await
}
