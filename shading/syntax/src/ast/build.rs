//! Constructors of syntax trees without a text, for importers. Their spans are empty until [`Declaration::set_span`] or
//! [`Expr::set_span`] is called.
//!
//! The trees equal those that the parser returns for the printed text.

use super::{
    Argument, BinaryOp, Declaration, Entry, EntryValue, Expr, ExprKind, Name, Path, PathPart, TypeKind,
    TypeName,
};
use crate::source::Span;

impl From<ExprKind> for Expr {
    fn from(kind: ExprKind) -> Expr {
        let span = Span::default();
        Expr { kind, span }
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        ExprKind::Int(value).into()
    }
}

impl From<f32> for Expr {
    fn from(value: f32) -> Expr {
        ExprKind::Float(value).into()
    }
}

impl From<bool> for Expr {
    fn from(value: bool) -> Expr {
        ExprKind::Bool(value).into()
    }
}

/// A tuple.
impl<T: Into<Expr>, const N: usize> From<[T; N]> for Expr {
    fn from(values: [T; N]) -> Expr {
        ExprKind::Tuple(values.map(T::into).into()).into()
    }
}

impl Expr {
    /// `"text"`
    pub fn string(text: impl Into<String>) -> Expr {
        ExprKind::String(text.into()).into()
    }

    /// A name.
    pub fn name(name: impl Into<String>) -> Expr {
        ExprKind::Name(name.into()).into()
    }

    /// `name(args)`
    pub fn call(name: &str, args: Vec<Argument>) -> Expr {
        let kind = ExprKind::Call { name: Name::new(name), template: None, args };
        kind.into()
    }

    /// `matrix(numbers)`
    pub fn matrix<T: Into<Expr>>(numbers: [T; 16]) -> Expr {
        let ty = TypeName { kind: TypeKind::Matrix, span: Span::default() };
        let args = numbers.map(Argument::positional).into();
        ExprKind::Construct { ty, args }.into()
    }

    /// `left op right`
    pub fn binary(op: BinaryOp, left: impl Into<Expr>, right: impl Into<Expr>) -> Expr {
        let [left, right] = [left.into(), right.into()].map(Box::new);
        ExprKind::Binary { op, left, right }.into()
    }

    /// `self.name`
    #[must_use]
    pub fn member(self, name: &str) -> Expr {
        let kind = ExprKind::Member { object: Box::new(self), name: Name::new(name) };
        kind.into()
    }

    /// `self[index]`
    #[must_use]
    pub fn index(self, index: impl Into<Expr>) -> Expr {
        let kind = ExprKind::Index { object: Box::new(self), index: Box::new(index.into()) };
        kind.into()
    }

    /// Sets the span of the whole tree.
    pub fn set_span(&mut self, span: Span) {
        self.for_each_span_mut(&mut |known| *known = span);
    }

    fn for_each_span_mut(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        visit(&mut self.span);
        match &mut self.kind {
            ExprKind::Cast { ty, .. } => ty.for_each_span_mut(visit),
            ExprKind::Construct { ty, args } => {
                ty.for_each_span_mut(visit);
                args.iter_mut().for_each(|arg| arg.visit_name_span(visit));
            }
            ExprKind::Call { name, template, args } => {
                visit(&mut name.span);
                template.iter_mut().for_each(|template| visit(&mut template.span));
                args.iter_mut().for_each(|arg| arg.visit_name_span(visit));
            }
            ExprKind::Member { name, .. } => visit(&mut name.span),
            ExprKind::Missing
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::Tuple(_)
            | ExprKind::List(_)
            | ExprKind::Braces(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Step { .. }
            | ExprKind::Ternary { .. }
            | ExprKind::Index { .. } => {}
        }
        self.for_each_operand_mut(&mut |operand| operand.for_each_span_mut(visit));
    }
}

impl TypeName {
    fn for_each_span_mut(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        visit(&mut self.span);
        if let TypeKind::Of(expr) = &mut self.kind {
            expr.for_each_span_mut(visit);
        }
    }
}

impl Argument {
    /// `name = value`
    pub fn named(name: &str, value: impl Into<Expr>) -> Argument {
        Argument {
            name: Some(Name::new(name)),
            value: value.into(),
            overrides: false,
        }
    }

    /// An argument without a name.
    pub fn positional(value: impl Into<Expr>) -> Argument {
        Argument { name: None, value: value.into(), overrides: false }
    }

    fn visit_name_span(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        self.name.iter_mut().for_each(|name| visit(&mut name.span));
    }
}

impl Name {
    /// A name without a location.
    pub fn new(text: impl Into<String>) -> Name {
        Name { text: text.into(), span: Span::default() }
    }
}

impl Path {
    /// A path of one name.
    pub fn word(text: impl Into<String>) -> Path {
        Path::of(text.into(), false)
    }

    /// A path of one name in quotes, which may be any text.
    pub fn quoted(text: impl Into<String>) -> Path {
        Path::of(text.into(), true)
    }

    fn of(text: String, quoted: bool) -> Path {
        let span = Span::default();
        Path { parts: vec![PathPart { text, quoted, span }], span }
    }

    fn for_each_span_mut(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        visit(&mut self.span);
        self.parts.iter_mut().for_each(|part| visit(&mut part.span));
    }
}

impl Declaration {
    /// A declaration of a keyword alone.
    pub fn new(keyword: &str) -> Declaration {
        Declaration {
            keyword: Name::new(keyword),
            target: None,
            kind: None,
            value: None,
            body: None,
            alias: None,
            span: Span::default(),
        }
    }

    /// `keyword "name"`, with any text for a name.
    pub fn named(keyword: &str, name: impl Into<String>) -> Declaration {
        Declaration {
            target: Some(Path::quoted(name)),
            ..Declaration::new(keyword)
        }
    }

    /// The declaration with `: kind`.
    #[must_use]
    pub fn of_kind(self, kind: &str) -> Declaration {
        Declaration { kind: Some(Name::new(kind)), ..self }
    }

    /// Adds `key = value;` to the block.
    pub fn set(&mut self, key: &str, value: impl Into<Expr>) {
        self.body.get_or_insert_default().push(Entry {
            key: Path::word(key),
            value: EntryValue::Expr(value.into()),
            span: Span::default(),
        });
    }

    /// Sets the span of the whole tree.
    pub fn set_span(&mut self, span: Span) {
        self.for_each_span_mut(&mut |known| *known = span);
    }

    /// Calls `visit` with every span of the tree.
    pub(crate) fn for_each_span_mut(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        visit(&mut self.span);
        visit(&mut self.keyword.span);
        if let Some(target) = &mut self.target {
            target.for_each_span_mut(visit);
        }
        let names = self.kind.iter_mut().chain(&mut self.alias);
        names.for_each(|name| visit(&mut name.span));
        if let Some(value) = &mut self.value {
            value.for_each_span_mut(visit);
        }
        let entries = self.body.iter_mut().flatten();
        entries.for_each(|entry| entry.for_each_span_mut(visit));
    }
}

impl Entry {
    fn for_each_span_mut(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        visit(&mut self.span);
        self.key.for_each_span_mut(visit);
        match &mut self.value {
            EntryValue::Expr(expr) => expr.for_each_span_mut(visit),
            EntryValue::Block { kind, entries } => {
                kind.iter_mut().for_each(|kind| visit(&mut kind.span));
                entries.iter_mut().for_each(|entry| entry.for_each_span_mut(visit));
            }
        }
    }
}
