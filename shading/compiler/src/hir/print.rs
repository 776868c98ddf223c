//! Pretty printer of HIR, stable for snapshots.

use std::fmt::{self, Write as _};

use crate::hir::{Block, Code, Const, LocalId, Op, Operand, Stmt, TextureOptions, Unit};

/// Prints the whole unit: parameters with their defaults, the body, and the functions it calls.
pub fn print(unit: &Unit) -> String {
    let mut printer = Printer { code: &unit.code, out: String::new(), depth: 1 };
    let kind = format!("{:?}", unit.kind).to_lowercase();
    printer.line(0, &format!("{kind} {} {{", unit.name));
    for param in &unit.params {
        let word = if param.output { "output" } else { "param" };
        let head = format!("{word} {}: {} is {}", param.name, param.ty, name(&unit.code, param.local));
        if param.init.is_empty() {
            printer.line(1, &head);
        } else {
            printer.line(1, &format!("{head} {{"));
            printer.nested(&param.init);
            printer.line(1, "}");
        }
    }
    printer.block(&unit.code.body);
    printer.line(0, "}");
    for (id, function) in &unit.functions {
        let variables = |list: &[LocalId]| {
            let names: Vec<_> = list.iter().map(|&l| name(&function.code, l)).collect();
            names.join(", ")
        };
        let head = format!(
            "function {id} {}({}) -> ({}) {{",
            function.name,
            variables(&function.params),
            variables(&function.outputs)
        );
        printer.code = &function.code;
        printer.line(0, &head);
        printer.block(&function.code.body);
        printer.line(0, "}");
    }
    printer.out
}

/// Prints a statement without its nested blocks.
pub fn head(code: &Code, stmt: &Stmt) -> String {
    match stmt {
        Stmt::Op { dst, op, args, .. } => {
            let mut out = String::new();
            if let Some(dst) = dst {
                out = format!("{} = ", name(code, *dst));
            }
            out.push_str(&op.to_string());
            for (i, &arg) in args.iter().enumerate() {
                out.push_str(if i == 0 { " " } else { ", " });
                out.push_str(&operand(code, arg));
            }
            out
        }
        Stmt::Call { function, args, results, .. } => {
            let results: Vec<_> = results.iter().map(|&l| name(code, l)).collect();
            let args: Vec<_> = args.iter().map(|&a| operand(code, a)).collect();
            format!("{} = call {function}({})", results.join(", "), args.join(", "))
        }
        Stmt::If { condition, .. } => format!("if {}", operand(code, *condition)),
        Stmt::Loop { .. } => "loop".to_owned(),
        Stmt::Scope { scope, .. } => match code.scopes.get(*scope) {
            Some(name) => format!("scope {scope} {name}"),
            None => format!("scope {scope}"),
        },
        Stmt::Leave(scope) => format!("leave {scope}"),
    }
}

/// Prints a variable with its name in source, if it has one.
fn name(code: &Code, id: LocalId) -> String {
    match code.locals.get(id) {
        Some(local) if !local.name.is_empty() => format!("{id}:{}", local.name),
        _ => id.to_string(),
    }
}

fn operand(code: &Code, operand: Operand) -> String {
    match operand {
        Operand::Local(id) => name(code, id),
        Operand::Const(id) => match code.consts.get(id) {
            Some(value) => value.to_string(),
            None => id.to_string(),
        },
    }
}

struct Printer<'a> {
    code: &'a Code,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:1$}{text}", "", depth * 4);
    }

    fn nested(&mut self, block: &Block) {
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            let head = head(self.code, stmt);
            match stmt {
                Stmt::Op { .. } | Stmt::Call { .. } | Stmt::Leave(_) => self.line(self.depth, &head),
                Stmt::If { then, otherwise, .. } => {
                    self.line(self.depth, &format!("{head} {{"));
                    self.nested(then);
                    if !otherwise.is_empty() {
                        self.line(self.depth, "} else {");
                        self.nested(otherwise);
                    }
                    self.line(self.depth, "}");
                }
                Stmt::Loop { body, .. } | Stmt::Scope { body, .. } => {
                    self.line(self.depth, &format!("{head} {{"));
                    self.nested(body);
                    self.line(self.depth, "}");
                }
            }
        }
    }
}

impl fmt::Display for Op {
    /// Writes the operation in lower case, with its static arguments in angle brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Global(global) => write!(f, "global<{}>", global.name()),
            Op::GlobalDerivative(global, axis) => write!(f, "derivative<{}, {axis:?}>", global.name()),
            Op::Derivative(axis) => write!(f, "derivative<{axis:?}>"),
            Op::BuiltinDual(builtin) => write!(f, "dual<{}>", format!("{builtin:?}").to_lowercase()),
            Op::Builtin(builtin) => f.write_str(&format!("{builtin:?}").to_lowercase()),
            Op::MakeClosure(id) => write!(f, "closure<{}>", id.0),
            Op::Texture(o) => write!(f, "texture<{}>", Lookup(o)),
            Op::TextureError(o) => write!(f, "textureerror<{}>", Lookup(o)),
            Op::TextureInfo => write!(f, "textureinfo"),
            Op::HasTextureInfo(kind) => write!(f, "hastextureinfo<{kind:?}>"),
            plain => f.write_str(&format!("{plain:?}").to_lowercase()),
        }
    }
}

impl fmt::Display for Const {
    /// Writes the constant as in source where possible.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, values: &[f32]| {
            for (i, value) in values.iter().enumerate() {
                let comma = if i == 0 { "" } else { ", " };
                write!(f, "{comma}{value:?}")?;
            }
            f.write_str(")")
        };
        match self {
            Const::Int(value) => write!(f, "{value}"),
            Const::Float(value) => write!(f, "{value:?}"),
            Const::Triple(values) => {
                f.write_str("(")?;
                list(f, values)
            }
            Const::Matrix(values) => {
                f.write_str("matrix(")?;
                list(f, values)
            }
            Const::String(text) => write!(f, "{text:?}"),
            Const::NullClosure => f.write_str("null"),
            Const::Array(values) => {
                f.write_str("{")?;
                for (i, value) in values.iter().enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(f, "{comma}{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

impl fmt::Display for Unit {
    /// See [`print()`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

/// Static options of a lookup.
struct Lookup<'a>(&'a TextureOptions);

impl fmt::Display for Lookup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let o = self.0;
        write!(
            f,
            "{:?}, {}, {}, {}, {}, {}",
            o.mapping,
            o.wrap_s.name(),
            o.wrap_t.name(),
            o.interpolation.name(),
            o.color_space.name(),
            o.channels
        )?;
        let flags = [
            (o.implicit_footprint, "implicit"),
            (o.derivatives, "derivatives"),
            (o.optional, "optional"),
        ];
        for (_, name) in flags.into_iter().filter(|(set, _)| *set) {
            write!(f, ", {name}")?;
        }
        o.operands.iter().try_for_each(|option| write!(f, ", {option:?}"))
    }
}
