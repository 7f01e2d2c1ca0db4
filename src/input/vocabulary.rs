//! Macros that declare a type of the vocabulary and its encoder in one place, so that the order of
//! variants and fields cannot drift between `Arbitrary`, which is derived from it, and `Encode`.

/// Declares structs and enums: `Arbitrary` is derived, `Encode` is its inverse, `Part` shows what is in
/// them. A variant's unnamed
/// field is given a name here, for the encoder's sake alone.
macro_rules! vocabulary {
    () => {};
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $( $(#[$field_meta:meta])* pub $field:ident : $type:ty ),* $(,)? }
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[derive(arbitrary::Arbitrary, Clone, Debug, PartialEq, Eq)]
        pub struct $name { $( $(#[$field_meta])* pub $field: $type ),* }

        impl $crate::input::encode::Encode for $name {
            fn encode_to(&self, out: &mut Vec<u8>) {
                $( self.$field.encode_to(out); )*
            }
        }

        impl $crate::input::part::Part for $name {
            fn redraw(&mut self, bytes: &[u8]) {
                $crate::input::part::redraw(self, bytes);
            }

            fn visit(&mut self, see: &mut dyn FnMut(&mut dyn $crate::input::part::Part)) {
                see(self);
                $( $crate::input::part::Part::visit(&mut self.$field, see); )*
            }
        }
        vocabulary! { $($rest)* }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident ( pub $type:ty );
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[derive(arbitrary::Arbitrary, Clone, Debug, PartialEq, Eq)]
        pub struct $name(pub $type);

        impl $crate::input::encode::Encode for $name {
            fn encode_to(&self, out: &mut Vec<u8>) {
                self.0.encode_to(out);
            }
        }

        impl $crate::input::part::Part for $name {
            fn redraw(&mut self, bytes: &[u8]) {
                $crate::input::part::redraw(self, bytes);
            }

            fn visit(&mut self, see: &mut dyn FnMut(&mut dyn $crate::input::part::Part)) {
                see(self);
                $crate::input::part::Part::visit(&mut self.0, see);
            }
        }
        vocabulary! { $($rest)* }
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $(
            $(#[$variant_meta:meta])*
            $variant:ident
            $(( $inner:ident : $inner_type:ty ))?
            $({ $( $(#[$field_meta:meta])* $field:ident : $type:ty ),* $(,)? })?
        ),* $(,)? }
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[derive(arbitrary::Arbitrary, Clone, Debug, PartialEq, Eq)]
        pub enum $name { $(
            $(#[$variant_meta])*
            $variant $(( $inner_type ))? $({ $( $(#[$field_meta])* $field: $type ),* })?
        ),* }

        impl $crate::input::encode::Encode for $name {
            fn encode_to(&self, out: &mut Vec<u8>) {
                enum Index { $( $variant ),* }
                const COUNT: usize = [ $( stringify!($variant) ),* ].len();
                match self { $(
                    Self::$variant $(( $inner ))? $({ $( $field ),* })? => {
                        $crate::input::encode::put_variant(Index::$variant as usize, COUNT, out);
                        $( $inner.encode_to(out); )?
                        $( $( $field.encode_to(out); )* )?
                    }
                ),* }
            }
        }

        impl $crate::input::part::Part for $name {
            fn redraw(&mut self, bytes: &[u8]) {
                $crate::input::part::redraw(self, bytes);
            }

            fn visit(&mut self, see: &mut dyn FnMut(&mut dyn $crate::input::part::Part)) {
                see(self);
                match self { $(
                    Self::$variant $(( $inner ))? $({ $( $field ),* })? => {
                        $( $crate::input::part::Part::visit($inner, see); )?
                        $( $( $crate::input::part::Part::visit($field, see); )* )?
                    }
                ),* }
            }
        }
        vocabulary! { $($rest)* }
    };
}

/// Declares an enum without fields whose variants stand for values: `ALL` lists them in order.
macro_rules! choices {
    () => {};
    (
        $(#[$meta:meta])*
        pub enum $name:ident : $type:ty { $( $variant:ident = $value:expr ),* $(,)? }
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[derive(arbitrary::Arbitrary, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $(
            #[doc = concat!("`", stringify!($value), "`")]
            $variant
        ),* }

        impl $name {
            /// Every variant, in order.
            pub const ALL: &'static [Self] = &[ $( Self::$variant ),* ];

            /// What the variant stands for.
            pub const fn value(self) -> $type {
                match self { $( Self::$variant => $value ),* }
            }
        }

        impl $crate::input::encode::Encode for $name {
            fn encode_to(&self, out: &mut Vec<u8>) {
                $crate::input::encode::put_variant(*self as usize, Self::ALL.len(), out);
            }
        }

        impl $crate::input::part::Part for $name {
            fn redraw(&mut self, bytes: &[u8]) {
                $crate::input::part::redraw(self, bytes);
            }

            fn visit(&mut self, see: &mut dyn FnMut(&mut dyn $crate::input::part::Part)) {
                see(self);
            }
        }
        choices! { $($rest)* }
    };
}

/// Declares a pick from a table: one byte, modulo the table's length. A table may grow at its end
/// with no change to what an input's other picks mean.
macro_rules! tables {
    () => {};
    (
        $(#[$meta:meta])*
        pub table $name:ident : $type:ty = [ $( $value:expr ),* $(,)? ];
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[derive(arbitrary::Arbitrary, Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub u8);

        impl $name {
            /// What there is to pick from.
            pub const TABLE: &'static [$type] = &[ $( $value ),* ];

            /// What is picked.
            pub fn value(self) -> $type {
                Self::TABLE[usize::from(self.0) % Self::TABLE.len()]
            }

            /// The pick of `value`, if the table has it.
            pub fn of(value: &$type) -> Option<Self> {
                let at = Self::TABLE.iter().position(|entry| entry == value)?;
                u8::try_from(at).ok().map($name)
            }
        }

        const _: () = assert!(!$name::TABLE.is_empty() && $name::TABLE.len() <= 256);

        impl $crate::input::encode::Encode for $name {
            fn encode_to(&self, out: &mut Vec<u8>) {
                self.0.encode_to(out);
            }
        }

        impl $crate::input::part::Part for $name {
            fn redraw(&mut self, bytes: &[u8]) {
                $crate::input::part::redraw(self, bytes);
            }

            fn visit(&mut self, see: &mut dyn FnMut(&mut dyn $crate::input::part::Part)) {
                see(self);
            }
        }
        tables! { $($rest)* }
    };
}
