//! AST of expressions, names and types.

use crate::source::Span;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Variant of the expression.
    pub kind: ExprKind,
    /// Source location.
    pub span: Span,
}

/// Variants of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An expression that could not be parsed.
    Missing,
    /// `12`, `0xff`. Not yet checked to fit 32 bits; a hexadecimal literal gives the bits.
    Int(i64),
    /// `1.5`
    Float(f32),
    /// `"text"`, with adjacent literals joined and escapes resolved.
    String(String),
    /// `true` or `false`
    Bool(bool),
    /// Name of a variable, global, constant, or anything else that the context defines.
    Name(String),
    /// `(a, b, c)` or an unparenthesised `a, b`. In code it is the comma operator; in groups and scenes a triple.
    Tuple(Vec<Expr>),
    /// `[a, b, c]`, in scenes only.
    List(Vec<Expr>),
    /// `{ a, b, c }`
    Braces(Vec<Expr>),
    /// `-a` and the other prefix operators.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Operand.
        operand: Box<Expr>,
    },
    /// `a + b` and the other infix operators.
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
        /// The compound operator before `=`, if any.
        op: Option<BinaryOp>,
        /// Target of the assignment.
        target: Box<Expr>,
        /// Value that is assigned, or combined with the target by `op`.
        value: Box<Expr>,
    },
    /// `++a`, `a++`, `--a`, `a--`
    Step {
        /// True for `++`, false for `--`.
        increment: bool,
        /// True if the value of the expression is the variable's value after the step (`++a`).
        prefix: bool,
        /// Target of the step.
        target: Box<Expr>,
    },
    /// `condition ? then : otherwise`
    Ternary {
        /// Condition.
        condition: Box<Expr>,
        /// Value if the condition is true.
        then: Box<Expr>,
        /// Value if the condition is false.
        otherwise: Box<Expr>,
    },
    /// `(type) a`
    Cast {
        /// The type.
        ty: TypeName,
        /// Operand of the conversion.
        operand: Box<Expr>,
    },
    /// `color("hsv", a, b, c)`: a constructor of a built-in type.
    Construct {
        /// The type.
        ty: TypeName,
        /// Arguments.
        args: Vec<Argument>,
    },
    /// Function call or constructor of a structure.
    Call {
        /// Name of the function or structure.
        name: Name,
        /// Name in `<…>`: `make_closure<name>(…)`, `global_value<name>`, `texture2d_sample<name>(u, v)`.
        template: Option<Name>,
        /// Arguments.
        args: Vec<Argument>,
    },
    /// `a.name`
    Member {
        /// Object with the member.
        object: Box<Expr>,
        /// Name of the member.
        name: Name,
    },
    /// `a[i]`
    Index {
        /// Array, or triple or matrix, that is indexed.
        object: Box<Expr>,
        /// Index.
        index: Box<Expr>,
    },
}

impl Expr {
    /// Creates an expression.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        Expr { kind, span }
    }

    /// Returns the size of the tree.
    pub fn size(&self) -> TreeSize {
        let mut size = TreeSize { nodes: 1, depth: 1 };
        self.for_each_operand(&mut |operand| {
            let TreeSize { nodes, depth } = operand.size();
            size.nodes += nodes;
            size.depth = size.depth.max(depth + 1);
        });
        size
    }

    /// Calls `visit` with each direct operand of the expression, in order.
    pub fn for_each_operand<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Missing
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_) => {}
            ExprKind::Tuple(list) | ExprKind::List(list) | ExprKind::Braces(list) => {
                list.iter().for_each(visit);
            }
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => visit(operand),
            ExprKind::Binary { left, right, .. } => [left, right].into_iter().for_each(|e| visit(e)),
            ExprKind::Assign { target, value, .. } => [target, value].into_iter().for_each(|e| visit(e)),
            ExprKind::Step { target, .. } => visit(target),
            ExprKind::Ternary { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|e| visit(e));
            }
            ExprKind::Construct { args, .. } | ExprKind::Call { args, .. } => {
                args.iter().for_each(|arg| visit(&arg.value));
            }
            ExprKind::Member { object, .. } => visit(object),
            ExprKind::Index { object, index } => [object, index].into_iter().for_each(|e| visit(e)),
        }
    }

    /// Calls `visit` with each direct operand of the expression, in order, for modification.
    pub fn for_each_operand_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Missing
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_) => {}
            ExprKind::Tuple(list) | ExprKind::List(list) | ExprKind::Braces(list) => {
                list.iter_mut().for_each(visit);
            }
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => visit(operand),
            ExprKind::Binary { left, right, .. } => [left, right].into_iter().for_each(|e| visit(e)),
            ExprKind::Assign { target, value, .. } => [target, value].into_iter().for_each(|e| visit(e)),
            ExprKind::Step { target, .. } => visit(target),
            ExprKind::Ternary { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|e| visit(e));
            }
            ExprKind::Construct { args, .. } | ExprKind::Call { args, .. } => {
                args.iter_mut().for_each(|arg| visit(&mut arg.value));
            }
            ExprKind::Member { object, .. } => visit(object),
            ExprKind::Index { object, index } => [object, index].into_iter().for_each(|e| visit(e)),
        }
    }
}

/// Size of an expression as a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeSize {
    /// Number of expressions, including those inside.
    pub nodes: usize,
    /// Number of expressions on the longest path inwards.
    pub depth: usize,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Name in `name = value` of groups and scenes. `None` in code, where `name = value` is an assignment.
    pub name: Option<Name>,
    /// Value.
    pub value: Expr,
    /// True for an argument of the command line, which replaces other arguments of the same input, also those by an alias.
    pub overrides: bool,
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
    /// Spelling of the operator in source.
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
    /// Spelling of the operator in source.
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

/// An identifier with its source location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Text of the identifier.
    pub text: String,
    /// Source location.
    pub span: Span,
}

/// Length in the brackets of an array declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayLength {
    /// No length: `[]`.
    Unsized,
    /// A constant expression.
    Sized(Box<Expr>),
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// Kind of the type.
    pub kind: TypeKind,
    /// Source location.
    pub span: Span,
}

/// Kinds of type names.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `void`
    Void,
    /// `int`
    Int,
    /// `bool`: TSL's name of int.
    Bool,
    /// `float`
    Float,
    /// `double`, evaluated as float.
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
    /// TSL's `texture2d`: the file name of an image.
    Texture2d,
    /// A structure.
    Named(String),
    /// `typeof(a)`: the type of an expression.
    Of(Box<Expr>),
}
