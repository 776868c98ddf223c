//! Source text of declarations and expressions. The parser returns the same tree for it, except for the spans.

use std::fmt::{self, Display, Formatter, Write};

use super::{
    Argument, BinaryOp, Declaration, Entry, EntryValue, Expr, ExprKind, Name, Path, TypeKind, TypeName,
};

/// Binding strength of the parts of an expression, from the loosest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Assign,
    Ternary,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Relation,
    Shift,
    Add,
    Mul,
    /// Prefix operators and numbers. Numbers are included because their signs and points could merge with adjacent tokens.
    Prefix,
    Postfix,
}

impl Precedence {
    fn of(expr: &Expr) -> Precedence {
        match &expr.kind {
            ExprKind::Assign { .. } => Precedence::Assign,
            ExprKind::Ternary { .. } => Precedence::Ternary,
            ExprKind::Binary { op, .. } => Precedence::of_operator(*op),
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Unary { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Step { prefix: true, .. } => Precedence::Prefix,
            ExprKind::Missing
            | ExprKind::String(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::Tuple(_)
            | ExprKind::List(_)
            | ExprKind::Braces(_)
            | ExprKind::Step { prefix: false, .. }
            | ExprKind::Construct { .. }
            | ExprKind::Call { .. }
            | ExprKind::Member { .. }
            | ExprKind::Index { .. } => Precedence::Postfix,
        }
    }

    fn of_operator(op: BinaryOp) -> Precedence {
        match op {
            BinaryOp::Or => Precedence::Or,
            BinaryOp::And => Precedence::And,
            BinaryOp::BitOr => Precedence::BitOr,
            BinaryOp::BitXor => Precedence::BitXor,
            BinaryOp::BitAnd => Precedence::BitAnd,
            BinaryOp::Eq | BinaryOp::Ne => Precedence::Equal,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Precedence::Relation,
            BinaryOp::Shl | BinaryOp::Shr => Precedence::Shift,
            BinaryOp::Add | BinaryOp::Sub => Precedence::Add,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => Precedence::Mul,
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        use Precedence::{Assign, Or, Postfix, Ternary};
        match &self.kind {
            ExprKind::Missing => f.write_str("…"),
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::Float(value) => write!(f, "{value:?}"),
            ExprKind::String(text) => quoted(text, f),
            ExprKind::Bool(value) => write!(f, "{value}"),
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Tuple(list) => write!(f, "({})", Separated(list)),
            ExprKind::List(list) => write!(f, "[{}]", Separated(list)),
            ExprKind::Braces(list) => write!(f, "{{{}}}", Separated(list)),
            ExprKind::Unary { op, operand } => {
                write!(f, "{}{}", op.symbol(), Operand::at_least(operand, Postfix))
            }
            ExprKind::Binary { op, left, right } => {
                let precedence = Precedence::of_operator(*op);
                // Operators of one precedence are applied from the left.
                let (left, right) = (Operand::at_least(left, precedence), Operand::above(right, precedence));
                write!(f, "{left} {} {right}", op.symbol())
            }
            ExprKind::Assign { op, target, value } => {
                let op = op.map_or("", BinaryOp::symbol);
                write!(
                    f,
                    "{} {op}= {}",
                    Operand::at_least(target, Postfix),
                    Operand::at_least(value, Assign)
                )
            }
            ExprKind::Step { increment, prefix, target } => {
                let op = if *increment { "++" } else { "--" };
                let target = Operand::at_least(target, Postfix);
                match prefix {
                    true => write!(f, "{op}{target}"),
                    false => write!(f, "{target}{op}"),
                }
            }
            ExprKind::Ternary { condition, then, otherwise } => {
                let (condition, otherwise) =
                    (Operand::at_least(condition, Or), Operand::at_least(otherwise, Ternary));
                write!(f, "{condition} ? {then} : {otherwise}")
            }
            ExprKind::Cast { ty, operand } => write!(f, "({ty}){}", Operand::at_least(operand, Postfix)),
            ExprKind::Construct { ty, args } => write!(f, "{ty}({})", Separated(args)),
            ExprKind::Call { name, template, args } => {
                f.write_str(&name.text)?;
                if let Some(template) = template {
                    write!(f, "<{}>", template.text)?;
                }
                write!(f, "({})", Separated(args))
            }
            ExprKind::Member { object, name } => {
                write!(f, "{}.", Operand::at_least(object, Postfix))?;
                match is_word(&name.text) {
                    true => f.write_str(&name.text),
                    false => quoted(&name.text, f),
                }
            }
            ExprKind::Index { object, index } => write!(f, "{}[{index}]", Operand::at_least(object, Postfix)),
        }
    }
}

/// An operand, in parentheses if they are needed.
struct Operand<'a> {
    expr: &'a Expr,
    is_enclosed: bool,
}

impl<'a> Operand<'a> {
    /// An operand that must bind at least as tightly as `precedence`.
    fn at_least(expr: &'a Expr, precedence: Precedence) -> Operand<'a> {
        let is_enclosed = Precedence::of(expr) < precedence;
        Operand { expr, is_enclosed }
    }

    /// An operand that must bind more tightly than `precedence`.
    fn above(expr: &'a Expr, precedence: Precedence) -> Operand<'a> {
        let is_enclosed = Precedence::of(expr) <= precedence;
        Operand { expr, is_enclosed }
    }
}

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.is_enclosed {
            true => write!(f, "({})", self.expr),
            false => write!(f, "{}", self.expr),
        }
    }
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{} = {}", name.text, self.value),
            // An assignment would be taken for an argument with a name.
            None => write!(f, "{}", Operand::at_least(&self.value, Precedence::Ternary)),
        }
    }
}

/// Items between commas.
struct Separated<'a, T>(&'a [T]);

impl<T: Display> Display for Separated<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for item in self.0 {
            write!(f, "{separator}{item}")?;
            separator = ", ";
        }
        Ok(())
    }
}

impl Display for TypeName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.kind {
            TypeKind::Void => "void",
            TypeKind::Int => "int",
            TypeKind::Bool => "bool",
            TypeKind::Float => "float",
            TypeKind::Double => "double",
            TypeKind::Color => "color",
            TypeKind::Point => "point",
            TypeKind::Vector => "vector",
            TypeKind::Normal => "normal",
            TypeKind::Matrix => "matrix",
            TypeKind::String => "string",
            TypeKind::Closure => "closure color",
            TypeKind::Texture2d => "texture2d",
            TypeKind::Named(name) => name,
            TypeKind::Of(expr) => return write!(f, "typeof({expr})"),
        })
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                f.write_char('.')?;
            }
            match part.quoted {
                true => quoted(&part.text, f)?,
                false => f.write_str(&part.text)?,
            }
        }
        Ok(())
    }
}

/// Prints one key per line; a block after a value begins on the line of the value.
impl Display for Declaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.keyword.text)?;
        if let Some(target) = &self.target {
            write!(f, " {target}")?;
        }
        of_kind(self.kind.as_ref(), f)?;
        if let Some(value) = &self.value {
            write!(f, " = {value}")?;
        }
        if let Some(alias) = &self.alias {
            write!(f, " as {}", alias.text)?;
        }
        match &self.body {
            Some(entries) => block(entries, self.value.is_none().then_some(0), f),
            None => f.write_char(';'),
        }
    }
}

fn of_kind(kind: Option<&Name>, f: &mut Formatter<'_>) -> fmt::Result {
    kind.map_or(Ok(()), |kind| write!(f, " : {}", kind.text))
}

/// Prints entries in braces: on one line, or on separate lines with one more level of indentation than `indent`.
fn block(entries: &[Entry], indent: Option<usize>, f: &mut Formatter<'_>) -> fmt::Result {
    if entries.is_empty() {
        return f.write_str(" {}");
    }
    let new_line = |steps: usize, f: &mut Formatter<'_>| match indent {
        Some(indent) => write!(f, "\n{}", "    ".repeat(indent + steps)),
        None => f.write_char(' '),
    };
    f.write_str(" {")?;
    for Entry { key, value, .. } in entries {
        new_line(1, f)?;
        write!(f, "{key}")?;
        match value {
            EntryValue::Expr(expr) => write!(f, " = {expr};")?,
            EntryValue::Block { kind, entries } => {
                of_kind(kind.as_ref(), f)?;
                block(entries, indent.map(|indent| indent + 1), f)?;
            }
        }
    }
    new_line(0, f)?;
    f.write_char('}')
}

fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next();
    first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn quoted(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\{:03o}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use crate::ast::{Declaration, Expr, Item, UnaryOp};
    use crate::source::{Source, Span};

    use super::*;

    /// Parses a text with one declaration, and removes its spans.
    fn parsed(text: &str) -> Declaration {
        let (file, errors) = crate::parse(Source::new("a.kiln", text));
        assert!(errors.list.is_empty(), "{text}: {errors}");
        let [Item::Declaration(declaration)] = &file.items[..] else {
            panic!("{text}: it is one declaration");
        };
        let mut declaration = declaration.clone();
        declaration.set_span(Span::default());
        declaration
    }

    fn assert_reads_back(text: &str) {
        let declaration = parsed(text);
        let printed = declaration.to_string();
        assert_eq!(parsed(&printed), declaration, "{text}\n{printed}");
    }

    #[test]
    fn expressions_read_back() {
        for text in [
            "-1",
            "-1.5",
            "- -1.5",
            "-0.0",
            "-(1.5)",
            "0xff",
            "1e-7",
            "3.4028235e38",
            "0.1",
            "123456789012345678901234567890",
            "9007199254740993",
            "-x",
            "-(-x)",
            "!!x",
            "~(-x)",
            "-x.y",
            "(-x).y",
            "(1).x",
            "(-1)[0]",
            "1.5.x",
            "a - -1",
            "a - (-b)",
            "a - --b",
            "a + +b",
            "a - (b - c)",
            "a - b - c",
            "(a + b) * c",
            "a * (b * c)",
            "a << 1 >> b",
            "a < b == (c >= d)",
            "a && b || c && (d || e)",
            "a | b ^ c & d",
            "(a | b) & c",
            "(a ? b : c) ? d : e ? f : g",
            "a ? b ? c : d : e",
            "(a ? b : c) + 1",
            "f((a = 1), b = 2, c = (d = 3))",
            "f(a = b += c)",
            "a = b = c",
            "(a, b, (c, d))",
            "[a, -1, (b, c), []]",
            "{1, {2, 3}, {}}",
            "++a + b--",
            "(a++).b",
            "a[b[1], 2].c",
            "a.\"b c\".d",
            "image(file = \"a.png\").result[0]",
            "2.0 * image(file = \"a\", s = -1.5 * u + -2).result[0]",
            "matrix(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -0.0, 1)",
            "color(\"hsv\", 1, 2, 3)",
            "(float) x",
            "(float) (-x)",
            "(color) 5",
            "(closure color) f(x)",
            "texture2d_sample<name>(u, v)",
            "global_value<name>",
            "true and not false or true",
            r#""a\"b\\c\n\r\t\a\0017\237 ü " "joined""#,
            "translate(1, 2, 3) * rotate((0, 1, 0), 30)",
        ] {
            assert_reads_back(&format!("key k = {text};"));
        }
    }

    #[test]
    fn declarations_read_back() {
        for text in [
            "film;",
            "film {}",
            "film { size = (1, 2); border = true; }",
            "import \"a.glb\" as a;",
            "import \"a.glb\" as a { transform = scale(2); }",
            "camera \"a b\".c : perspective { fov = 30; }",
            "material a = b() { one_sided = true; culled = false; }",
            "material a { \"a b\".c : kind { d { e = 1; f {} } g = 2; } h : kind {} }",
        ] {
            assert_reads_back(text);
        }
    }

    #[test]
    fn made_trees_are_those_of_the_text() {
        let mut made = Declaration::named("light", "a\u{7}b").of_kind("spot");
        made.set("a", -1.5);
        made.set("b", [Expr::from(-2), 1e30.into(), true.into()]);
        let sum = Expr::binary(BinaryOp::Add, Expr::name("u"), -1);
        let call = Expr::call("f", vec![Argument::named("s", sum), Argument::positional(Expr::string("\\"))]);
        made.set("c", Expr::binary(BinaryOp::Mul, 2.0, call.member("result").index(0)));
        made.set("d", Expr::matrix([0.5; 16]));
        assert_eq!(parsed(&made.to_string()), made, "{made}");
        assert!(
            made.to_string().contains("c = 2.0 * f(s = u + -1, \"\\\\\").result[0];"),
            "{made}"
        );
        let not = ExprKind::Unary {
            op: UnaryOp::Not,
            operand: Box::new(Expr::binary(BinaryOp::Or, Expr::name("a"), Expr::name("b"))),
        };
        assert_eq!(Expr::from(not).to_string(), "!(a || b)");
    }
}
