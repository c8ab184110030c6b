//! One run: a number goes there over one channel and comes back over another, over and over.

use crate::chan::Chan;
use crate::measure::Sample;
use crate::runtime::Runtime;
use std::time::Instant;

pub fn ping_pong<C: Chan>(runtime: Runtime, trips: u64) -> Sample {
    runtime.measure(there_and_back::<C>(trips))
}

async fn there_and_back<C: Chan>(trips: u64) -> Sample {
    let (there, mut at_there) = C::open::<u64>(1);
    let (back, mut at_back) = C::open::<u64>(1);
    let echo = tokio::spawn(async move {
        while let Some(key) = C::recv(&mut at_there).await.expect("a clean end") {
            C::send(&back, key + 1).await.expect("the receiver stays");
        }
        C::end(back);
    });
    let caller = tokio::spawn(async move {
        let start = Instant::now();
        for trip in 0..trips {
            C::send(&there, trip).await.expect("the echo stays");
            let echoed = C::recv(&mut at_back).await.expect("the echo stays");
            assert_eq!(echoed, Some(trip + 1), "{}: a wrong echo", C::NAME);
        }
        let took = start.elapsed();
        C::end(there);
        took
    });
    let took = caller.await.expect("no panic");
    echo.await.expect("no panic");
    Sample { messages: trips, took }
}
