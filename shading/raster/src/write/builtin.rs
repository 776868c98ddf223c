//! Built-in functions without derivatives.

use shading_compiler::builtins::Builtin;
use shading_compiler::eval::noise::NoiseKind;
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Kind, Operand, RayKind};
use shading_syntax::source::Span;

use super::op::truth;
use super::writer::FunctionWriter;
use crate::error::RasterError;
use crate::inputs::MemberSource;

/// Function of floats that applies to triples component by component.
enum ComponentFunction {
    /// A WGSL function, which accepts vectors too.
    Native(&'static str),
    /// A library function of one number.
    Library(&'static str),
}

fn component_function(builtin: Builtin) -> Option<ComponentFunction> {
    use Builtin as B;
    use ComponentFunction::{Library, Native};
    Some(match builtin {
        B::Abs => Native("abs"),
        B::Floor => Native("floor"),
        B::Ceil => Native("ceil"),
        B::Trunc => Native("trunc"),
        B::Sin => Library("sin"),
        B::Cos => Library("cos"),
        B::Tan => Library("tan"),
        B::Asin => Library("asin"),
        B::Acos => Library("acos"),
        B::Atan => Library("atan"),
        B::Sinh => Library("sinh"),
        B::Cosh => Library("cosh"),
        B::Tanh => Library("tanh"),
        B::Exp => Library("exp"),
        B::Exp2 => Library("exp2"),
        B::Expm1 => Library("expm1"),
        B::Log => Library("log"),
        B::Log2 => Library("log2"),
        B::Log10 => Library("log10"),
        B::Logb => Library("logb"),
        B::Sqrt => Library("sqrt"),
        B::InverseSqrt => Library("inversesqrt"),
        B::Cbrt => Library("cbrt"),
        B::Sign => Library("sign"),
        B::Round => Library("round"),
        B::Erf => Library("erf"),
        B::Erfc => Library("erfc"),
        B::Pow => Library("pow"),
        B::Atan2 => Library("atan2"),
        B::Fmod => Library("fmod"),
        B::Min => Library("min"),
        B::Max => Library("max"),
        _ => return None,
    })
}

impl FunctionWriter<'_, '_> {
    /// Returns the value of a function. `a` is the first operand in a form that compilers do not fold.
    pub(super) fn builtin(
        &mut self,
        kind: Kind,
        builtin: Builtin,
        args: &[Operand],
        a: &str,
        texts: &[String],
        span: Span,
    ) -> Result<String, RasterError> {
        use Builtin as B;
        if let Some(component_function) = component_function(builtin) {
            return Ok(by_component(&component_function, kind, a, texts));
        }
        let b = texts.get(1).map_or("", String::as_str);
        let call = |name: &str| Ok(format!("kiln_{name}({a})"));
        let call2 = |name: &str| Ok(format!("kiln_{name}({a}, {b})"));
        let text = |what| Err(RasterError::Text(what));
        match builtin {
            B::IsNan => call("isnan"),
            B::IsInf => call("isinf"),
            B::IsFinite => call("isfinite"),
            B::Length => call("length"),
            B::Normalize => call("normalize"),
            B::Determinant => call("determinant"),
            B::Dot => Ok(format!("dot({a}, {b})")),
            B::Cross => Ok(format!("cross({a}, {b})")),
            B::Transpose => Ok(format!("transpose({a})")),
            B::TransformPoint => call2("transform_point"),
            B::TransformVector => call2("transform_vector"),
            B::TransformNormal => call2("transform_normal"),
            B::SpaceMatrix => self.space(args),
            B::Perlin => Ok(self.noise(NoiseKind::Perlin, kind, args, None)),
            B::UPerlin => Ok(self.noise(NoiseKind::UPerlin, kind, args, None)),
            B::Cell => Ok(self.noise(NoiseKind::Cell, kind, args, None)),
            B::HashNoise => Ok(self.noise(NoiseKind::Hash, kind, args, None)),
            B::Noise => self.named_noise(kind, args, false),
            B::PNoise => self.named_noise(kind, args, true),
            B::Hash => self.hash(args),
            B::SplineInverse => Ok(self.spline_inverse(args)),
            B::RayType => self.ray_type(args),
            B::Backfacing => Ok(self.inputs.global(MemberSource::Backfacing)),
            B::SurfaceArea => Ok(self.inputs.global(MemberSource::SurfaceArea)),
            // The optimiser has resolved every query whose answer is true.
            B::IsConstant => Ok("0".to_owned()),
            B::AnyAttribute => self.attribute(kind, args, None),
            B::HasAttribute | B::HasAnyAttribute => self.has_attribute(args),
            B::IsSpace => self.is_space(args),
            B::CloudZeros => Ok(super::op::zero(kind)),
            B::Blackbody => self.blackbody(args, a),
            B::WavelengthColor => self.wavelength_color(args, a),
            B::Concat | B::Substr | B::Format => text("a text that is made at run time"),
            B::Strlen | B::Startswith | B::Endswith | B::GetChar | B::Stoi | B::Stof => {
                text("a text that is known at run time only")
            }
            B::Split | B::SplitCount => text("the parts of a text"),
            B::RegexMatch | B::RegexSearch | B::RegexMatchPlaces | B::RegexSearchPlaces => {
                text("a regular expression")
            }
            B::SetMessage | B::HasMessage | B::MessageValue => Err(RasterError::Message),
            B::DictFind | B::DictFindBelow | B::DictNext | B::HasDictValue | B::DictValue => {
                Err(RasterError::Dictionary)
            }
            B::Trace => Err(RasterError::Trace),
            B::CloudSearch
            | B::HasCloudValues
            | B::CloudValues
            | B::CloudDistances
            | B::CloudDistanceChanges
            | B::CloudWrite => Err(RasterError::Cloud),
            _ => {
                let name = format!("{builtin:?}");
                self.report(RasterError::Function(name), span);
                Ok(super::op::zero(kind))
            }
        }
    }

    fn space(&mut self, args: &[Operand]) -> Result<String, RasterError> {
        let (Some(from), Some(to)) = (self.constant_text(args[0]), self.constant_text(args[1])) else {
            return Err(RasterError::Text("the name of a space"));
        };
        let world = |name: &str| {
            if name == "world" { "common".to_owned() } else { name.to_owned() }
        };
        let (from, to) = (world(from), world(to));
        if from == to {
            return Ok(
                "mat4x4f(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)"
                    .to_owned(),
            );
        }
        Ok(self.inputs.global(MemberSource::Space { from, to }))
    }

    fn is_space(&self, args: &[Operand]) -> Result<String, RasterError> {
        const KNOWN: [&str; 8] = ["common", "world", "camera", "object", "shader", "screen", "NDC", "raster"];
        match self.constant_text(args[0]) {
            Some(name) => Ok(i32::from(KNOWN.contains(&name)).to_string()),
            None => Err(RasterError::Text("the name of a space")),
        }
    }

    fn ray_type(&mut self, args: &[Operand]) -> Result<String, RasterError> {
        let Some(name) = self.constant_text(args[0]) else {
            return Err(RasterError::Text("the kind of a ray"));
        };
        let kind = RayKind::NAMES.iter().find(|(known, _)| *known == name);
        let bits = kind.map_or(0, |(_, kind)| kind.0);
        let found = self.inputs.global(MemberSource::RayKind);
        Ok(truth(&format!("({found} & {bits}) != 0")))
    }

    fn has_attribute(&self, args: &[Operand]) -> Result<String, RasterError> {
        let known = (self.constant_text(args[0]), self.constant_text(args[1]));
        let (Some(object), Some(name)) = known else {
            return Err(RasterError::Text("the name of an attribute"));
        };
        let exists = object == crate::UNIFORM_OBJECT || object.is_empty() && self.inputs.has_attribute(name);
        Ok(i32::from(exists).to_string())
    }

    fn hash(&mut self, args: &[Operand]) -> Result<String, RasterError> {
        let mut keys = vec![];
        for &arg in args {
            let text = self.operand(arg);
            match self.kind(arg) {
                Kind::One(Element::Int) => keys.push(format!("bitcast<u32>({})", self.opaque(arg))),
                Kind::One(Element::Float) => keys.push(format!("kiln_key_of({text})")),
                Kind::One(Element::Triple) => {
                    keys.extend(["x", "y", "z"].map(|lane| format!("kiln_key_of({text}.{lane})")));
                }
                _ => {
                    return Err(RasterError::Text("the hash of a text"));
                }
            }
        }
        let keys = keys.join(", ");
        let count = keys.matches("u32>(").count() + keys.matches("key_of(").count();
        let value = match count {
            1 => format!("kiln_hash1({keys})"),
            n => format!("kiln_hash{n}(vec{n}u({keys}))"),
        };
        Ok(format!("bitcast<i32>({value})"))
    }
}

fn by_component(component_function: &ComponentFunction, kind: Kind, a: &str, texts: &[String]) -> String {
    let rest = texts.get(1);
    match (component_function, kind) {
        (ComponentFunction::Library(name @ ("min" | "max")), Kind::INT) => {
            format!("{name}({a}, {})", rest.map_or("", String::as_str))
        }
        (ComponentFunction::Native(name), _) => format!("{name}({a})"),
        (ComponentFunction::Library(name), Kind::TRIPLE) => {
            let lane = |lane: &str| match rest {
                Some(b) => format!("kiln_{name}({a}.{lane}, {b}.{lane})"),
                None => format!("kiln_{name}({a}.{lane})"),
            };
            format!("vec3f({}, {}, {})", lane("x"), lane("y"), lane("z"))
        }
        (ComponentFunction::Library(name), _) => match rest {
            Some(b) => format!("kiln_{name}({a}, {b})"),
            None => format!("kiln_{name}({a})"),
        },
    }
}
