//! Parser of XPath 1.0.

use super::ast::{Axis, Binary, Expr, Function, NodeTest, Start, Step, ValueType};

/// Maximum number of operands and steps of an expression, which bounds recursion.
const MAX_PARTS: usize = 200;

const INCORRECT: &str = "Incorrect query";
const NO_TEST: &str = "Unrecognized node test";

type Parsed<T> = Result<T, &'static str>;

/// Binary operators by precedence, loosest first.
const LEVELS: [&[(&str, Binary)]; 7] = [
    &[("or", Binary::Or)],
    &[("and", Binary::And)],
    &[("!=", Binary::NotEqual), ("=", Binary::Equal)],
    &[
        ("<=", Binary::LessEqual),
        (">=", Binary::GreaterEqual),
        ("<", Binary::Less),
        (">", Binary::Greater),
    ],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("div", Binary::Divide), ("mod", Binary::Modulo)],
    &[("|", Binary::Union)],
];

/// Index of the first level whose operators bind more tightly than a minus sign.
const TIGHTER_THAN_MINUS: usize = 6;

pub(super) fn parse(text: &str) -> Parsed<Expr> {
    let mut parser = Parser { rest: text, parts: 0 };
    let expr = parser.binary(0)?;
    parser.skip_space();
    match parser.rest {
        "" => Ok(expr),
        _ => Err(INCORRECT),
    }
}

struct Parser<'a> {
    rest: &'a str,
    parts: usize,
}

impl<'a> Parser<'a> {
    /// Parses operands joined by operators of at least a level.
    fn binary(&mut self, least: usize) -> Parsed<Expr> {
        let mut left = self.operand()?;
        while let Some((level, operator)) = self.operator(least) {
            let right = self.binary(level + 1)?;
            let is_nodes = |expr: &Expr| expr.ty() == ValueType::Nodes;
            if operator == Binary::Union && !(is_nodes(&left) && is_nodes(&right)) {
                return Err("Union operator has to be applied to node sets");
            }
            left = Expr::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<Expr> {
        self.count()?;
        if self.accept("-") {
            return Ok(Expr::Negated(Box::new(self.binary(TIGHTER_THAN_MINUS)?)));
        }
        self.path()
    }

    fn operator(&mut self, least: usize) -> Option<(usize, Binary)> {
        let levels = LEVELS.iter().enumerate().skip(least);
        let mut all = levels.flat_map(|(level, list)| list.iter().map(move |&(text, op)| (level, text, op)));
        let found = all.find(|&(_, text, _)| {
            // Operators of letters end like names.
            let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic());
            match is_word {
                true => self.peek_name() == Some(text) && self.accept(text),
                false => self.accept(text),
            }
        });
        found.map(|(level, _, operator)| (level, operator))
    }

    fn path(&mut self) -> Parsed<Expr> {
        self.skip_space();
        let mut steps = vec![];
        let start = match self.primary()? {
            Some(primary) => {
                let predicates = self.predicates()?;
                let goes_on = self.peek("/");
                if predicates.is_empty() && !goes_on {
                    return Ok(primary);
                }
                if primary.ty() != ValueType::Nodes {
                    return Err(match goes_on {
                        true => "Step has to be applied to node set",
                        false => "Predicate has to be applied to node set",
                    });
                }
                Start::Nodes(Box::new(primary), predicates)
            }
            None if self.peek("//") => Start::Root,
            None if self.accept("/") => {
                if self.begins_step() {
                    self.step(&mut steps)?;
                }
                Start::Root
            }
            None => {
                self.step(&mut steps)?;
                Start::Here
            }
        };
        loop {
            if self.accept("//") {
                steps.push(Step::through_everything());
            } else if !self.accept("/") {
                return Ok(Expr::Path(start, steps));
            }
            self.step(&mut steps)?;
        }
    }

    /// Parses the start of a path that is not a step: a parenthesised expression, a literal, a number or a call.
    fn primary(&mut self) -> Parsed<Option<Expr>> {
        if self.accept("(") {
            let inner = self.binary(0)?;
            self.expect(")")?;
            return Ok(Some(inner));
        }
        match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let text = &self.rest[1..];
                let (text, after) = text.split_once(quote).ok_or(INCORRECT)?;
                self.rest = after;
                Ok(Some(Expr::Text(text.to_owned())))
            }
            Some(c) if c.is_ascii_digit() || c == '.' && self.digit_follows() => self.number().map(Some),
            _ => self.call(),
        }
    }

    fn digit_follows(&self) -> bool {
        self.rest[1..].starts_with(|c: char| c.is_ascii_digit())
    }

    fn number(&mut self) -> Parsed<Expr> {
        let is_digit = |c: char| c.is_ascii_digit();
        let whole = self.rest.trim_start_matches(is_digit);
        let after = whole.strip_prefix('.').map_or(whole, |part| part.trim_start_matches(is_digit));
        let text = &self.rest[..self.rest.len() - after.len()];
        self.rest = after;
        text.parse().map(Expr::Number).map_err(|_| INCORRECT)
    }

    fn call(&mut self) -> Parsed<Option<Expr>> {
        let Some(name) = self.peek_name().filter(|name| !is_node_type(name)) else {
            return Ok(None);
        };
        if !self.rest[name.len()..].trim_start().starts_with('(') {
            return Ok(None);
        }
        self.rest = &self.rest[name.len()..];
        self.expect("(")?;
        let mut args = vec![];
        if !self.accept(")") {
            args.push(self.binary(0)?);
            while self.accept(",") {
                args.push(self.binary(0)?);
            }
            self.expect(")")?;
        }
        let function =
            Function::find(name, args.len()).ok_or("Unrecognized function or wrong parameter count")?;
        if function.takes_nodes() && args.iter().any(|arg| arg.ty() != ValueType::Nodes) {
            return Err("Function has to be applied to node set");
        }
        Ok(Some(Expr::Call(function, args)))
    }

    fn begins_step(&mut self) -> bool {
        self.skip_space();
        let begins = |c: char| is_name_start(c) || matches!(c, '.' | '@' | '*');
        self.rest.starts_with(begins)
    }

    fn step(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        self.count()?;
        for (text, axis) in [("..", Axis::Parent), (".", Axis::Here)] {
            if self.accept(text) {
                steps.push(Step::any_of(axis));
                return match self.peek("[") {
                    true => Err("Predicates are not allowed after an abbreviated step"),
                    false => Ok(()),
                };
            }
        }
        let axis = self.axis()?;
        let test = self.node_test()?;
        let predicates = self.predicates()?;
        let mut step = Step { axis, test, predicates };
        // `//name` means `/descendant-or-self::node()/name`. Unless predicates depend on positions, this is one step, which
        // returns nodes in document order.
        let is_positional = step.predicates.iter().any(Expr::is_positional);
        if axis == Axis::Child && !is_positional && steps.last().is_some_and(Step::is_through_everything) {
            step.axis = Axis::Descendant;
            steps.pop();
        }
        steps.push(step);
        Ok(())
    }

    fn axis(&mut self) -> Parsed<Axis> {
        if self.accept("@") {
            return Ok(Axis::Attribute);
        }
        let Some(name) = self.peek_name() else {
            return Ok(Axis::Child);
        };
        let Some(after) = self.rest[name.len()..].trim_start().strip_prefix("::") else {
            return Ok(Axis::Child);
        };
        self.rest = after;
        Axis::from_name(name).ok_or("Unknown axis")
    }

    fn node_test(&mut self) -> Parsed<NodeTest> {
        if self.accept("*") {
            return Ok(NodeTest::AnyName);
        }
        let name = self.peek_name().ok_or(NO_TEST)?;
        self.rest = &self.rest[name.len()..];
        if let Some(after) = self.rest.strip_prefix(":*") {
            self.rest = after;
            return Ok(NodeTest::Prefix(format!("{name}:")));
        }
        if !self.accept("(") {
            return Ok(NodeTest::Name(name.to_owned()));
        }
        let test = match name {
            "node" => NodeTest::Anything,
            "text" => NodeTest::Text,
            "comment" => NodeTest::Nothing,
            "processing-instruction" => {
                // The argument names a target.
                self.primary()?;
                NodeTest::Nothing
            }
            _ => return Err(NO_TEST),
        };
        self.expect(")")?;
        Ok(test)
    }

    fn predicates(&mut self) -> Parsed<Vec<Expr>> {
        let mut list = vec![];
        while self.accept("[") {
            list.push(self.binary(0)?);
            self.expect("]")?;
        }
        Ok(list)
    }

    fn count(&mut self) -> Parsed<()> {
        self.parts += 1;
        match self.parts > MAX_PARTS {
            true => Err("Exceeded maximum allowed query depth"),
            false => Ok(()),
        }
    }

    /// Returns the next name, with its prefix.
    fn peek_name(&mut self) -> Option<&'a str> {
        self.skip_space();
        let first = plain_name(self.rest)?;
        let rest = &self.rest[first.len()..];
        let second = rest.strip_prefix(':').and_then(plain_name);
        let length = first.len() + second.map_or(0, |second| 1 + second.len());
        Some(&self.rest[..length])
    }

    fn peek(&mut self, text: &str) -> bool {
        self.skip_space();
        self.rest.starts_with(text)
    }

    fn accept(&mut self, text: &str) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        match self.accept(text) {
            true => Ok(()),
            false => Err(INCORRECT),
        }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

impl Step {
    fn any_of(axis: Axis) -> Step {
        Step { axis, test: NodeTest::Anything, predicates: vec![] }
    }

    /// The step that `//` abbreviates.
    fn through_everything() -> Step {
        Step::any_of(Axis::DescendantOrSelf)
    }

    fn is_through_everything(&self) -> bool {
        self.axis == Axis::DescendantOrSelf && self.test == NodeTest::Anything && self.predicates.is_empty()
    }
}

fn is_node_type(name: &str) -> bool {
    matches!(name, "comment" | "text" | "processing-instruction" | "node")
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn plain_name(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let length = text.len() - text.trim_start_matches(is_part).len();
    text.starts_with(is_name_start).then(|| &text[..length])
}
