//! The syntax tree (AST): names are strings, every node has a span, nothing is resolved.
//!
//! Three contexts share the tree. *Code* (units, functions) consists of expressions and statements. *Groups* contain
//! instances of units and assignments. *Declarations* are the contents of scene files: keys, values and blocks, which this
//! crate does not interpret. Importers create declarations without a text; they can be printed.

mod build;
mod call_graph;
mod declaration_index;
mod expr;
mod param;
mod print;
mod scene;
mod unit_kind;
mod walk;

use std::collections::BTreeSet;

use crate::source::{SourceMap, Span};

pub use declaration_index::DeclarationIndex;
pub use expr::{
    Argument, ArrayLength, BinaryOp, Expr, ExprKind, Name, TreeSize, TypeKind, TypeName, UnaryOp,
};
pub use param::{Metadata, Param, Passing};
pub use scene::{Declaration, Entry, EntryValue, Group, GroupAssign, GroupStmt, Instance, Path, PathPart};
pub use unit_kind::UnitKind;

/// Maximum nesting of statements in texts. It bounds the recursion of all steps, so trees without a text must observe it
/// too.
pub const MAX_DEPTH: usize = 256;

/// As [`MAX_DEPTH`], for the branches of `else if` chains, each of which contains the next.
pub const MAX_ELSE_DEPTH: usize = 900;

/// As [`MAX_DEPTH`], for expressions: a chain of operators nests as deep as it has operands.
pub const MAX_EXPR_DEPTH: usize = 1024;

/// A parsed file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Source texts that the spans refer to.
    pub sources: SourceMap,
    /// Top-level items, in order.
    pub items: Vec<Item>,
    /// Names in text that could not be parsed. Errors about these names are consequences of the syntax errors.
    pub unparsed: BTreeSet<String>,
    /// Index of the items, built at the first query.
    pub declaration_index: DeclarationIndex,
}

/// A top-level item of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `shader NAME(…) { … }` and the other kinds of units.
    Unit(Unit),
    /// A function, a function prototype, or a closure declaration.
    Function(Function),
    /// `struct NAME { … };`
    Struct(Struct),
    /// Variables of a file, in TSL's spelling: `texture2d tex;`, `int table[2] = {1, 2};`. The statement is a
    /// [`StmtKind::Declare`].
    Variables(Stmt),
    /// `group NAME(…) { … }`
    Group(Group),
    /// A declaration of a scene file.
    Declaration(Declaration),
}

/// A shader unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Shader kind.
    pub kind: UnitKind,
    /// Name.
    pub name: Name,
    /// Metadata.
    pub metadata: Vec<Metadata>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Statements.
    pub body: Vec<Stmt>,
    /// Span of the whole unit.
    pub span: Span,
}

/// A function; without a body it is a prototype or a declared closure.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Return type.
    pub ty: TypeName,
    /// Name.
    pub name: Name,
    /// Parameters.
    pub params: Vec<Param>,
    /// Metadata.
    pub metadata: Vec<Metadata>,
    /// Statements; `None` for a prototype.
    pub body: Option<Vec<Stmt>>,
    /// Span of the whole function.
    pub span: Span,
}

/// A structure type.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Name.
    pub name: Name,
    /// Fields, in order.
    pub fields: Vec<Field>,
    /// Span of the whole declaration.
    pub span: Span,
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Type.
    pub ty: TypeName,
    /// Name.
    pub name: Name,
    /// `[3]`, if it is an array.
    pub array: Option<ArrayLength>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Variant of the statement.
    pub kind: StmtKind,
    /// Source location.
    pub span: Span,
}

/// Variants of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `float a = 1, b[3];`
    Declare {
        /// True if declared `const`.
        constant: bool,
        /// Type of all variables of the declaration.
        ty: TypeName,
        /// Variables.
        variables: Vec<Variable>,
    },
    /// A nested function.
    Function(Function),
    /// An expression evaluated for its side effects.
    Expr(Expr),
    /// `if (condition) then else otherwise`
    If {
        /// Condition.
        condition: Expr,
        /// Statement executed if the condition is true.
        then: Box<Stmt>,
        /// Statement executed if the condition is false.
        otherwise: Option<Box<Stmt>>,
    },
    /// `for (init; condition; step) body`
    For {
        /// Initialisation: a declaration or an expression.
        init: Option<Box<Stmt>>,
        /// Loop condition; `None` loops forever.
        condition: Option<Expr>,
        /// Expression evaluated after each iteration.
        step: Option<Expr>,
        /// Loop body.
        body: Box<Stmt>,
    },
    /// `while (condition) body`
    While {
        /// Loop condition.
        condition: Expr,
        /// Loop body.
        body: Box<Stmt>,
    },
    /// `do body while (condition);`
    DoWhile {
        /// Loop body.
        body: Box<Stmt>,
        /// Loop condition.
        condition: Expr,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return value;`
    Return(Option<Expr>),
    /// `{ … }`
    Block(Vec<Stmt>),
    /// `;`
    Empty,
    /// A statement that could not be parsed.
    Missing,
}

/// One variable of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: Name,
    /// `[3]` or `[]`, if it is an array.
    pub array: Option<ArrayLength>,
    /// Initial value.
    pub init: Option<Expr>,
}
