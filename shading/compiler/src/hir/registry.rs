//! The closure registry: closures that the embedder provides, with names and parameters.

use rustc_hash::FxHashMap;

use crate::hir::{ClosureId, Const};
use crate::ty::{Base, Length, Type};

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
        ClosureParam {
            name,
            ty,
            default: None,
        }
    }

    /// Size in bytes of a value, or of one element of an array.
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
        ClosureParam {
            name,
            ty,
            default: Some(default),
        }
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

impl ClosureSignature {
    /// Number of required parameters.
    pub fn required(&self) -> usize {
        self.params
            .iter()
            .take_while(|param| param.default.is_none())
            .count()
    }

    /// Byte offset of each parameter in a component's parameter block, and the block's size (a multiple of 16).
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

/// Message shown when a shader creates a closure that does less than its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosureNote {
    /// What happens instead.
    pub text: &'static str,
    /// Parameter without which nothing is amiss: where it is constant zero, the message is not shown.
    pub unless_zero: Option<&'static str>,
}

impl ClosureRegistry {
    /// Adds a closure. Overloads of one name may be registered: a call takes the first whose parameters match.
    ///
    /// # Panics
    /// If a parameter is an array without length or of closures, a structure or void, which is an error of the
    /// embedder.
    pub fn register(&mut self, signature: ClosureSignature) -> ClosureId {
        for param in &signature.params {
            let fits = match param.ty.base {
                Base::Void | Base::Struct(_) => false,
                Base::Closure => !param.ty.is_array(),
                _ => param.ty.length != Length::Unsized,
            };
            assert!(
                fits,
                "closure {} has a parameter {} of type {}",
                signature.name, param.name, param.ty
            );
        }
        let id = ClosureId(self.list.len() as u32);
        self.by_name.entry(signature.name).or_insert(id);
        self.list.push(signature);
        id
    }

    /// Sets the message shown when a shader creates this closure.
    pub fn note(&mut self, id: ClosureId, note: ClosureNote) {
        self.notes.insert(id, note);
    }

    /// Returns the message shown when a shader creates this closure.
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
        self.list
            .iter()
            .enumerate()
            .map(|(i, s)| (ClosureId(i as u32), s))
    }

    /// Returns the closure of an id.
    ///
    /// # Panics
    /// If the id belongs to another registry.
    pub fn get(&self, id: ClosureId) -> &ClosureSignature {
        &self.list[id.0 as usize]
    }
}
