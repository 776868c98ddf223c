//! Expressions of XPath 1.0.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueType {
    Nodes,
    Number,
    Text,
    Truth,
}

#[derive(Debug)]
pub(super) enum Expr {
    Number(f64),
    Text(String),
    Negated(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
    Path(Start, Vec<Step>),
}

#[derive(Debug)]
pub(super) enum Start {
    Here,
    Root,
    /// At the nodes of an expression for which the predicates hold.
    Nodes(Box<Expr>, Vec<Expr>),
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: NodeTest,
    pub(super) predicates: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Namespace,
    Parent,
    Preceding,
    PrecedingSibling,
    Here,
}

/// Node test of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NodeTest {
    /// `node()`
    Anything,
    /// `text()`
    Text,
    /// `comment()` and `processing-instruction()`; documents contain neither.
    Nothing,
    /// `*`
    AnyName,
    /// `prefix:*`, with the colon
    Prefix(String),
    Name(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Union,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Boolean,
    Ceiling,
    Concat,
    Contains,
    Count,
    False,
    Floor,
    Id,
    Lang,
    Last,
    LocalName,
    Name,
    NamespaceUri,
    NormalizeSpace,
    Not,
    Number,
    Position,
    Round,
    StartsWith,
    String,
    StringLength,
    Substring,
    SubstringAfter,
    SubstringBefore,
    Sum,
    Translate,
    True,
}

impl Axis {
    const ALL: [(&'static str, Axis); 13] = [
        ("ancestor", Axis::Ancestor),
        ("ancestor-or-self", Axis::AncestorOrSelf),
        ("attribute", Axis::Attribute),
        ("child", Axis::Child),
        ("descendant", Axis::Descendant),
        ("descendant-or-self", Axis::DescendantOrSelf),
        ("following", Axis::Following),
        ("following-sibling", Axis::FollowingSibling),
        ("namespace", Axis::Namespace),
        ("parent", Axis::Parent),
        ("preceding", Axis::Preceding),
        ("preceding-sibling", Axis::PrecedingSibling),
        ("self", Axis::Here),
    ];

    pub(super) fn from_name(name: &str) -> Option<Axis> {
        let mut all = Axis::ALL.into_iter();
        all.find(|(known, _)| *known == name).map(|(_, axis)| axis)
    }
}

impl Function {
    /// Names, with the minimum and maximum number of arguments.
    const ALL: [(&'static str, Function, [usize; 2]); 27] = [
        ("boolean", Function::Boolean, [1, 1]),
        ("ceiling", Function::Ceiling, [1, 1]),
        ("concat", Function::Concat, [2, usize::MAX]),
        ("contains", Function::Contains, [2, 2]),
        ("count", Function::Count, [1, 1]),
        ("false", Function::False, [0, 0]),
        ("floor", Function::Floor, [1, 1]),
        ("id", Function::Id, [1, 1]),
        ("lang", Function::Lang, [1, 1]),
        ("last", Function::Last, [0, 0]),
        ("local-name", Function::LocalName, [0, 1]),
        ("name", Function::Name, [0, 1]),
        ("namespace-uri", Function::NamespaceUri, [0, 1]),
        ("normalize-space", Function::NormalizeSpace, [0, 1]),
        ("not", Function::Not, [1, 1]),
        ("number", Function::Number, [0, 1]),
        ("position", Function::Position, [0, 0]),
        ("round", Function::Round, [1, 1]),
        ("starts-with", Function::StartsWith, [2, 2]),
        ("string", Function::String, [0, 1]),
        ("string-length", Function::StringLength, [0, 1]),
        ("substring", Function::Substring, [2, 3]),
        ("substring-after", Function::SubstringAfter, [2, 2]),
        ("substring-before", Function::SubstringBefore, [2, 2]),
        ("sum", Function::Sum, [1, 1]),
        ("translate", Function::Translate, [3, 3]),
        ("true", Function::True, [0, 0]),
    ];

    /// Returns the function with a name, if it accepts `count` arguments.
    pub(super) fn find(name: &str, count: usize) -> Option<Function> {
        let mut all = Function::ALL.into_iter();
        let (_, function, [least, most]) = all.find(|(known, ..)| *known == name)?;
        (least..=most).contains(&count).then_some(function)
    }

    /// Returns whether its argument must be a node set.
    pub(super) fn takes_nodes(self) -> bool {
        matches!(
            self,
            Function::Count | Function::Sum | Function::LocalName | Function::Name | Function::NamespaceUri
        )
    }

    fn result(self) -> ValueType {
        match self {
            Function::Id => ValueType::Nodes,
            Function::Ceiling
            | Function::Count
            | Function::Floor
            | Function::Last
            | Function::Number
            | Function::Position
            | Function::Round
            | Function::StringLength
            | Function::Sum => ValueType::Number,
            Function::Concat
            | Function::LocalName
            | Function::Name
            | Function::NamespaceUri
            | Function::NormalizeSpace
            | Function::String
            | Function::Substring
            | Function::SubstringAfter
            | Function::SubstringBefore
            | Function::Translate => ValueType::Text,
            Function::Boolean
            | Function::Contains
            | Function::False
            | Function::Lang
            | Function::Not
            | Function::StartsWith
            | Function::True => ValueType::Truth,
        }
    }
}

impl Expr {
    pub(super) fn ty(&self) -> ValueType {
        match self {
            Expr::Number(_) | Expr::Negated(_) => ValueType::Number,
            Expr::Text(_) => ValueType::Text,
            Expr::Call(function, _) => function.result(),
            Expr::Path(..) | Expr::Binary(Binary::Union, ..) => ValueType::Nodes,
            Expr::Binary(
                Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Modulo,
                ..,
            ) => ValueType::Number,
            Expr::Binary(..) => ValueType::Truth,
        }
    }

    /// Returns whether the expression, as a predicate, selects nodes by their position.
    pub(super) fn is_positional(&self) -> bool {
        self.ty() == ValueType::Number || self.reads_position()
    }

    fn reads_position(&self) -> bool {
        match self {
            Expr::Number(_) | Expr::Text(_) => false,
            Expr::Negated(inner) => inner.reads_position(),
            Expr::Binary(_, a, b) => a.reads_position() || b.reads_position(),
            Expr::Call(Function::Position | Function::Last, _) => true,
            Expr::Call(_, args) => args.iter().any(Expr::reads_position),
            // Positions in predicates of its steps refer to other node sets.
            Expr::Path(start, _) => match start {
                Start::Here | Start::Root => false,
                Start::Nodes(inner, _) => inner.reads_position(),
            },
        }
    }
}
