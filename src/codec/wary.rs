//! What stands between a decoder and the type it decodes, so that a peer's payload costs what it says and no more.
//!
//! **Depth.** A type that holds itself (a list, a tree) nests as deep as its payload is long, and a decoder that follows
//! it uses stack at each level: 40 KB of a peer's bytes overflow the 2 MiB of a worker, which aborts the process. Neither
//! bincode nor postcard has a limit (serde_json has one of 128).
//!
//! **Texts.** bincode makes room for a text before it looks whether the text is there. Read as borrowed, it looks first.
//!
//! Both were found by the fuzz target `typed`.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use std::fmt;

/// Each struct, sequence, map, enum and option on the way down is a level.
const MAX_DEPTH: u16 = 256;

/// A `T` that nests no deeper than [`MAX_DEPTH`], and whose texts are there.
pub(super) struct Wary<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Wary<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(Level { inner: deserializer, left: MAX_DEPTH }).map(Self)
    }
}

/// Whatever serde hands on, with the number of levels that may still follow.
struct Level<X> {
    inner: X,
    left: u16,
}

impl<X> Level<X> {
    fn with<Y>(&self, inner: Y) -> Level<Y> {
        Level { inner, left: self.left }
    }

    /// One level down.
    fn down<Y, E: Error>(&self, inner: Y) -> Result<Level<Y>, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Level { inner, left }),
            None => Err(E::custom(format_args!("it nests deeper than {MAX_DEPTH} levels"))),
        }
    }
}

/// What holds nothing goes through as it is, and what does goes down a level.
macro_rules! deserialize {
    (leaves: $($leaf:ident)*; levels: $($level:ident($($arg:ident: $type:ty),*))*) => {
        $(fn $leaf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$leaf(visitor)
        })*
        $(fn $level<V: Visitor<'de>>(self, $($arg: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.down(visitor)?;
            self.inner.$level($($arg,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Level<D> {
    type Error = D::Error;

    deserialize! {
        leaves: deserialize_bool deserialize_char deserialize_str deserialize_bytes
            deserialize_unit deserialize_identifier deserialize_i8 deserialize_i16 deserialize_i32
            deserialize_i64 deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
            deserialize_u128 deserialize_f32 deserialize_f64;
        levels: deserialize_any() deserialize_ignored_any() deserialize_option() deserialize_seq() deserialize_map()
            deserialize_unit_struct(name: &'static str)
            deserialize_newtype_struct(name: &'static str)
            deserialize_tuple(len: usize)
            deserialize_tuple_struct(name: &'static str, len: usize)
            deserialize_struct(name: &'static str, fields: &'static [&'static str])
            deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    // Read where they lie: an owned one has 16 MB made for it by five bytes.

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_str(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_bytes(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! visit {
    ($($leaf:ident: $type:ty,)*) => {
        $(fn $leaf<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$leaf(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Level<V> {
    type Value = V::Value;

    visit! {
        visit_bool: bool, visit_char: char, visit_i8: i8, visit_i16: i16, visit_i32: i32, visit_i64: i64,
        visit_i128: i128, visit_u8: u8, visit_u16: u16, visit_u32: u32, visit_u64: u64, visit_u128: u128,
        visit_f32: f32, visit_f64: f64, visit_str: &str, visit_borrowed_str: &'de str, visit_string: String,
        visit_bytes: &[u8], visit_borrowed_bytes: &'de [u8], visit_byte_buf: Vec<u8>,
    }

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.visit_some(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.visit_newtype_struct(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.with(access);
        self.inner.visit_seq(access)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.with(access);
        self.inner.visit_map(access)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let access = self.with(access);
        self.inner.visit_enum(access)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Level<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.deserialize(deserializer)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Level<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = self.with(seed);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Level<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = self.with(seed);
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.with(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Level<A> {
    type Error = A::Error;
    type Variant = Level<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, variant) = self.inner.variant_seed(seed)?;
        Ok((value, Level { inner: variant, left: self.left }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Level<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.with(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = self.with(visitor);
        self.inner.tuple_variant(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.with(visitor);
        self.inner.struct_variant(fields, visitor)
    }
}

#[cfg(all(test, not(credit_channel_loom)))]
mod tests {
    use crate::codec::Codec;
    use bytes::{Bytes, BytesMut};
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct List {
        value: u8,
        next: Option<Box<Self>>,
    }

    #[derive(Debug, Serialize, Deserialize)]
    enum Tree {
        Leaf,
        Node(Vec<Self>),
    }

    #[derive(Debug, Serialize, Deserialize)]
    struct Onion(Option<Box<Self>>);

    fn list(nodes: usize) -> List {
        let end = List { value: 0, next: None };
        (1..nodes).fold(end, |list, _| List { value: 1, next: Some(Box::new(list)) })
    }

    /// A frame's worth of bytes that each say "and one more within". What overflows a stack aborts the whole test.
    fn refuses_the_deep<C: Codec<List> + Codec<Tree> + Codec<Onion>>(codec: &C) {
        let deep = Bytes::from(vec![1; 1 << 20]);
        <C as Codec<List>>::decode(codec, deep.clone()).expect_err("a list");
        <C as Codec<Tree>>::decode(codec, deep.clone()).expect_err("a tree");
        <C as Codec<Onion>>::decode(codec, deep).expect_err("an onion");
        // A node and the option in it: two levels each.
        for (nodes, fits) in [(1, true), (128, true), (129, false)] {
            let list = list(nodes);
            let payload = codec.encode(list.clone(), &mut BytesMut::new()).expect("writing has no limit");
            let read: Result<List, _> = codec.decode(payload);
            assert_eq!(read.ok(), fits.then_some(list), "{nodes} nodes");
        }
    }

    #[cfg(feature = "bincode")]
    #[test]
    fn bincode_follows_no_payload_into_the_depth() {
        refuses_the_deep(&crate::codec::Bincode);
        let error = Codec::<Onion>::decode(&crate::codec::Bincode, vec![1; 1000].into()).unwrap_err();
        assert!(error.to_string().contains("nests deeper than 256"), "{error}");
    }

    #[cfg(feature = "postcard")]
    #[test]
    fn postcard_follows_no_payload_into_the_depth() {
        refuses_the_deep(&crate::codec::Postcard);
    }
}
