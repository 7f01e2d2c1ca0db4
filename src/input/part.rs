//! Parts of steps, whatever their types: found, redrawn, put in one another's place, made plainer.

use std::any::{Any, TypeId};
use std::ops::Range;

use arbitrary::{Arbitrary, Unstructured};

use super::bytes::Bytes;
use super::encode::Encode;

/// A value of the vocabulary: a step, or anything in one.
pub trait Part: Any + Encode {
    /// Becomes what the bytes decode to; where they end, zeros go on.
    fn redraw(&mut self, bytes: &[u8]);

    /// Shows this, then all that is in it.
    fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Part));

    /// This, if it is a list.
    fn list(&mut self) -> Option<&mut dyn List> {
        None
    }
}

/// A part that has any number of items. What is out of range does nothing.
pub trait List {
    /// How many.
    fn count(&self) -> usize;

    /// These go.
    fn remove(&mut self, range: Range<usize>);

    /// Another like this one comes before it.
    fn double(&mut self, at: usize);

    /// Two change places.
    fn swap(&mut self, one: usize, other: usize);

    /// What the bytes decode to comes before the one there.
    fn insert(&mut self, at: usize, bytes: &[u8]);
}

/// The body of every [`Part::redraw`].
pub fn redraw<T: for<'a> Arbitrary<'a>>(part: &mut T, bytes: &[u8]) {
    if let Ok(drawn) = T::arbitrary(&mut Unstructured::new(bytes)) {
        *part = drawn;
    }
}

/// How many parts `whole` has, itself among them.
pub fn count(whole: &mut dyn Part) -> usize {
    let mut count = 0;
    whole.visit(&mut |_| count += 1);
    count
}

/// Does something to one part, counted from the whole itself on.
pub fn at(whole: &mut dyn Part, index: usize, act: &mut dyn FnMut(&mut dyn Part)) {
    let mut next = 0;
    whole.visit(&mut |part| {
        if next == index {
            act(part);
        }
        next += 1;
    });
}

/// The encodings of all parts of that type.
pub fn encodings(whole: &mut dyn Part, of: TypeId) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    whole.visit(&mut |part| {
        if type_of(part) == of {
            found.push(encoding(part));
        }
    });
    found
}

/// The part's own type.
pub fn type_of(part: &dyn Part) -> TypeId {
    let any: &dyn Any = part;
    any.type_id()
}

/// What the part is encoded as.
pub fn encoding(part: &dyn Part) -> Vec<u8> {
    let mut out = Vec::new();
    part.encode_to(&mut out);
    out
}

macro_rules! leaves {
    ($($type:ty),*) => { $(
        impl Part for $type {
            fn redraw(&mut self, bytes: &[u8]) {
                redraw(self, bytes);
            }

            fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Part)) {
                see(self);
            }
        }
    )* };
}

leaves!(bool, u8, u16, u32, u64, Bytes);

impl<T: Part + for<'a> Arbitrary<'a>> Part for Option<T> {
    fn redraw(&mut self, bytes: &[u8]) {
        redraw(self, bytes);
    }

    fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Part)) {
        see(self);
        if let Some(part) = self {
            part.visit(see);
        }
    }
}

impl<T: Part + Clone + for<'a> Arbitrary<'a>> Part for Vec<T> {
    fn redraw(&mut self, bytes: &[u8]) {
        redraw(self, bytes);
    }

    fn visit(&mut self, see: &mut dyn FnMut(&mut dyn Part)) {
        see(self);
        self.iter_mut().for_each(|part| part.visit(see));
    }

    fn list(&mut self) -> Option<&mut dyn List> {
        Some(self)
    }
}

impl<T: Clone + for<'a> Arbitrary<'a>> List for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn remove(&mut self, range: Range<usize>) {
        let end = range.end.min(self.len());
        self.drain(range.start.min(end)..end);
    }

    fn double(&mut self, at: usize) {
        if let Some(item) = self.get(at).cloned() {
            Vec::insert(self, at, item);
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        if one.max(other) < self.len() {
            self.as_mut_slice().swap(one, other);
        }
    }

    fn insert(&mut self, at: usize, bytes: &[u8]) {
        if let Ok(item) = T::arbitrary(&mut Unstructured::new(bytes)) {
            Vec::insert(self, at.min(self.len()), item);
        }
    }
}
