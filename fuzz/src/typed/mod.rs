//! Typed payloads: what a peer sends instead of values.
//!
//! | byte | |
//! |---|---|
//! | 0 | bit 0: Postcard, else Bincode; bits 1 to 3: which type; bit 7: what follows are decisions to build a value from |
//! | 1… | the payload, or the decisions |
//!
//! Held to: no payload makes decoding panic, or hold more than a bound while it is at it. A value that came out, or that
//! was built, is measured as it is written, and read back as it was. One flipped bit of it is no worse.
//!
//! What a codec cannot do anything about is left out, and documented at `Bincode`: sequences of values that take no bytes
//! (`Vec<()>`), which a length alone makes endless.

mod values;

use self::values::{List, Mixed, Named, Numbers, Rows, Shapes, Value};
use super::input::Input;
use super::meter;
use bytes::{Bytes, BytesMut};
use credit_channel::codec::{Bincode, Codec};

/// Feeds a codec one input.
pub fn typed(data: &[u8]) {
    let mut input = Input::new(data);
    let choice = input.byte();
    #[cfg(feature = "postcard")]
    if choice & 1 == 1 {
        return pick(&credit_channel::codec::Postcard, choice, &mut input);
    }
    pick(&Bincode, choice, &mut input);
}

/// serde reserves no more than 1 MiB for a sequence whose length was only claimed. They nest three deep here, and while
/// one grows there are two of it.
const SERDE: usize = 6 << 20;
/// What a byte of payload can become: an empty `String` or `Vec` is one byte of it, an entry of a map two.
const PER_BYTE: usize = 200;

fn pick(codec: &impl Any, choice: u8, input: &mut Input<'_>) {
    let build = choice & 0x80 != 0;
    match choice >> 1 & 7 {
        0 => run::<Rows>(codec, input, build),
        1 => run::<Named>(codec, input, build),
        2 => run::<Shapes>(codec, input, build),
        3 => run::<List>(codec, input, build),
        4 => run::<Numbers>(codec, input, build),
        _ => run::<Mixed>(codec, input, build),
    }
}

/// A codec for all the types that are tried.
trait Any: Codec<Rows> + Codec<Named> + Codec<Shapes> + Codec<List> + Codec<Numbers> + Codec<Mixed> {}
impl<C> Any for C where C: Codec<Rows> + Codec<Named> + Codec<Shapes> + Codec<List> + Codec<Numbers> + Codec<Mixed> {}

fn run<T: Value>(codec: &impl Codec<T>, input: &mut Input<'_>, build: bool) {
    if !build {
        return foreign(codec, input.rest());
    }
    let at = usize::from(input.byte()) | usize::from(input.byte()) << 8;
    let payload = round_trip(codec, &T::build(input));
    let mut damaged = payload.to_vec();
    damaged[at / 8 % payload.len()] ^= 1 << (at % 8);
    foreign(codec, &damaged);
    assert!(codec.decode(payload.slice(..at % payload.len())).is_err(), "a part of a value");
    assert!(codec.decode([&payload[..], &[0]].concat().into()).is_err(), "a value and more");
}

/// What comes from a peer.
fn foreign<T: Value>(codec: &impl Codec<T>, payload: &[u8]) {
    let payload = Bytes::copy_from_slice(payload);
    let bound = SERDE + PER_BYTE * payload.len();
    let (value, most) = meter::most_held(|| codec.decode(payload));
    assert!(most <= bound, "{most} bytes were held, {bound} are allowed");
    if let Ok(value) = value {
        round_trip(codec, &value);
    }
}

fn round_trip<T: Value>(codec: &impl Codec<T>, value: &T) -> Bytes {
    let length = codec.measure(value).expect("it can be measured");
    let payload = codec.encode(value.clone(), &mut BytesMut::new()).expect("it can be written");
    assert_eq!(payload.len(), length, "measured as it is written");
    assert_eq!(codec.decode(payload.clone()).expect("what was written can be read"), *value);
    payload
}
