//! Operations as assignments of expressions.

use shading_compiler::builtins::Builtin;
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Axis, Const, Kind, LocalId, Op, Operand};
use shading_syntax::source::Span;

use super::writer::FunctionWriter;
use crate::error::RasterError;
use crate::inputs::MemberSource;
use crate::names::{type_name, variable};

/// Converts a WGSL condition to an int.
pub(super) fn truth(condition: &str) -> String {
    format!("select(0, 1, {condition})")
}

impl FunctionWriter<'_, '_> {
    pub(super) fn op(&mut self, dst: Option<LocalId>, op: Op, args: &[Operand], span: Span) {
        // Rasterisers have no output for printed text.
        let Some(dst) = dst else { return };
        let kind = Kind::of(self.code.locals[dst].ty).unwrap_or(Kind::INT);
        let target = variable(self.code, dst);
        match op {
            Op::MakeClosure(id) => return self.closure(&target, id, args, span),
            Op::ArraySet => return self.array_set(&target, args),
            Op::BuiltinDual(builtin) => return self.dual(&target, kind, builtin, args, span),
            Op::Texture(options) => return self.texture(&target, options, args, span),
            Op::Builtin(Builtin::Spline) => return self.spline(&target, kind, args),
            _ => {}
        }
        match self.expression(kind, op, args, span) {
            Ok(expression) if expression == target => {}
            Ok(expression) if self.single[dst] => self.line(&format!("let {target} = {expression};")),
            Ok(expression) => self.line(&format!("{target} = {expression};")),
            Err(error) => self.report(error, span),
        }
    }

    fn expression(
        &mut self,
        kind: Kind,
        op: Op,
        args: &[Operand],
        span: Span,
    ) -> Result<String, RasterError> {
        let first = args.first().map_or(kind, |&arg| self.kind(arg));
        let Kind::One(element) = first.element() else {
            return Ok(String::new());
        };
        let is_constant = args.iter().all(|&arg| self.constant(arg).is_some());
        let texts: Vec<String> = args.iter().map(|&arg| self.operand(arg)).collect();
        // At least one operand must be a variable, so that compilers do not fold the operation.
        let a = match args.first() {
            Some(&first) if is_constant => self.opaque(first),
            Some(_) => texts[0].clone(),
            None => String::new(),
        };
        let b = texts.get(1).map_or("", String::as_str);
        let infix = |sign: &str| Ok(format!("{a} {sign} {b}"));
        let compared = |sign: &str| Ok(truth(&format!("{a} {sign} {b}")));
        match op {
            Op::Copy => Ok(texts[0].clone()),
            Op::IntToFloat => Ok(format!("f32({a})")),
            Op::FloatToInt => Ok(format!("kiln_int({a})")),
            Op::Splat => Ok(format!("vec3f({a})")),
            Op::Diagonal => Ok(diagonal(&a)),
            Op::Truth => Ok(match element {
                Element::Int | Element::String => truth(&format!("{a} != 0")),
                Element::Float => truth(&format!("{a} != 0.0")),
                Element::Triple => truth(&format!("any({a} != vec3f(0.0))")),
                Element::Matrix => format!("kiln_truth_m({a})"),
                Element::Closure => format!("lobes_truth({a})"),
            }),
            Op::Add => infix("+"),
            Op::Sub => infix("-"),
            Op::Mul if element == Element::Matrix => Ok(format!("{b} * {a}")),
            Op::Mul => infix("*"),
            Op::Div => Ok(self.divided(element, &a, args, &texts)),
            Op::Mod => Ok(format!("kiln_mod_i({a}, {b})")),
            Op::Neg if element == Element::Matrix => Ok(format!("{a} * -1.0")),
            Op::Neg if element == Element::Int => Ok(format!("0 - {a}")),
            Op::Neg => Ok(format!("-{}", parenthesised(&a))),
            Op::BitAnd => infix("&"),
            Op::BitOr => infix("|"),
            Op::BitXor => infix("^"),
            Op::Shl => Ok(format!("kiln_shl({a}, {b})")),
            Op::Shr => Ok(format!("kiln_shr({a}, {b})")),
            Op::BitNot => Ok(format!("~{}", parenthesised(&a))),
            Op::Not => Ok(truth(&format!("{a} == 0"))),
            Op::Eq | Op::Ne => {
                let equal = match element {
                    Element::Int | Element::Float | Element::String => format!("{a} == {b}"),
                    Element::Triple => format!("all({a} == {b})"),
                    Element::Matrix => format!("kiln_equal_m({a}, {b})"),
                    Element::Closure => return Err(RasterError::ClosureArray),
                };
                Ok(match op {
                    Op::Eq => truth(&equal),
                    _ => truth(&format!("!({equal})")),
                })
            }
            Op::Lt => compared("<"),
            Op::Le => compared("<="),
            Op::Gt => compared(">"),
            Op::Ge => compared(">="),
            Op::MakeTriple => Ok(format!("vec3f({})", texts.join(", "))),
            Op::TripleGet => Ok(match self.constant(args[1]) {
                Some(Const::Int(i)) => format!("{a}.{}", ["x", "y", "z"][(*i).clamp(0, 2) as usize]),
                _ => format!("kiln_triple_get({a}, {b})"),
            }),
            Op::TripleSet => Ok(format!("kiln_triple_set({a}, {b}, {})", texts[2])),
            Op::MakeMatrix => Ok(format!("mat4x4f({})", texts.join(", "))),
            Op::MatrixGet => match (self.constant(args[1]), self.constant(args[2])) {
                (Some(Const::Int(i)), Some(Const::Int(j))) => {
                    Ok(format!("{a}[{}][{}]", (*i).clamp(0, 3), (*j).clamp(0, 3)))
                }
                _ => Ok(format!("kiln_matrix_get({a}, {b}, {})", texts[2])),
            },
            Op::MatrixSet => Ok(format!("kiln_matrix_set({a}, {b}, {}, {})", texts[2], texts[3])),
            Op::MakeArray => Ok(format!("{}({})", type_name(kind), texts.join(", "))),
            Op::ArrayGet => {
                let index = self.index(args[1], first.count());
                Ok(format!("{}[{index}]", texts[0]))
            }
            Op::Global(global) => Ok(self.inputs.global(MemberSource::Global(global))),
            Op::GlobalDerivative(global, axis) if global.has_derivatives() => {
                Ok(self.inputs.global(MemberSource::Derivative(global, axis)))
            }
            Op::GlobalDerivative(..) | Op::Derivative(_) => Ok(zero(kind)),
            Op::ClosureAdd => Ok(format!("lobes_sum({}, {b})", texts[0])),
            Op::ClosureMul => {
                let weight = match self.kind(args[1]) {
                    Kind::FLOAT => format!("vec3f({b})"),
                    _ => b.to_owned(),
                };
                Ok(format!("lobes_scaled({}, {weight})", texts[0]))
            }
            Op::TextureInfo | Op::HasTextureInfo(_) => self.texture_info(kind, op, args),
            Op::AttributeValue => self.attribute(kind, args, None),
            Op::AttributeDerivative(axis) => self.attribute(kind, args, Some(axis)),
            Op::TextureError(_) => Err(RasterError::Text("the error message of a texture")),
            Op::Builtin(builtin) => self.builtin(kind, builtin, args, &a, &texts, span),
            Op::MakeClosure(_) | Op::ArraySet | Op::BuiltinDual(_) | Op::Texture(_) => Ok(String::new()),
        }
    }

    fn divided(&self, element: Element, a: &str, args: &[Operand], texts: &[String]) -> String {
        let b = &texts[1];
        match (element, self.constant(args[1])) {
            (Element::Float, Some(Const::Float(x))) if *x != 0.0 => format!("{a} / {b}"),
            (Element::Triple, Some(Const::Triple(x))) if x.iter().all(|x| *x != 0.0) => format!("{a} / {b}"),
            (Element::Float, _) => format!("kiln_div({a}, {b})"),
            (Element::Triple, _) => format!("kiln_div_v({a}, {b})"),
            (Element::Matrix, _) => format!("kiln_matrix_div({a}, {b})"),
            (Element::Int | Element::String | Element::Closure, _) => format!("kiln_div_i({a}, {b})"),
        }
    }

    /// Returns an index, clamped to `0..length`.
    fn index(&mut self, index: Operand, length: u32) -> String {
        let last = length.saturating_sub(1) as i32;
        match self.constant(index) {
            Some(Const::Int(i)) => (*i).clamp(0, last).to_string(),
            _ => format!("clamp({}, 0, {last})", self.operand(index)),
        }
    }

    fn array_set(&mut self, target: &str, args: &[Operand]) {
        let index = self.index(args[1], self.kind(args[0]).count());
        let value = self.operand(args[2]);
        self.line(&format!("{target}[{index}] = {value};"));
    }

    /// Returns an attribute of the geometry, or a value that is known only at run time.
    pub(super) fn attribute(
        &mut self,
        kind: Kind,
        args: &[Operand],
        axis: Option<Axis>,
    ) -> Result<String, RasterError> {
        let (Some(object), Some(name)) = (self.constant_text(args[0]), self.constant_text(args[1])) else {
            return Err(RasterError::Text("the name of an attribute"));
        };
        let (object, name) = (object.to_owned(), name.to_owned());
        if object == crate::UNIFORM_OBJECT {
            return Ok(match axis {
                Some(_) => zero(kind),
                None => self.inputs.uniform(&name),
            });
        }
        if !object.is_empty() {
            return Err(RasterError::Attribute(format!("{object}, {name}")));
        }
        let member = self.inputs.global(match axis {
            None => MemberSource::Attribute(name),
            Some(axis) => MemberSource::AttributeDerivative(name, axis),
        });
        Ok(match kind {
            Kind::FLOAT => format!("{member}.x"),
            Kind::INT => format!("kiln_int({member}.x)"),
            Kind::TRIPLE => format!("{member}.xyz"),
            _ => zero(kind),
        })
    }
}

fn diagonal(x: &str) -> String {
    let columns = [
        format!("{x}, 0.0, 0.0, 0.0"),
        format!("0.0, {x}, 0.0, 0.0"),
        format!("0.0, 0.0, {x}, 0.0"),
        format!("0.0, 0.0, 0.0, {x}"),
    ];
    format!("mat4x4f({})", columns.join(", "))
}

fn parenthesised(text: &str) -> String {
    if text.starts_with('-') {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

pub(super) fn zero(kind: Kind) -> String {
    match kind {
        Kind::INT | Kind::STRING => "0".to_owned(),
        Kind::FLOAT => "0.0".to_owned(),
        _ => format!("{}()", type_name(kind)),
    }
}
