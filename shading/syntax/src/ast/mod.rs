//! The syntax tree (AST): names are strings, every node has a span, nothing is resolved.
//!
//! Three contexts share it. *Code* (units, functions) is the language of expressions and statements. *Groups* hold
//! instances of units and assignments. *Declarations* are what scene files are made of: keys, values and blocks, to
//! which this crate gives no meaning.

mod expr;
mod param;
mod scene;
mod unit_kind;
mod walk;

use crate::source::{SourceMap, Span};

pub use expr::{Argument, ArrayLength, BinaryOp, Expr, ExprKind, Name, TypeKind, TypeName, UnaryOp};
pub use param::{Metadata, Param, Passing};
pub use scene::{Declaration, Entry, EntryValue, Group, GroupAssign, GroupStmt, Instance, Path, PathPart};
pub use unit_kind::UnitKind;

/// A parsed file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The texts that the spans are of.
    pub sources: SourceMap,
    /// What stands at the top level, in order.
    pub items: Vec<Item>,
}

/// Something at the top level of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `shader NAME(…) { … }` and its kin.
    Unit(Unit),
    /// A function, or the prototype of one, or a declared closure.
    Function(Function),
    /// `struct NAME { … };`
    Struct(Struct),
    /// `group NAME(…) { … }`
    Group(Group),
    /// A declaration of a scene file.
    Declaration(Declaration),
}

/// A shader unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// What it is for.
    pub kind: UnitKind,
    /// Its name.
    pub name: Name,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// All of it.
    pub span: Span,
}

/// A function; without a body it is a prototype or a declared closure.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// What it gives.
    pub ty: TypeName,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// Its statements.
    pub body: Option<Vec<Stmt>>,
    /// All of it.
    pub span: Span,
}

/// A structure type.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Its name.
    pub name: Name,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// All of it.
    pub span: Span,
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its type.
    pub ty: TypeName,
    /// Its name.
    pub name: Name,
    /// `[3]`, when it is an array.
    pub array: Option<ArrayLength>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `float a = 1, b[3];`
    Declare {
        /// Whether it says `const`.
        constant: bool,
        /// The type of all.
        ty: TypeName,
        /// The variables.
        variables: Vec<Variable>,
    },
    /// A function inside a function.
    Function(Function),
    /// An expression for its effect.
    Expr(Expr),
    /// `if (condition) then else otherwise`
    If {
        /// What decides.
        condition: Expr,
        /// When true.
        then: Box<Stmt>,
        /// When false.
        otherwise: Option<Box<Stmt>>,
    },
    /// `for (init; condition; step) body`
    For {
        /// A declaration or an expression.
        init: Option<Box<Stmt>>,
        /// Goes on while true; always when left out.
        condition: Option<Expr>,
        /// After each turn.
        step: Option<Expr>,
        /// A turn.
        body: Box<Stmt>,
    },
    /// `while (condition) body`
    While {
        /// Goes on while true.
        condition: Expr,
        /// A turn.
        body: Box<Stmt>,
    },
    /// `do body while (condition);`
    DoWhile {
        /// A turn.
        body: Box<Stmt>,
        /// Goes on while true.
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
}

/// One variable of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// `[3]` or `[]`, when it is an array.
    pub array: Option<ArrayLength>,
    /// Its first value.
    pub init: Option<Expr>,
}
