//! The tree as written: names are strings, every node has its place, nothing is resolved.
//!
//! Three contexts share it. *Code* (units, functions) is the language of expressions and statements. *Groups* hold
//! instances of units and assignments. *Declarations* are what scene files are made of: keys, values and blocks, to
//! which this crate gives no meaning.

use crate::source::{SourceMap, Span};

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

/// A word and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// What a unit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "each is the shader kind of that name in the OSL specification"
)]
pub enum UnitKind {
    Shader,
    Surface,
    Displacement,
    Volume,
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

/// One entry of `[[ … ]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// Its declared type.
    pub ty: TypeName,
    /// Its name.
    pub name: Name,
    /// `[3]`, when it is an array.
    pub array: Option<ArrayLength>,
    /// Its value.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// Read only.
    In,
    /// `output` (and TSL's `out`): of a unit a result, of a function a reference.
    Output,
    /// `const`, TSL's read-only qualifier.
    Const,
}

/// A parameter of a unit, a group or a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// How it is passed.
    pub passing: Passing,
    /// Its type.
    pub ty: TypeName,
    /// Its name; empty in a prototype that gives none.
    pub name: Name,
    /// `[3]` or `[]`, when it is an array.
    pub array: Option<ArrayLength>,
    /// The value when none is given.
    pub default: Option<Expr>,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// All of it.
    pub span: Span,
}

/// What stands between the brackets of an array's declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayLength {
    /// Nothing.
    Unsized,
    /// A constant expression.
    Sized(Box<Expr>),
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// Which.
    pub kind: TypeKind,
    /// Its place.
    pub span: Span,
}

/// A type's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// `void`
    Void,
    /// `int`
    Int,
    /// `bool`, TSL's int.
    Bool,
    /// `float`
    Float,
    /// `double`, computed as float.
    Double,
    /// `color`
    Color,
    /// `point`
    Point,
    /// `vector`
    Vector,
    /// `normal`
    Normal,
    /// `matrix`
    Matrix,
    /// `string`
    String,
    /// `closure color`, or TSL's `closure`.
    Closure,
    /// TSL's `texture2d`: the name of an image.
    Texture2d,
    /// A structure.
    Named(String),
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

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `12`, `0xff`: not yet known to fit 32 bits; of a hexadecimal number the bits.
    Int(i64),
    /// `1.5`
    Float(f32),
    /// `"text"`, neighbours joined and escapes resolved.
    String(String),
    /// `true` or `false`
    Bool(bool),
    /// A variable, global, constant, or whatever the context knows by that name.
    Name(String),
    /// `(a, b, c)` or an unparenthesised `a, b`. In code it is the comma operator; in groups and scenes a triple.
    Tuple(Vec<Expr>),
    /// `[a, b, c]`, in scenes only.
    List(Vec<Expr>),
    /// `{ a, b, c }`
    Braces(Vec<Expr>),
    /// `-a` and its kin.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `a + b` and its kin.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `a = b`, `a += b`
    Assign {
        /// The operator before `=`.
        op: Option<BinaryOp>,
        /// What is written.
        target: Box<Expr>,
        /// What it becomes, or is combined with.
        value: Box<Expr>,
    },
    /// `++a`, `a++`, `--a`, `a--`
    Step {
        /// Whether it adds 1 rather than taking 1 away.
        increment: bool,
        /// Whether its value is that after the step.
        prefix: bool,
        /// What is written.
        target: Box<Expr>,
    },
    /// `condition ? then : otherwise`
    Ternary {
        /// What decides.
        condition: Box<Expr>,
        /// When true.
        then: Box<Expr>,
        /// When false.
        otherwise: Box<Expr>,
    },
    /// `(type) a`
    Cast {
        /// The type.
        ty: TypeName,
        /// What is converted.
        operand: Box<Expr>,
    },
    /// `color("hsv", a, b, c)`: a constructor of a type with a keyword.
    Construct {
        /// The type.
        ty: TypeName,
        /// Its arguments.
        args: Vec<Argument>,
    },
    /// A call, also of a structure's constructor.
    Call {
        /// What is called.
        name: Name,
        /// What stands in `<…>`: `make_closure<name>(…)`, `global_value<name>`, `texture2d_sample<name>(u, v)`.
        template: Option<Name>,
        /// Its arguments.
        args: Vec<Argument>,
    },
    /// `a.name`
    Member {
        /// Of what.
        object: Box<Expr>,
        /// Which.
        name: Name,
    },
    /// `a[i]`
    Index {
        /// Of what.
        object: Box<Expr>,
        /// Which.
        index: Box<Expr>,
    },
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// `name = value` of groups and scenes; never in code, where that is an assignment.
    pub name: Option<Name>,
    /// Its value.
    pub value: Expr,
}

/// A prefix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Neg,
    /// `!`, `not`
    Not,
    /// `~`
    BitNot,
}

/// An infix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`, `and`
    And,
    /// `||`, `or`
    Or,
}

impl UnaryOp {
    /// As in source.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Plus => "+",
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
            UnaryOp::BitNot => "~",
        }
    }
}

impl BinaryOp {
    /// As in source.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }
}

/// A group: instances of units and what its outputs are.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: Name,
    /// What is said of it.
    pub metadata: Vec<Metadata>,
    /// What it exposes.
    pub params: Vec<Param>,
    /// Its instances and assignments; their order means nothing.
    pub body: Vec<GroupStmt>,
    /// All of it.
    pub span: Span,
}

/// A statement of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupStmt {
    /// `unit name(arg = expr, …) with { P = expr; … };`
    Instance(Instance),
    /// `output = expr;`
    Assign(GroupAssign),
}

/// An instance of a unit or of another group.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// What it is an instance of.
    pub unit: Name,
    /// Its name.
    pub name: Name,
    /// What its parameters are given. An argument without a name is a mistake that the group's builder reports.
    pub args: Vec<Argument>,
    /// The globals as it sees them.
    pub overrides: Vec<GroupAssign>,
    /// All of it.
    pub span: Span,
}

/// `target = value;`
#[derive(Clone, Debug, PartialEq)]
pub struct GroupAssign {
    /// What is given a value.
    pub target: Path,
    /// The value.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// Names joined by dots; each may be a quoted string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The names; a quoted one without its quotes.
    pub parts: Vec<PathPart>,
    /// All of it.
    pub span: Span,
}

/// A name of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPart {
    /// The word or the text of the string.
    pub text: String,
    /// Whether it was quoted.
    pub quoted: bool,
    /// Its place.
    pub span: Span,
}

impl Path {
    /// The names joined by dots.
    pub fn joined(&self) -> String {
        let parts: Vec<&str> = self.parts.iter().map(|p| p.text.as_str()).collect();
        parts.join(".")
    }
}

/// A declaration of a scene file:
/// `keyword target : kind = value { key = value; … } as alias;` where all but the keyword may be missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// `camera`, `import`, `assign` …
    pub keyword: Name,
    /// What it declares or is about: `main`, `"shaderball.glb"`, `ball."Body"`.
    pub target: Option<Path>,
    /// After the colon: `perspective`.
    pub kind: Option<Name>,
    /// After `=`.
    pub value: Option<Expr>,
    /// Between braces.
    pub body: Option<Vec<Entry>>,
    /// After `as`.
    pub alias: Option<Name>,
    /// All of it.
    pub span: Span,
}

/// `key = value;` or `key : kind { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Path,
    /// The value.
    pub value: Value,
    /// All of it.
    pub span: Span,
}

/// The value of an [`Entry`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, string, tuple, list, name, path or call.
    Expr(Expr),
    /// A nested block.
    Block {
        /// After the colon.
        kind: Option<Name>,
        /// Between the braces.
        entries: Vec<Entry>,
    },
}
