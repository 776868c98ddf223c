//! Splines, and colours of spectra.

use shading_compiler::builtins::Builtin;
use shading_compiler::eval::spline::Basis;
use shading_compiler::hir::{Const, Kind, Operand};
use shading_syntax::source::Span;

use super::literal;
use super::writer::FunctionWriter;
use crate::error::RasterError;
use crate::names::type_name;

/// The knots of a segment, as expressions.
struct Segment {
    basis: Basis,
    /// Name of a `KilnSegment`.
    name: String,
    knots: Operand,
    length: u32,
    count: String,
}

impl FunctionWriter<'_, '_> {
    /// Writes the segment of a spline: `(basis, x, knots)` or `(basis, x, count, knots)`.
    fn segment(&mut self, args: &[Operand], span: Span) -> Option<Segment> {
        let (&[basis, x, .., knots], middle) = (args, &args[2..args.len() - 1]) else {
            return None;
        };
        let Some(basis) = self.constant_text(basis).map(Basis::from_name) else {
            self.report(
                RasterError::Text {
                    what: "the basis of a spline",
                },
                span,
            );
            return None;
        };
        let length = self.kind(knots).count();
        let count = match middle.first() {
            Some(&count) => format!("clamp({}, 0, {length})", self.opaque(count)),
            None => length.to_string(),
        };
        let name = self.temporary();
        let x = self.operand(x);
        self.line(&format!(
            "let {name} = kiln_segment({x}, {count}, {});",
            basis.step()
        ));
        Some(Segment {
            basis,
            name,
            knots,
            length,
            count,
        })
    }

    /// Returns a knot by its distance from the first of the segment; zero beyond the last.
    fn knot(&mut self, segment: &Segment, knots: Operand, offset: u32, kind: Kind) -> String {
        let (list, first) = (self.operand(knots), format!("{}.first + {offset}", segment.name));
        let last = segment.length.saturating_sub(1);
        let zero = super::op::zero(kind);
        format!("select({zero}, {list}[min({first}, {last})], {first} <= {last})")
    }

    /// Sums the knots, weighted by a vector.
    fn weighted(&mut self, segment: &Segment, knots: Operand, weights: &str, kind: Kind) -> String {
        let terms: Vec<String> = ["x", "y", "z", "w"]
            .iter()
            .zip(0..)
            .map(|(lane, offset)| {
                let knot = self.knot(segment, knots, offset, kind);
                format!("{knot} * {weights}.{lane}")
            })
            .collect();
        terms.join(" + ")
    }

    fn weights(&mut self, segment: &Segment, function: &str) -> String {
        let name = self.temporary();
        let rows = segment.basis.matrix();
        let basis = literal::constant(
            &Const::Matrix(std::array::from_fn(|i| rows[i / 4][i % 4])),
            &mut self.texts,
        );
        self.line(&format!("let {name} = {function}({basis}, {}.x);", segment.name));
        name
    }

    pub(super) fn spline(&mut self, target: &str, kind: Kind, args: &[Operand], span: Span) {
        let Some(segment) = self.segment(args, span) else {
            return;
        };
        let value = if segment.basis == Basis::Constant {
            self.knot(&segment, segment.knots, 1, kind)
        } else {
            let weights = self.weights(&segment, "kiln_knots");
            self.weighted(&segment, segment.knots, &weights, kind)
        };
        self.line(&format!("{target} = {value};"));
    }

    /// Writes the value and the differentials of a spline.
    pub(super) fn spline_dual(&mut self, target: &str, kind: Kind, parts: [&[Operand]; 3], span: Span) {
        let [values, dx, dy] = parts;
        let Some(segment) = self.segment(values, span) else {
            return;
        };
        let array = type_name(match kind {
            Kind::TRIPLE => Kind::Array(shading_compiler::hir::kind::Element::Triple, 3),
            _ => Kind::Array(shading_compiler::hir::kind::Element::Float, 3),
        });
        if segment.basis == Basis::Constant {
            let value = self.knot(&segment, segment.knots, 1, kind);
            let zero = super::op::zero(kind);
            return self.line(&format!("{target} = {array}({value}, {zero}, {zero});"));
        }
        let weights = self.weights(&segment, "kiln_knots");
        let slopes = self.weights(&segment, "kiln_knots_slope");
        let value = self.weighted(&segment, segment.knots, &weights, kind);
        let slope = self.weighted(&segment, segment.knots, &slopes, kind);
        let along = self.temporary();
        self.line(&format!("let {along} = {slope};"));
        let x = self.operand(values[1]);
        let count = segment.count.clone();
        let scale = self.temporary();
        // Beyond its ends the curve is constant.
        self.line(&format!(
            "let {scale} = select(0.0, f32(max({count} - 4, 0) / {} + 1), {x} >= 0.0 && {x} <= 1.0);",
            segment.basis.step()
        ));
        let mut list = vec![value];
        for change in [dx, dy] {
            let of_x = self.operand(change[1]);
            let of_knots = match change.last() {
                Some(&knots) => self.weighted(&segment, knots, &weights, kind),
                None => super::op::zero(kind),
            };
            list.push(format!("{along} * ({scale} * {of_x}) + {of_knots}"));
        }
        self.line(&format!("{target} = {array}({});", list.join(", ")));
    }

    pub(super) fn spline_inverse(&mut self, args: &[Operand]) -> Result<String, RasterError> {
        let _ = args;
        Err(RasterError::Function {
            name: "`splineinverse`".to_owned(),
        })
    }

    /// `blackbody` and `wavelength_color`.
    pub(super) fn spectral(
        &mut self,
        builtin: Builtin,
        args: &[Operand],
        a: &str,
    ) -> Result<String, RasterError> {
        let _ = (args, a);
        let name = match builtin {
            Builtin::Blackbody => "`blackbody`",
            _ => "`wavelength_color`",
        };
        Err(RasterError::Function {
            name: name.to_owned(),
        })
    }
}
