//! The closure registry: closures that the embedder provides, with names and parameters.

use rustc_hash::FxHashMap;

use crate::hir::{ClosureId, Const};
use crate::ty::{Base, Length, Type};

/// A parameter of a closure.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosureParam {
    /// Name, for keyword arguments and messages.
    pub name: &'static str,
    /// Its type: any single value, a closure too, or an array of numbers or strings.
    pub ty: Type,
    /// Value when the call leaves it out (positional parameters without one are required).
    pub default: Option<Const>,
}

impl ClosureParam {
    /// A required parameter.
    pub fn new(name: &'static str, ty: Type) -> ClosureParam {
        ClosureParam {
            name,
            ty,
            default: None,
        }
    }

    /// Bytes of a value, or of one element of an array.
    pub fn element_bytes(&self) -> usize {
        match self.ty.base {
            Base::Int | Base::Float => 4,
            Base::Color | Base::Point | Base::Vector | Base::Normal => 12,
            Base::Matrix => 64,
            Base::String | Base::Closure => 8,
            Base::Void | Base::Struct(_) => unreachable!("registration refuses these"),
        }
    }

    /// A parameter that may be left out; it can be given by keyword: `diffuse(N, "label", "x")`.
    pub fn optional(name: &'static str, ty: Type, default: Const) -> ClosureParam {
        ClosureParam {
            name,
            ty,
            default: Some(default),
        }
    }
}

/// A closure as the language sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosureSignature {
    /// Name in source.
    pub name: &'static str,
    /// Its parameters, in order.
    pub params: Vec<ClosureParam>,
}

impl ClosureSignature {
    /// How many parameters a call must give.
    pub fn required(&self) -> usize {
        self.params
            .iter()
            .take_while(|param| param.default.is_none())
            .count()
    }

    /// Byte offset of each parameter in a component's parameter block, and the block's size (a multiple of 16).
    ///
    /// Int and float take 4 bytes; a triple 12, aligned to 4; a matrix 64; a string or closure a pointer, aligned to 8; an
    /// array its elements without gaps. This is how a `#[repr(C)]` structure of `i32`, `f32`, `[f32; 3]`, `[f32; 16]`,
    /// pointers and arrays of them lies in memory.
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

/// The closures of an embedder.
#[derive(Clone, Debug, Default)]
pub struct ClosureRegistry {
    list: Vec<ClosureSignature>,
    by_name: FxHashMap<&'static str, ClosureId>,
    notes: FxHashMap<ClosureId, &'static str>,
}

impl ClosureRegistry {
    /// Adds a closure. Overloads of one name may be registered: the first whose parameters fit a call is taken.
    ///
    /// # Panics
    /// When a parameter is an array without length or of closures, a structure or void: that is a mistake of the embedder.
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

    /// What to say where a shader makes this closure: what another one stands in for it, say.
    pub fn note(&mut self, id: ClosureId, note: &'static str) {
        self.notes.insert(id, note);
    }

    /// What is to be said where a shader makes this closure.
    pub fn note_of(&self, id: ClosureId) -> Option<&'static str> {
        self.notes.get(&id).copied()
    }

    /// The first closure of a name.
    pub fn find(&self, name: &str) -> Option<ClosureId> {
        self.by_name.get(name).copied()
    }

    /// All closures of a name.
    pub fn overloads<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (ClosureId, &'a ClosureSignature)> {
        self.iter().filter(move |(_, s)| s.name == name)
    }

    /// All closures.
    pub fn iter(&self) -> impl Iterator<Item = (ClosureId, &ClosureSignature)> {
        self.list
            .iter()
            .enumerate()
            .map(|(i, s)| (ClosureId(i as u32), s))
    }

    /// The closure of an id.
    ///
    /// # Panics
    /// When the id is of another registry.
    pub fn get(&self, id: ClosureId) -> &ClosureSignature {
        &self.list[id.0 as usize]
    }
}
