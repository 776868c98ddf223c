//! AST of expressions, names and types.

use crate::source::Span;

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

impl Expr {
    /// Calls `visit` with each expression that this one is directly made of, in order.
    pub fn for_each_operand<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Int(_)
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
            ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => {
                [condition, then, otherwise].into_iter().for_each(|e| visit(e));
            }
            ExprKind::Construct { args, .. } | ExprKind::Call { args, .. } => {
                args.iter().for_each(|arg| visit(&arg.value));
            }
            ExprKind::Member { object, .. } => visit(object),
            ExprKind::Index { object, index } => [object, index].into_iter().for_each(|e| visit(e)),
        }
    }

    /// The same, to change.
    pub fn for_each_operand_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Int(_)
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
            ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => {
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

/// A word and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Its place.
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
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// Which.
    pub kind: TypeKind,
    /// Its place.
    pub span: Span,
}

/// A type's name.
#[derive(Clone, Debug, PartialEq)]
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
    /// `typeof(a)`: the type of an expression.
    Of(Box<Expr>),
}
