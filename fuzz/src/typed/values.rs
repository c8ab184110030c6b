//! The types that are tried: between them most of what serde knows.

use super::Input;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Debug;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

pub(super) trait Value: Serialize + DeserializeOwned + Clone + PartialEq + Debug {
    /// One made of decisions.
    fn build(input: &mut Input<'_>) -> Self;
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Rows {
    rows: Vec<Vec<String>>,
    tail: Option<Box<str>>,
}

impl Value for Rows {
    fn build(input: &mut Input<'_>) -> Self {
        let rows = some(input, |input| some(input, text));
        Self { rows, tail: maybe(input, |input| text(input).into()) }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Named {
    map: HashMap<String, Vec<u8>>,
    index: BTreeMap<u16, HashMap<u64, bool>>,
}

impl Value for Named {
    fn build(input: &mut Input<'_>) -> Self {
        let map = some(input, |input| (text(input), input.bytes().to_vec()));
        let index = some(input, |input| (input.byte().into(), pairs(some(input, |input| (input.word(), input.yes())))));
        Self { map: pairs(map), index: index.into_iter().collect() }
    }
}

fn pairs<K: Eq + std::hash::Hash, V>(pairs: Vec<(K, V)>) -> HashMap<K, V> {
    pairs.into_iter().collect()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Shapes(Vec<Shape>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Nothing,
    One(u64),
    Two(i8, char),
    Named { name: String, size: Option<u32> },
}

impl Value for Shapes {
    fn build(input: &mut Input<'_>) -> Self {
        Self(some(input, |input| match input.below(4) {
            0 => Shape::Nothing,
            1 => Shape::One(input.odd()),
            2 => Shape::Two(i8::from_be_bytes([input.byte()]), character(input)),
            _ => Shape::Named { name: text(input), size: maybe(input, |input| u32::from(input.byte()) << 20) },
        }))
    }
}

/// Holds itself, as a tree does: 1 MiB of a peer's bytes would nest a million deep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct List {
    value: u16,
    next: Option<Box<Self>>,
}

impl Value for List {
    fn build(input: &mut Input<'_>) -> Self {
        let mut list = Self { value: 0, next: None };
        for _ in 0..input.below(100) {
            list = Self { value: u16::from(input.byte()) << 4, next: Some(Box::new(list)) };
        }
        list
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Numbers {
    small: (u8, i8, bool, char),
    wide: (u64, i64, u128, i128),
    never_zero: Option<NonZeroU32>,
    time: Duration,
    five: [u16; 5],
    float: Bits,
}

impl Value for Numbers {
    fn build(input: &mut Input<'_>) -> Self {
        let signed = |n: u64| i64::from_be_bytes(n.to_be_bytes());
        let wide = u128::from(input.odd()) << 64 | u128::from(input.odd());
        Self {
            small: (input.byte(), i8::from_be_bytes([input.byte()]), input.yes(), character(input)),
            wide: (input.odd(), signed(input.odd()), wide, i128::from_be_bytes(wide.to_le_bytes())),
            never_zero: NonZeroU32::new(input.byte().into()),
            time: Duration::new(input.odd(), input.byte().into()),
            five: [input.byte().into(); 5],
            float: Bits(f64::from_bits(input.odd())),
        }
    }
}

/// A number that is not one is still the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Bits(f64);

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Mixed {
    tuple: (u8, String, (i32,)),
    result: Result<String, u32>,
    address: Option<IpAddr>,
    queue: VecDeque<i32>,
    set: BTreeSet<u64>,
    nothing: (),
    options: Vec<Option<Option<bool>>>,
}

impl Value for Mixed {
    fn build(input: &mut Input<'_>) -> Self {
        let signed = |input: &mut Input<'_>| i32::from(input.byte()) - 128;
        Self {
            tuple: (input.byte(), text(input), (signed(input),)),
            result: if input.yes() { Ok(text(input)) } else { Err(input.byte().into()) },
            address: maybe(input, |input| IpAddr::from([input.byte(); 4])),
            queue: some(input, signed).into(),
            set: some(input, Input::odd).into_iter().collect(),
            nothing: (),
            options: some(input, |input| maybe(input, |input| maybe(input, Input::yes))),
        }
    }
}

fn some<'a, T>(input: &mut Input<'a>, mut next: impl FnMut(&mut Input<'a>) -> T) -> Vec<T> {
    (0..input.below(7)).map(|_| next(input)).collect()
}

fn maybe<'a, T>(input: &mut Input<'a>, next: impl FnOnce(&mut Input<'a>) -> T) -> Option<T> {
    input.yes().then(|| next(input))
}

fn text(input: &mut Input<'_>) -> String {
    String::from_utf8_lossy(input.bytes()).into_owned()
}

fn character(input: &mut Input<'_>) -> char {
    char::from_u32(u32::from(input.byte()) << 12 | u32::from(input.byte())).unwrap_or('ü')
}
