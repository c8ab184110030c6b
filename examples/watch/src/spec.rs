//! What a job is to be, before it runs.

use std::fmt;
use std::time::Duration;

/// The largest window that can be asked for.
pub(crate) const LARGEST: u64 = 4096;
/// The most work for a chunk, in microseconds.
pub(crate) const MOST_WORK: u64 = 1_000_000;

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) name: String,
    pub(crate) way: Way,
    /// What a chunk costs the producer, in microseconds.
    pub(crate) produce: u64,
    /// And the consumer.
    pub(crate) consume: u64,
    pub(crate) window: u64,
}

/// What is between the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Nothing: one process.
    Local,
    /// A TCP connection over loopback, which takes so long each way.
    Tcp(Duration),
}

impl Spec {
    fn new(name: &str, way: Way, produce: u64, consume: u64, window: u64) -> Self {
        Self { name: name.to_owned(), way, produce, consume, window }
    }

    /// Reads `key=value,…`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut spec = Self::new("job", Way::Local, 1000, 1000, 16);
        let (mut tcp, mut delay) = (false, None);
        for pair in text.split(',') {
            let (key, value) = pair.split_once('=').ok_or_else(|| format!("{pair:?} is no key=value"))?;
            match key {
                "name" if value.is_empty() || value.chars().any(char::is_control) => {
                    return Err("a name is some visible text".into());
                }
                "name" => spec.name = value.to_owned(),
                "over" => match value {
                    "local" => tcp = false,
                    "tcp" => tcp = true,
                    _ => return Err(format!("over={value}: local or tcp")),
                },
                "produce" => spec.produce = number(key, value, 0, MOST_WORK)?,
                "consume" => spec.consume = number(key, value, 0, MOST_WORK)?,
                "window" => spec.window = number(key, value, 1, LARGEST)?,
                "delay" => delay = Some(number(key, value, 0, 10_000)?),
                _ => return Err(format!("{key}: not one of name, over, produce, consume, window, delay")),
            }
        }
        if delay.is_some() && !tcp {
            return Err("a delay needs over=tcp".into());
        }
        if tcp {
            spec.way = Way::Tcp(Duration::from_millis(delay.unwrap_or(0)));
        }
        Ok(spec)
    }
}

fn number(key: &str, value: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("{key}={value}: a whole number from {least} to {most}"))
}

const FAR: Way = Way::Tcp(Duration::from_millis(20));

/// Three jobs whose trouble is known.
pub(crate) fn regimes() -> Vec<Spec> {
    vec![
        Spec::new("a slow consumer", Way::Local, 2_000, 10_000, 16),
        Spec::new("a slow producer", Way::Local, 10_000, 2_000, 16),
        Spec::new("too small a window", FAR, 2_000, 2_000, 8),
    ]
}

/// The same, and one without trouble.
pub(crate) fn usual() -> Vec<Spec> {
    let mut specs = regimes();
    specs.push(Spec::new("in balance", Way::Tcp(Duration::ZERO), 1_000, 950, 32));
    specs
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::Tcp(Duration::ZERO) => f.write_str("tcp"),
            Self::Tcp(delay) => write!(f, "tcp, {} ms each way", delay.as_millis()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Spec, Way};
    use std::time::Duration;

    #[test]
    fn specs_are_read_and_nonsense_is_refused() {
        let spec = Spec::parse("name=far,over=tcp,delay=10,produce=5,consume=7,window=4");
        assert_eq!(spec, Ok(Spec::new("far", Way::Tcp(Duration::from_millis(10)), 5, 7, 4)));
        assert_eq!(Spec::parse("name=x").map(|spec| spec.way), Ok(Way::Local));
        for nonsense in ["", "name", "name=", "over=mail", "window=0", "window=4097", "produce=-1", "delay=5", "a=b"] {
            assert!(Spec::parse(nonsense).is_err(), "{nonsense}");
        }
    }
}
