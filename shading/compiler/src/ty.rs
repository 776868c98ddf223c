//! Types of the language.

use std::fmt;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// No value; the result of a function that returns none.
    Void,
    /// 32-bit signed integer; also the language's truth values.
    Int,
    /// 32-bit IEEE-754 number.
    Float,
    /// Linear RGB.
    Color,
    /// A position.
    Point,
    /// A direction or displacement.
    Vector,
    /// A surface normal.
    Normal,
    /// 4×4, row-major, row vectors multiply from the left (OSL's convention).
    Matrix,
    /// Immutable text.
    String,
    /// A radiance closure: a symbolic weighted sum of scattering components.
    Closure,
    /// A structure, by its index in the table of the file that declares it. Never in HIR: see [`crate::hir`].
    Struct(u32),
}

impl Base {
    /// Returns whether it is one of the four types of three floats.
    pub fn is_triple(self) -> bool {
        matches!(self, Base::Color | Base::Point | Base::Vector | Base::Normal)
    }
}

/// Array length of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Not an array.
    Single,
    /// An array of the given length.
    Array(u32),
    /// An array parameter whose length is the argument's.
    Unsized,
}

/// A type: an element type, or an array of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// Element type.
    pub base: Base,
    /// Array length.
    pub length: Length,
}

impl Type {
    /// Returns the type that a text such as `float` or `color[3]` names; `float[]` is an array of unknown length.
    /// `other` gives the element types of further names. `None` if the text names no type.
    pub fn named(text: &str, other: impl FnOnce(&str) -> Option<Base>) -> Option<Type> {
        let (name, length) = match text.split_once('[') {
            Some((name, length)) => (name, Some(length.strip_suffix(']')?)),
            None => (text, None),
        };
        let base = match name {
            "int" => Base::Int,
            "float" => Base::Float,
            "color" => Base::Color,
            "point" => Base::Point,
            "vector" => Base::Vector,
            "normal" => Base::Normal,
            "matrix" => Base::Matrix,
            "string" => Base::String,
            _ => other(name)?,
        };
        let length = match length {
            None => Length::Single,
            Some("") => Length::Unsized,
            Some(count) => Length::Array(count.parse().ok()?),
        };
        Some(Type { base, length })
    }

    /// No value.
    pub const VOID: Type = Type::single(Base::Void);
    /// `int`.
    pub const INT: Type = Type::single(Base::Int);
    /// `float`.
    pub const FLOAT: Type = Type::single(Base::Float);
    /// `color`.
    pub const COLOR: Type = Type::single(Base::Color);
    /// `point`.
    pub const POINT: Type = Type::single(Base::Point);
    /// `vector`.
    pub const VECTOR: Type = Type::single(Base::Vector);
    /// `normal`.
    pub const NORMAL: Type = Type::single(Base::Normal);
    /// `matrix`.
    pub const MATRIX: Type = Type::single(Base::Matrix);
    /// `string`.
    pub const STRING: Type = Type::single(Base::String);
    /// `closure color`.
    pub const CLOSURE: Type = Type::single(Base::Closure);

    /// Creates the type of a single `base`.
    pub const fn single(base: Base) -> Type {
        Type { base, length: Length::Single }
    }

    /// Creates the type of an array of `length` elements of `base`.
    pub const fn array(base: Base, length: u32) -> Type {
        Type { base, length: Length::Array(length) }
    }

    /// Returns the type with another array length.
    pub const fn with_length(self, length: Length) -> Type {
        Type { length, ..self }
    }

    /// Returns whether it is an array, of known length or not.
    pub fn is_array(self) -> bool {
        self.length != Length::Single
    }

    /// Returns whether it is a single triple.
    pub fn is_triple(self) -> bool {
        !self.is_array() && self.base.is_triple()
    }

    /// Type of one element; the type itself if it is not an array.
    pub fn element(self) -> Type {
        Type::single(self.base)
    }

    /// Number of values: the array's length, else 1.
    pub fn count(self) -> u32 {
        match self.length {
            Length::Array(n) => n,
            Length::Single | Length::Unsized => 1,
        }
    }
}

impl From<Base> for Type {
    fn from(base: Base) -> Type {
        Type::single(base)
    }
}

impl fmt::Display for Type {
    /// Writes the type as in source. A structure is written as `struct`, because its name is in the file's table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.base {
            Base::Void => "void",
            Base::Int => "int",
            Base::Float => "float",
            Base::Color => "color",
            Base::Point => "point",
            Base::Vector => "vector",
            Base::Normal => "normal",
            Base::Matrix => "matrix",
            Base::String => "string",
            Base::Closure => "closure color",
            Base::Struct(_) => "struct",
        })?;
        match self.length {
            Length::Single => Ok(()),
            Length::Array(n) => write!(f, "[{n}]"),
            Length::Unsized => f.write_str("[]"),
        }
    }
}

/// Returns the index of the component of a triple with the given name.
pub fn component_index(name: &str) -> Option<u32> {
    match name {
        "r" | "x" => Some(0),
        "g" | "y" => Some(1),
        "b" | "z" => Some(2),
        _ => None,
    }
}
