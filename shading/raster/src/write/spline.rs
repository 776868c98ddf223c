//! Splines and their inverses.

use shading_compiler::eval::spline::Basis;
use shading_compiler::hir::{Const, Kind, Operand};

use super::literal;
use super::writer::FunctionWriter;
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
    fn segment(&mut self, basis: Basis, args: &[Operand]) -> Option<Segment> {
        let (&[_, x, .., knots], middle) = (args, &args[2..args.len() - 1]) else {
            return None;
        };
        let length = self.kind(knots).count();
        let count = match middle.first() {
            Some(&count) => format!("clamp({}, 0, {length})", self.opaque(count)),
            None => length.to_string(),
        };
        let name = self.temporary();
        let x = self.operand(x);
        self.line(&format!("let {name} = kiln_segment({x}, {count}, {});", basis.step()));
        Some(Segment { basis, name, knots, length, count })
    }

    /// Returns a knot by its distance from the first knot of the segment; zero after the last knot.
    fn knot(&mut self, segment: &Segment, knots: Operand, offset: u32, kind: Kind) -> String {
        let (list, first) = (self.operand(knots), format!("{}.first + {offset}", segment.name));
        let last = segment.length.saturating_sub(1);
        let zero = super::op::zero(kind);
        format!("select({zero}, {list}[min({first}, {last})], {first} <= {last})")
    }

    /// Returns the sum of the knots, weighted by a vector.
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
        let basis =
            literal::constant(&Const::Matrix(std::array::from_fn(|i| rows[i / 4][i % 4])), &mut self.strings);
        self.line(&format!("let {name} = {function}({basis}, {}.x);", segment.name));
        name
    }

    /// Writes code for the basis of a spline. If the basis is known at run time only, code is written for each basis that
    /// the program names.
    fn for_basis(&mut self, basis: Operand, mut write: impl FnMut(&mut Self, Basis)) {
        const NAMES: [&str; 5] = ["catmull-rom", "bezier", "bspline", "hermite", "constant"];
        if let Some(basis) = self.constant_text(basis).map(Basis::from_name) {
            return write(self, basis);
        }
        let chosen = self.operand(basis);
        let named: Vec<&str> = NAMES.into_iter().filter(|name| self.names_text(name)).collect();
        for name in &named {
            let number = self.strings.index(name);
            self.line(&format!("if ({chosen} == {number}) {{"));
            self.nested(|writer| write(writer, Basis::from_name(name)));
            self.line("} else {");
            self.depth += 1;
        }
        write(self, Basis::Linear);
        for _ in &named {
            self.depth -= 1;
            self.line("}");
        }
    }

    pub(super) fn spline(&mut self, target: &str, kind: Kind, args: &[Operand]) {
        self.for_basis(args[0], |writer, basis| {
            writer.spline_of(target, kind, basis, args);
        });
    }

    fn spline_of(&mut self, target: &str, kind: Kind, basis: Basis, args: &[Operand]) {
        let Some(segment) = self.segment(basis, args) else {
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

    /// Writes the value and the derivatives of a spline.
    pub(super) fn spline_dual(&mut self, target: &str, kind: Kind, parts: [&[Operand]; 3]) {
        self.for_basis(parts[0][0], |writer, basis| {
            writer.spline_dual_of(target, kind, basis, parts);
        });
    }

    fn spline_dual_of(&mut self, target: &str, kind: Kind, basis: Basis, parts: [&[Operand]; 3]) {
        let [values, dx, dy] = parts;
        let Some(segment) = self.segment(basis, values) else {
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
        // The curve is constant outside its domain.
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

    pub(super) fn spline_inverse(&mut self, args: &[Operand]) -> String {
        let value = self.temporary();
        self.line(&format!("var {value} = 0.0;"));
        let y = self.operand(args[1]);
        self.for_basis(args[0], |writer, basis| {
            let (curve, arguments) = writer.curve(basis, args);
            writer.line(&format!("{value} = {curve}_inverse({y}, {arguments});"));
        });
        value
    }

    /// Writes the value and the derivatives of an inverse.
    pub(super) fn spline_inverse_dual(&mut self, target: &str, parts: [&[Operand]; 3]) {
        let [values, dx, dy] = parts;
        let y = self.operand(values[1]);
        let [dx, dy] = [dx, dy].map(|change| self.operand(change[1]));
        self.for_basis(values[0], |writer, basis| {
            let (curve, arguments) = writer.curve(basis, values);
            let (x, slope) = (writer.temporary(), writer.temporary());
            writer.line(&format!("let {x} = {curve}_inverse({y}, {arguments});"));
            writer.line(&format!(
                "let {slope} = kiln_div(0.001, {curve}({x} + 0.0005, {arguments}) - {curve}({x} - 0.0005, {arguments}));"
            ));
            writer.line(&format!(
                "{target} = array<f32, 3>({x}, {slope} * {dx}, {slope} * {dy});"
            ));
        });
    }

    /// Writes the functions of a curve and its inverse. Returns their name and their last arguments.
    fn curve(&mut self, basis: Basis, args: &[Operand]) -> (String, String) {
        let (&[_, _, .., knots], middle) = (args, &args[2..args.len() - 1]) else {
            return Default::default();
        };
        let length = self.kind(knots).count();
        let name = format!("spline_{}{length}", basis as u32);
        let count = match middle.first() {
            Some(&count) => format!("clamp({}, 0, {length})", self.opaque(count)),
            None => length.to_string(),
        };
        if !self.inputs.functions.contains_key(&name) {
            let rows = basis
                .matrix()
                .as_flattened()
                .try_into()
                .map_or(Const::Float(0.0), Const::Matrix);
            let rows = literal::constant(&rows, &mut self.strings);
            let step = basis.step();
            let outer = u32::from(step == 1);
            let weighted = match basis {
                Basis::Constant => "    return k[1];".to_owned(),
                _ => format!(
                    "    let w = kiln_knots({rows}, s.x);\n    return k[0] * w.x + k[1] * w.y + k[2] * w.z + k[3] * w.w;"
                ),
            };
            let text = CURVE
                .replace("@NAME", &name)
                .replace("@LENGTH", &length.to_string())
                .replace("@LAST", &length.saturating_sub(1).to_string())
                .replace("@STEP", &step.to_string())
                .replace("@OUTER", &outer.to_string())
                .replace("@WEIGHTED", &weighted);
            self.inputs.functions.insert(name.clone(), text);
        }
        (name, format!("{}, {count}", self.operand(knots)))
    }
}

/// A curve and its inverse, as in `shading_compiler::eval::spline`.
const CURVE: &str = "\
fn @NAME(x: f32, knots: array<f32, @LENGTH>, count: i32) -> f32 {
    var list = knots;
    let s = kiln_segment(x, count, @STEP);
    var k = array<f32, 4>();
    for (var i = 0; i < 4; i = i + 1) {
        if (s.first + i < count) {
            k[i] = list[min(s.first + i, @LAST)];
        }
    }
@WEIGHTED
}

fn @NAME_knot(knots: array<f32, @LENGTH>, count: i32, i: i32) -> f32 {
    var list = knots;
    if (i < 0 || i >= count) {
        return 0.0;
    }
    return list[min(i, @LAST)];
}

fn @NAME_inverse(y: f32, knots: array<f32, @LENGTH>, count: i32) -> f32 {
    if (count < 2) {
        return 0.0;
    }
    let first = @NAME_knot(knots, count, @OUTER);
    let last = @NAME_knot(knots, count, count - 1 - @OUTER);
    let grows = @NAME_knot(knots, count, 1) < @NAME_knot(knots, count, count - 2);
    if (select(y >= first, y <= first, grows)) {
        return 0.0;
    }
    if (select(y <= last, y >= last, grows)) {
        return 1.0;
    }
    let segments = max(count - 4, 0) / @STEP + 1;
    var nearest = 0.0;
    for (var segment = 0; segment < segments; segment = segment + 1) {
        var low = f32(segment) / f32(segments);
        var high = f32(segment + 1) / f32(segments);
        var at_low = @NAME(low, knots, count);
        var at_high = @NAME(high, knots, count);
        let rises = at_low < at_high;
        if (!(y >= min(at_low, at_high) && y <= max(at_low, at_high))) {
            nearest = select(high, low, (y < min(at_low, at_high)) == rises);
            continue;
        }
        var x = low;
        for (var i = 0; i < 32 && abs(at_low - at_high) >= 1e-6; i = i + 1) {
            var t = (y - at_low) / (at_high - at_low);
            if (i >= 24 || !(t > 0.0 && t < 1.0)) {
                t = 0.5;
            }
            x = low * (1.0 - t) + high * t;
            let value = @NAME(x, knots, count);
            if ((value < y) == rises) {
                low = x;
                at_low = value;
            } else {
                high = x;
                at_high = value;
            }
            if (abs(high - low) < 1e-6 || abs(value - y) < 1e-6) {
                break;
            }
        }
        return x;
    }
    return nearest;
}

";
