//! Who is being served, and the life of one client from its connection to its summary.

use crate::address::Stream;
use crate::args::Args;
use crate::export::{Export, Outcome, told_to_stop};
use crate::message::Message;
use crate::numbers::{count, grouped};
use crate::progress::Moment;
use crate::source::Source;
use crate::summary::Summary;
use credit_channel::codec::Bincode;
use credit_channel::transport::{Driver, Transport};
use credit_channel::{CreditProducer, Failure};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// The longest frame that is taken from a client. It has no chunks to send, only credit and a reason now and then.
const MAX_FRAME: u32 = 8 << 10;
/// How long a client has to hear that the server shuts down.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The exports that are running, by number.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    running: BTreeMap<u64, Arc<Export>>,
    begun: u64,
    /// Rows of exports that are over.
    rows: u64,
}

impl Clients {
    /// Serves one client to its end. The error says, in a line, why it did not come to an export.
    pub(crate) async fn serve(
        &self,
        args: &Args,
        stream: Box<dyn Stream>,
        peer: String,
        mut shutdown: watch::Receiver<bool>,
    ) -> Result<Summary, String> {
        let transport = Transport::new().codec(Bincode).max_frame(MAX_FRAME);
        let opened = tokio::select! {
            opened = transport.producer::<Message>(stream) => opened,
            () = told_to_stop(&mut shutdown) => return Err(format!("{peer}: the server is shutting down")),
        };
        match opened {
            Ok((tx, driver)) => Ok(self.export(args, tx, driver, peer, shutdown).await),
            Err(error) => Err(format!("{peer}: {error}")),
        }
    }

    async fn export(
        &self,
        args: &Args,
        tx: CreditProducer<Message>,
        driver: Driver,
        peer: String,
        mut shutdown: watch::Receiver<bool>,
    ) -> Summary {
        // It sees to the connection until all is said, in a task of its own.
        let mut driver = tokio::spawn(driver);
        let export = Arc::new(Export::new(&tx));
        let number = self.begin(&export);
        let outcome = match Source::open(&args.ledger) {
            Ok(mut source) => export.run(tx, &mut source, args.page, &mut shutdown).await,
            Err(text) => {
                let failure = Failure::from(text);
                tx.fail(failure.clone());
                Outcome::Failed(failure)
            }
        };
        // Before the client knows how it ended the connection must not go. What the driver says, the channel said.
        tokio::select! {
            _ = &mut driver => {}
            () = told_to_stop(&mut shutdown) => if timeout(LAST_WORDS, &mut driver).await.is_err() {
                driver.abort();
            }
        }
        self.finish(number, &export);
        let (mut so_far, stats) = (export.so_far(), export.stats());
        if let Outcome::Failed(_) = outcome {
            // What was sent before the failure was committed first. After a loss this counts what was thrown away, too.
            so_far.committed = stats.released.messages();
        }
        Summary { number, peer, outcome, so_far, stats, time: export.time() }
    }

    fn begin(&self, export: &Arc<Export>) -> u64 {
        let mut inner = self.lock();
        inner.begun += 1;
        let number = inner.begun;
        inner.running.insert(number, Arc::clone(export));
        number
    }

    fn finish(&self, number: u64, export: &Export) {
        let mut inner = self.lock();
        inner.running.remove(&number);
        inner.rows += export.so_far().sent.rows;
    }

    /// What the live line shows: all of them together.
    pub(crate) fn look(&self) -> Moment {
        let inner = self.lock();
        let (mut rows, mut depth, mut window, mut waiting) = (inner.rows, 0, 0_u64, 0);
        for export in inner.running.values() {
            let stats = export.stats();
            rows += export.so_far().sent.rows;
            depth += stats.depth.messages();
            window = window.saturating_add(stats.window.message_limit().unwrap_or(0));
            waiting += u64::from(stats.waiting > 0);
        }
        let clients = count(u64::try_from(inner.running.len()).unwrap_or(u64::MAX), "client");
        let pages = format!("{}/{} pages in flight", grouped(depth), grouped(window));
        let texts = [format!("{clients}  {}", count(rows, "row")), format!("{pages}  {waiting} waiting for credit")];
        Moment { rows, position: rows, texts }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
