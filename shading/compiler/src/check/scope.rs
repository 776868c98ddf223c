//! Lexical scopes: names to variables.

use rustc_hash::FxHashMap;

use super::TypedValue;
use super::lvalue::Lvalue;
use shading_syntax::ast::{TypeKind, TypeName, Variable};
use shading_syntax::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeIndex(usize);

impl ScopeIndex {
    /// Scope of the prelude, which encloses that of the file.
    pub(super) const ROOT: ScopeIndex = ScopeIndex(0);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SymbolIndex(usize);

#[derive(Clone, Debug)]
pub(super) enum SymbolMeaning {
    /// A variable.
    Variable(Lvalue),
    /// A parameter with a constant argument.
    Value(TypedValue),
    /// A variable at file scope.
    File(usize),
    /// A variable whose type is unknown because of an error.
    Unknown,
}

/// Kind of declaration of a symbol; decides which warnings apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A local variable.
    Local,
    /// A parameter.
    Param,
}

/// A declared variable.
#[derive(Clone, Debug)]
pub(super) struct Symbol<'a> {
    pub(super) name: &'a str,
    pub(super) meaning: SymbolMeaning,
    pub(super) role: Role,
    pub(super) span: Span,
    /// Body that its variables belong to.
    pub(super) body: u32,
    /// Number of loops that enclose its declaration.
    pub(super) loops: usize,
    pub(super) is_read: bool,
    pub(super) is_written: bool,
}

/// A variable declared at file scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileVariable<'a> {
    pub(super) ty: &'a TypeName,
    pub(super) variable: &'a Variable,
    /// Scope of the file.
    pub(super) scope: ScopeIndex,
}

impl FileVariable<'_> {
    pub(super) fn is_texture(&self) -> bool {
        matches!(self.ty.kind, TypeKind::Texture2d)
    }
}

#[derive(Debug, Default)]
struct Scope<'a> {
    parent: Option<ScopeIndex>,
    symbols: FxHashMap<&'a str, SymbolIndex>,
    structs: FxHashMap<&'a str, u32>,
    functions: FxHashMap<&'a str, Vec<usize>>,
}

/// Scopes of a check. They are kept because a nested function sees the scope of its declaration.
#[derive(Debug)]
pub(super) struct Scopes<'a> {
    list: Vec<Scope<'a>>,
    symbols: Vec<Symbol<'a>>,
}

impl Default for Scopes<'_> {
    fn default() -> Self {
        Scopes { list: vec![Scope::default()], symbols: vec![] }
    }
}

impl<'a> Scopes<'a> {
    /// Creates a scope inside `parent`.
    pub(super) fn push(&mut self, parent: ScopeIndex) -> ScopeIndex {
        self.list.push(Scope { parent: Some(parent), ..Scope::default() });
        ScopeIndex(self.list.len() - 1)
    }

    fn chain(&self, from: ScopeIndex) -> impl Iterator<Item = &Scope<'a>> {
        let mut next = Some(from);
        std::iter::from_fn(move || {
            let scope = &self.list[next?.0];
            next = scope.parent;
            Some(scope)
        })
    }

    /// Declares a symbol; returns an existing one of that name in the same scope.
    pub(super) fn declare(&mut self, scope: ScopeIndex, symbol: Symbol<'a>) -> Option<SymbolIndex> {
        let index = SymbolIndex(self.symbols.len());
        let name = symbol.name;
        self.symbols.push(symbol);
        self.list[scope.0].symbols.insert(name, index)
    }

    /// Looks up a symbol in a scope and those that enclose it.
    pub(super) fn find(&self, from: ScopeIndex, name: &str) -> Option<SymbolIndex> {
        self.chain(from).find_map(|s| s.symbols.get(name).copied())
    }

    /// Looks up a symbol in one scope only.
    pub(super) fn find_here(&self, scope: ScopeIndex, name: &str) -> Option<SymbolIndex> {
        self.list[scope.0].symbols.get(name).copied()
    }

    pub(super) fn get(&self, index: SymbolIndex) -> &Symbol<'a> {
        &self.symbols[index.0]
    }

    pub(super) fn get_mut(&mut self, index: SymbolIndex) -> &mut Symbol<'a> {
        &mut self.symbols[index.0]
    }

    pub(super) fn symbols_of(&self, scope: ScopeIndex) -> impl Iterator<Item = &Symbol<'a>> {
        self.list[scope.0].symbols.values().map(|i| self.get(*i))
    }

    /// Returns the visible symbol names, for hints.
    pub(super) fn names(&self, from: ScopeIndex) -> Vec<&'a str> {
        self.chain(from).flat_map(|s| s.symbols.keys().copied()).collect()
    }

    /// Declares a structure; returns an existing one of that name in the same scope.
    pub(super) fn declare_struct(&mut self, scope: ScopeIndex, name: &'a str, index: u32) -> Option<u32> {
        self.list[scope.0].structs.insert(name, index)
    }

    /// Looks up a structure.
    pub(super) fn find_struct(&self, from: ScopeIndex, name: &str) -> Option<u32> {
        self.chain(from).find_map(|s| s.structs.get(name).copied())
    }

    /// Returns the visible structure names, for hints.
    pub(super) fn struct_names(&self, from: ScopeIndex) -> Vec<&'a str> {
        self.chain(from).flat_map(|s| s.structs.keys().copied()).collect()
    }

    pub(super) fn declare_function(&mut self, scope: ScopeIndex, name: &'a str, index: usize) {
        self.list[scope.0].functions.entry(name).or_default().push(index);
    }

    /// Returns whether a scope itself declares functions of a name.
    pub(super) fn has_functions(&self, scope: ScopeIndex, name: &str) -> bool {
        self.list[scope.0].functions.contains_key(name)
    }

    /// Returns the declared overloads of a name, innermost first.
    pub(super) fn find_functions(&self, from: ScopeIndex, name: &str) -> Vec<usize> {
        self.chain(from)
            .filter_map(|s| s.functions.get(name))
            .flatten()
            .copied()
            .collect()
    }

    /// Returns whether a variable hides the functions of a name.
    pub(super) fn is_hidden_function(&self, from: ScopeIndex, name: &str) -> bool {
        let declares =
            |scope: &&Scope<'a>| scope.symbols.contains_key(name) || scope.functions.contains_key(name);
        let innermost = self.chain(from).find(declares);
        innermost.is_some_and(|scope| !scope.functions.contains_key(name))
    }

    /// Returns the visible function names, for hints.
    pub(super) fn function_names(&self, from: ScopeIndex) -> Vec<&'a str> {
        self.chain(from).flat_map(|s| s.functions.keys().copied()).collect()
    }
}
