//! The closure registry: closures that the embedder provides, with names and parameters.

use std::fmt;
use std::ops::Index;

use rustc_hash::FxHashMap;

use crate::hir::{ClosureId, Const, Kind};
use crate::ty::{Base, Length, Type};

/// Largest size in bytes of the parameters of a closure.
pub const MAX_CLOSURE_BYTES: usize = 64 << 10;

/// A parameter of a closure.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosureParam {
    /// Name, for keyword arguments and messages.
    pub name: &'static str,
    /// Type: any single value including closures, or an array of numbers or strings.
    pub ty: Type,
    /// Default value (positional parameters without one are required).
    pub default: Option<Const>,
}

impl ClosureParam {
    /// Creates a required parameter.
    pub fn new(name: &'static str, ty: Type) -> ClosureParam {
        ClosureParam { name, ty, default: None }
    }

    /// Returns the size of a value, or of one element of an array, in bytes.
    pub fn element_bytes(&self) -> usize {
        match self.ty.base {
            Base::Int | Base::Float => 4,
            Base::Color | Base::Point | Base::Vector | Base::Normal => 12,
            Base::Matrix => 64,
            Base::String | Base::Closure => 8,
            Base::Void | Base::Struct(_) => unreachable!("registration refuses these"),
        }
    }

    /// Creates an optional parameter; it can be given by keyword: `diffuse(N, "label", "x")`.
    pub fn optional(name: &'static str, ty: Type, default: Const) -> ClosureParam {
        ClosureParam { name, ty, default: Some(default) }
    }
}

/// Signature of a closure.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosureSignature {
    /// Name in source.
    pub name: &'static str,
    /// Parameters, in order.
    pub params: Vec<ClosureParam>,
}

/// Reasons why a closure cannot be registered or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClosureError {
    /// A closure cannot have a parameter of this type.
    #[error(
        "closure {closure} cannot have the parameter `{ty} {param}`: an array needs a length and no closures, and \
         structures are passed by their fields"
    )]
    Type {
        /// Name of the closure.
        closure: &'static str,
        /// Name of the parameter.
        param: &'static str,
        /// Its type.
        ty: Type,
    },
    /// The default value is of another type than the parameter.
    #[error("the default value of `{ty} {param}` of closure {closure} is of another type")]
    Default {
        /// Name of the closure.
        closure: &'static str,
        /// Name of the parameter.
        param: &'static str,
        /// Its type.
        ty: Type,
    },
    /// A required parameter comes after an optional one.
    #[error(
        "parameter {param} of closure {closure} needs a default value, because the one before it has one"
    )]
    Order {
        /// Name of the closure.
        closure: &'static str,
        /// Name of the parameter.
        param: &'static str,
    },
    /// The parameters take too much memory.
    #[error(
        "the parameters of closure {closure} take {bytes} bytes; at most {MAX_CLOSURE_BYTES} are possible"
    )]
    TooLarge {
        /// Name of the closure.
        closure: &'static str,
        /// Their size.
        bytes: u64,
    },
    /// A closure of this name and these types is already registered.
    #[error("closure {signature} is registered twice")]
    Twice {
        /// The closure.
        signature: String,
    },
    /// No closure of this name is registered.
    #[error("closure {name} is not registered")]
    Unknown {
        /// Name.
        name: &'static str,
    },
    /// The closures of this name have other parameters.
    #[error("closure {expected} is registered as {found}")]
    Mismatch {
        /// The closure as the reader declares it.
        expected: String,
        /// The registered ones.
        found: String,
    },
}

impl fmt::Display for ClosureSignature {
    /// Writes the signature as in source: `shine(normal n, float exponent)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let params = self.params.iter().map(|param| match param.ty.is_array() {
            true => format!("{} {}[{}]", param.ty.element(), param.name, param.ty.count()),
            false => format!("{} {}", param.ty, param.name),
        });
        write!(f, "{}({})", self.name, params.collect::<Vec<_>>().join(", "))
    }
}

impl ClosureSignature {
    /// Returns whether the types of the parameters equal those of another signature.
    fn has_types_of(&self, other: &ClosureSignature) -> bool {
        let types = |signature: &ClosureSignature| signature.params.iter().map(|p| p.ty).collect::<Vec<_>>();
        types(self) == types(other)
    }

    /// Returns whether the names and types of the parameters equal those of another signature.
    pub fn has_params_of(&self, other: &ClosureSignature) -> bool {
        self.has_types_of(other) && self.params.iter().zip(&other.params).all(|(a, b)| a.name == b.name)
    }

    /// Returns a hash of the name and of the names and types of the parameters (FNV-1a).
    pub fn fingerprint(&self) -> u64 {
        let start = 0xcbf2_9ce4_8422_2325;
        self.to_string()
            .bytes()
            .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }

    /// Checks that closures can have these parameters.
    fn check(&self) -> Result<(), ClosureError> {
        let closure = self.name;
        let mut bytes = 0u64;
        let mut is_optional = false;
        for &ClosureParam { name: param, ty, ref default } in &self.params {
            let fits = match ty.base {
                Base::Void | Base::Struct(_) => false,
                Base::Closure => !ty.is_array(),
                _ => ty.length != Length::Unsized && ty.length != Length::Array(0),
            };
            if !fits {
                return Err(ClosureError::Type { closure, param, ty });
            }
            if is_optional && default.is_none() {
                return Err(ClosureError::Order { closure, param });
            }
            is_optional = default.is_some();
            if default.as_ref().is_some_and(|value| Kind::of_const(value) != Kind::of(ty)) {
                return Err(ClosureError::Default { closure, param, ty });
            }
            // A matrix is the largest element.
            bytes = bytes.saturating_add(64 * u64::from(ty.count()));
        }
        if bytes > MAX_CLOSURE_BYTES as u64 {
            return Err(ClosureError::TooLarge { closure, bytes });
        }
        Ok(())
    }

    /// Number of required parameters.
    pub fn required(&self) -> usize {
        self.params.iter().take_while(|param| param.default.is_none()).count()
    }

    /// Returns the byte offset of each parameter in a component's parameter block, and the size of the block (a multiple of
    /// 16).
    ///
    /// Int and float take 4 bytes; a triple 12, aligned to 4; a matrix 64; a string or closure a pointer, aligned to 8;
    /// an array its elements without gaps. This is the layout of a `#[repr(C)]` structure of `i32`, `f32`, `[f32; 3]`,
    /// `[f32; 16]`, pointers and arrays of these.
    pub fn layout(&self) -> (Vec<usize>, usize) {
        let mut size = 0usize;
        let mut offsets = vec![];
        for param in &self.params {
            let bytes = param.element_bytes();
            let align = if bytes == 8 { 8 } else { 4 };
            size = size.next_multiple_of(align);
            offsets.push(size);
            size += bytes * param.ty.count() as usize;
        }
        (offsets, size.next_multiple_of(16))
    }
}

/// Closures provided by an embedder.
#[derive(Clone, Debug, Default)]
pub struct ClosureRegistry {
    list: Vec<ClosureSignature>,
    by_name: FxHashMap<&'static str, ClosureId>,
    notes: FxHashMap<ClosureId, ClosureNote>,
}

/// Message for a shader that creates a closure with reduced functionality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosureNote {
    /// Description of the actual behaviour.
    pub text: &'static str,
    /// Parameter for the missing feature. The message is omitted if the parameter is constant zero.
    pub unless_zero: Option<&'static str>,
}

impl ClosureRegistry {
    /// Adds a closure. Several overloads of a name may be registered; a call uses the first whose parameters match.
    ///
    /// # Errors
    /// If a closure cannot have such parameters, or one of the same name and types is registered.
    pub fn register(&mut self, signature: ClosureSignature) -> Result<ClosureId, ClosureError> {
        signature.check()?;
        if self.overloads(signature.name).any(|(_, known)| known.has_types_of(&signature)) {
            return Err(ClosureError::Twice { signature: signature.to_string() });
        }
        let id = ClosureId(self.list.len() as u32);
        self.by_name.entry(signature.name).or_insert(id);
        self.list.push(signature);
        Ok(id)
    }

    /// Sets the message for shaders that create this closure.
    pub fn note(&mut self, id: ClosureId, note: ClosureNote) {
        self.notes.insert(id, note);
    }

    /// Returns the message for shaders that create this closure.
    pub fn note_of(&self, id: ClosureId) -> Option<ClosureNote> {
        self.notes.get(&id).copied()
    }

    /// Returns the first closure of a name.
    pub fn find(&self, name: &str) -> Option<ClosureId> {
        self.by_name.get(name).copied()
    }

    /// Returns all closures of a name.
    pub fn overloads<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (ClosureId, &'a ClosureSignature)> {
        self.iter().filter(move |(_, s)| s.name == name)
    }

    /// Iterates over all closures.
    pub fn iter(&self) -> impl Iterator<Item = (ClosureId, &ClosureSignature)> {
        self.list.iter().enumerate().map(|(i, s)| (ClosureId(i as u32), s))
    }

    /// Returns the closure of an id; `None` if the id is another registry's.
    pub fn get(&self, id: ClosureId) -> Option<&ClosureSignature> {
        self.list.get(id.0 as usize)
    }
}

impl Index<ClosureId> for ClosureRegistry {
    type Output = ClosureSignature;

    fn index(&self, id: ClosureId) -> &ClosureSignature {
        &self.list[id.0 as usize]
    }
}
