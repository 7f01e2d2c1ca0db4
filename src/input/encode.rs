//! The inverse of what `Arbitrary` reads: values to the bytes that decode to them.

/// A type that can be written as the bytes that its `Arbitrary` reads.
pub trait Encode {
    /// Appends the bytes.
    fn encode_to(&self, out: &mut Vec<u8>);
}

/// Appends the choice of variant `index` of `count`: the least number that the derived decoder,
/// which multiplies by `count` and keeps the high word, takes for it.
pub fn put_variant(index: usize, count: usize, out: &mut Vec<u8>) {
    debug_assert!(index < count, "variant {index} of {count}");
    let least = ((index as u64) << 32).div_ceil(count as u64);
    out.extend_from_slice(&(least as u32).to_le_bytes());
}

macro_rules! little_endian {
    ($($type:ty),*) => { $(
        impl Encode for $type {
            fn encode_to(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        }
    )* };
}

little_endian!(u8, u16, u32, u64);

impl Encode for bool {
    fn encode_to(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode_to(&self, out: &mut Vec<u8>) {
        self.is_some().encode_to(out);
        if let Some(value) = self {
            value.encode_to(out);
        }
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode_to(&self, out: &mut Vec<u8>) {
        for item in self {
            true.encode_to(out);
            item.encode_to(out);
        }
        // Without it the next field's first byte would decide whether an item follows.
        false.encode_to(out);
    }
}
