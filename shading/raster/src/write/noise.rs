//! Noise functions, with and without derivatives.

use shading_compiler::builtins::Builtin;
use shading_compiler::eval::noise::NoiseKind;
use shading_compiler::hir::{Kind, Operand};
use shading_syntax::source::Span;

use super::writer::FunctionWriter;
use crate::error::RasterError;
use crate::names::type_name;

/// A point of one to four coordinates, as an expression.
struct Point {
    dimensions: usize,
    text: String,
}

impl FunctionWriter<'_, '_> {
    fn point(&mut self, coordinates: &[Operand]) -> Point {
        let texts: Vec<String> = coordinates.iter().map(|&arg| self.operand(arg)).collect();
        let is_triple = coordinates.first().is_some_and(|&arg| self.kind(arg) == Kind::TRIPLE);
        match (is_triple, &texts[..]) {
            (true, [p]) => Point { dimensions: 3, text: p.clone() },
            (true, _) => Point { dimensions: 4, text: format!("vec4f({})", texts.join(", ")) },
            (false, [x]) => Point { dimensions: 1, text: x.clone() },
            (false, _) => Point { dimensions: 2, text: format!("vec2f({})", texts.join(", ")) },
        }
    }

    /// Returns the value of a noise of one or three components.
    pub(super) fn noise(
        &mut self,
        noise: NoiseKind,
        kind: Kind,
        coordinates: &[Operand],
        period: Option<&[Operand]>,
    ) -> String {
        let Point { dimensions, text } = self.point(coordinates);
        let d = dimensions;
        let period = period.map(|period| self.point(period).text);
        let is_triple = kind == Kind::TRIPLE;
        let wrapped = match &period {
            Some(period) => format!("kiln_wrap{d}({text}, {period})"),
            None => text.clone(),
        };
        let cells = lattice_period(d, period.as_deref());
        let signed = match (noise, is_triple) {
            (NoiseKind::Perlin | NoiseKind::UPerlin, true) => format!("kiln_perlin{d}v({text}, {cells})"),
            (NoiseKind::Perlin | NoiseKind::UPerlin, false) => format!("kiln_perlin{d}({text}, {cells}, 0u)"),
            (NoiseKind::Simplex | NoiseKind::USimplex, true) => format!("kiln_simplex{d}v({text})"),
            (NoiseKind::Simplex | NoiseKind::USimplex, false) => format!("kiln_simplex{d}({text}, 0u)"),
            (NoiseKind::Cell, true) => return format!("kiln_cell{d}v({wrapped})"),
            (NoiseKind::Cell, false) => return format!("kiln_cell{d}({wrapped})"),
            (NoiseKind::Hash, true) => return format!("kiln_bits{d}v({wrapped})"),
            (NoiseKind::Hash, false) => return format!("kiln_bits{d}({wrapped})"),
            (NoiseKind::Gabor | NoiseKind::Null, _) => return super::op::zero(kind),
            (NoiseKind::UNull, true) => return "vec3f(0.5)".to_owned(),
            (NoiseKind::UNull, false) => return "0.5".to_owned(),
        };
        match (noise, is_triple) {
            (NoiseKind::UPerlin | NoiseKind::USimplex, true) => format!("{signed} * 0.5 + vec3f(0.5)"),
            (NoiseKind::UPerlin | NoiseKind::USimplex, false) => format!("{signed} * 0.5 + 0.5"),
            _ => signed,
        }
    }

    /// Returns the value of a noise whose name is an operand.
    pub(super) fn named_noise(
        &mut self,
        kind: Kind,
        args: &[Operand],
        is_periodic: bool,
    ) -> Result<String, RasterError> {
        let Some(name) = self.constant_text(args[0]) else {
            return Ok(self.chosen_noise(kind, args, is_periodic));
        };
        let named = self.named(NoiseKind::from_name(name), args, is_periodic);
        Ok(self.noise_of(kind, args, &named))
    }

    fn noise_of(&mut self, kind: Kind, args: &[Operand], named: &NamedNoise) -> String {
        if named.noise == NoiseKind::Gabor {
            return self.gabor(kind, args, named);
        }
        let (coordinates, period) = named.split(args);
        self.noise(named.noise, kind, coordinates, named.is_periodic.then_some(period))
    }

    /// Returns the value of a noise whose name is known at run time only, among the strings of the program.
    fn chosen_noise(&mut self, kind: Kind, args: &[Operand], is_periodic: bool) -> String {
        let (value, name) = (self.temporary(), self.operand(args[0]));
        self.line(&format!("var {value} = {};", super::op::zero(kind)));
        let names = NoiseKind::NAMES.iter().filter(|(name, _)| self.names_text(name));
        for (text, noise) in names.collect::<Vec<_>>() {
            let number = self.strings.index(text);
            self.line(&format!("if ({name} == {number}) {{"));
            self.depth += 1;
            let named = self.named(Some(*noise), args, is_periodic);
            let found = self.noise_of(kind, args, &named);
            self.line(&format!("{value} = {found};"));
            self.depth -= 1;
            self.line("}");
        }
        value
    }

    fn named(&self, noise: Option<NoiseKind>, args: &[Operand], is_periodic: bool) -> NamedNoise {
        let is_number = |arg: &&Operand| matches!(self.kind(**arg), Kind::FLOAT | Kind::TRIPLE);
        let numbers = args[1..].iter().take_while(is_number).count();
        NamedNoise {
            noise: noise.unwrap_or(NoiseKind::Null),
            coordinates: if is_periodic { numbers / 2 } else { numbers },
            is_periodic,
        }
    }

    fn gabor(&mut self, kind: Kind, args: &[Operand], named: &NamedNoise) -> String {
        let arguments = self.gabor_arguments(args, named);
        match kind {
            Kind::TRIPLE => format!("kiln_gabor_v({arguments})"),
            _ => format!("kiln_gabor({arguments}, 0u)"),
        }
    }

    /// Returns kernel, point and period of Gabor noise. Its options and derivatives follow the coordinates and periods.
    fn gabor_arguments(&mut self, args: &[Operand], named: &NamedNoise) -> String {
        let (coordinates, period) = named.split(args);
        let rest = &args[1 + coordinates.len() + period.len()..];
        let p = self.space_point(coordinates);
        let period = match named.is_periodic {
            true => self.space_point(period),
            false => "vec3f(0.0)".to_owned(),
        };
        let options = match rest {
            [anisotropic, filters, direction, bandwidth, impulses, changes @ ..] => {
                let options = [anisotropic, filters, direction, bandwidth, impulses];
                let options: Vec<String> = options.iter().map(|&&arg| self.operand(arg)).collect();
                let (dx, dy) = changes.split_at(coordinates.len().min(changes.len()));
                format!("{}, {}, {}", options.join(", "), self.space_point(dx), self.space_point(dy))
            }
            _ => "0, 0, vec3f(1.0, 0.0, 0.0), 1.0, 16.0, vec3f(0.0), vec3f(0.0)".to_owned(),
        };
        let kernel = self.temporary();
        self.line(&format!("let {kernel} = kiln_gabor_kernel({options});"));
        format!("{kernel}, {p}, {}, {period}", named.is_periodic)
    }

    /// Returns three coordinates; a fourth is ignored.
    fn space_point(&mut self, coordinates: &[Operand]) -> String {
        if coordinates.is_empty() {
            return "vec3f(0.0)".to_owned();
        }
        let Point { dimensions, text } = self.point(coordinates);
        match dimensions {
            1 => format!("vec3f({text}, 0.0, 0.0)"),
            2 => format!("vec3f({text}, 0.0)"),
            3 => text,
            _ => format!("{text}.xyz"),
        }
    }

    /// Writes a function with derivatives: `target` is an array of the value and its derivatives along x and y.
    pub(super) fn dual(&mut self, target: &str, kind: Kind, builtin: Builtin, args: &[Operand], span: Span) {
        let count = args.len() / 3;
        let [values, dx, dy] = [0, 1, 2].map(|part| &args[part * count..(part + 1) * count]);
        let is_named = matches!(builtin, Builtin::Noise | Builtin::PNoise);
        let named = match builtin {
            Builtin::Spline => return self.spline_dual(target, kind.element(), [values, dx, dy]),
            Builtin::SplineInverse => return self.spline_inverse_dual(target, [values, dx, dy]),
            Builtin::Perlin | Builtin::UPerlin => Ok(NamedNoise {
                noise: if builtin == Builtin::Perlin {
                    NoiseKind::Perlin
                } else {
                    NoiseKind::UPerlin
                },
                coordinates: count,
                is_periodic: false,
            }),
            _ => match self.constant_text(values[0]) {
                Some(name) => Ok(self.named(NoiseKind::from_name(name), values, builtin == Builtin::PNoise)),
                None => Err(RasterError::Text("the kind of a noise with derivatives")),
            },
        };
        let named = match named {
            Ok(named) => named,
            Err(error) => return self.report(error, span),
        };
        let first = usize::from(is_named);
        let coordinates = first..first + named.coordinates;
        let [at, dx, dy] = [values, dx, dy].map(|list| &list[coordinates.clone()]);
        let is_triple = kind.element() == Kind::TRIPLE;
        let slope = match named.noise {
            NoiseKind::Perlin | NoiseKind::UPerlin => "perlin",
            NoiseKind::Simplex | NoiseKind::USimplex => "simplex",
            NoiseKind::Gabor => "gabor",
            NoiseKind::Cell | NoiseKind::Hash | NoiseKind::Null | NoiseKind::UNull => {
                let period = named.is_periodic.then(|| named.split(values).1);
                let value = self.noise(named.noise, kind.element(), at, period);
                self.line(&format!("{target} = {}();", type_name(kind)));
                return self.line(&format!("{target}[0] = {value};"));
            }
        };
        let halves = match named.noise {
            NoiseKind::UPerlin | NoiseKind::USimplex => " * 0.5 + vec3f(0.5, 0.0, 0.0)",
            _ => "",
        };
        let (call, dual, changes) = if slope == "gabor" {
            let arguments = self.gabor_arguments(values, &named);
            let changes = [dx, dy].map(|list| self.space_point(list));
            (format!("kiln_gabor_slope({arguments}, "), "kiln_gabor_dual".to_owned(), changes)
        } else {
            let Point { dimensions: d, text } = self.point(at);
            let changes = [dx, dy].map(|list| self.point(list).text);
            let period = named.is_periodic.then(|| self.point(named.split(values).1).text);
            let cells = match slope {
                "perlin" => lattice_period(d, period.as_deref()) + ", ",
                _ => String::new(),
            };
            (
                format!("kiln_{slope}{d}_slope({text}, {cells}"),
                format!("kiln_dual{d}"),
                changes,
            )
        };
        let [dx, dy] = changes;
        let names: Vec<String> = (0..if is_triple { 3 } else { 1 }).map(|_| self.temporary()).collect();
        for (lane, name) in names.iter().enumerate() {
            self.line(&format!("let {name} = {dual}({call}{lane}u), {dx}, {dy}){halves};"));
        }
        let parts: Vec<String> = ["x", "y", "z"]
            .iter()
            .map(|part| match &names[..] {
                [one] => format!("{one}.{part}"),
                all => {
                    let lanes: Vec<_> = all.iter().map(|name| format!("{name}.{part}")).collect();
                    format!("vec3f({})", lanes.join(", "))
                }
            })
            .collect();
        self.line(&format!("{target} = {}({});", type_name(kind), parts.join(", ")));
    }
}

/// A noise by name, with the number of operands that are coordinates.
struct NamedNoise {
    noise: NoiseKind,
    coordinates: usize,
    is_periodic: bool,
}

impl NamedNoise {
    /// Returns the coordinates and the periods among the operands. The first operand is the name.
    fn split<'o>(&self, args: &'o [Operand]) -> (&'o [Operand], &'o [Operand]) {
        let end = 1 + self.coordinates;
        let periods = if self.is_periodic { self.coordinates } else { 0 };
        (&args[1..end], &args[end..end + periods])
    }
}

/// Returns the number of cells along each axis; 0 along an axis without period.
fn lattice_period(dimensions: usize, period: Option<&str>) -> String {
    match (dimensions, period) {
        (d, Some(period)) => format!("kiln_period{d}({period})"),
        (1, None) => "0".to_owned(),
        (d, None) => format!("vec{d}i(0)"),
    }
}
