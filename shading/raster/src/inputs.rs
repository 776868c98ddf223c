//! Inputs of generated code: members of `Globals`, uniforms, textures.

use std::collections::BTreeMap;

use shading_compiler::builtins::Global;
use shading_compiler::hir::kind::Element;
use shading_compiler::hir::{Axis, ColorSpace, Const, Interpolation, Kind, Wrap};

use crate::names::{sanitized, type_name};

/// Source of a member of the structure `Globals`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberSource {
    /// A global of the shading point.
    Global(Global),
    /// Derivative of a global in screen space: the change to the next pixel.
    Derivative(Global, Axis),
    /// 1 if the surface is seen from the back, else 0.
    Backfacing,
    /// The kind of the ray, as bits.
    RayKind,
    /// The area of the object.
    SurfaceArea,
    /// An attribute of the geometry: up to four numbers.
    Attribute(String),
    /// Derivative of an attribute in screen space: the change to the next pixel.
    AttributeDerivative(String, Axis),
    /// Matrix from one space to another. Its columns are the rows of the language's matrix.
    Space {
        /// Name of the space of the argument.
        from: String,
        /// Name of the space of the result.
        to: String,
    },
}

/// A member of the structure `Globals`, which the host fills at every point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalMember {
    /// Name of the member.
    pub name: String,
    /// Its type in WGSL.
    pub ty: &'static str,
    /// Source of the value.
    pub source: MemberSource,
}

impl GlobalMember {
    fn of(source: MemberSource) -> GlobalMember {
        let axis = |axis: Axis| match axis {
            Axis::X => "dx",
            Axis::Y => "dy",
        };
        let (name, ty) = match &source {
            MemberSource::Global(global) => (global.name().to_owned(), global_type(*global)),
            MemberSource::Derivative(global, along) => {
                (format!("d{}{}", global.name(), axis(*along)), global_type(*global))
            }
            MemberSource::Backfacing => ("backfacing".to_owned(), "i32"),
            MemberSource::RayKind => ("ray_kind".to_owned(), "i32"),
            MemberSource::SurfaceArea => ("surface_area".to_owned(), "f32"),
            MemberSource::Attribute(name) => (format!("attribute_{}", sanitized(name)), "vec4f"),
            MemberSource::AttributeDerivative(name, along) => {
                (format!("attribute_{}_{}", sanitized(name), axis(*along)), "vec4f")
            }
            MemberSource::Space { from, to } => {
                (format!("{}_from_{}", sanitized(to), sanitized(from)), "mat4x4f")
            }
        };
        GlobalMember { name, ty, source }
    }
}

fn global_type(global: Global) -> &'static str {
    match Kind::of(global.ty()) {
        Some(Kind::FLOAT) => "f32",
        _ => "vec3f",
    }
}

/// A parameter that the host can change without compilation.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform {
    /// Name of the parameter.
    pub name: String,
    /// Name of the member of the structure `Uniforms`.
    pub member: String,
    /// Kind of its values.
    pub kind: Kind,
    /// Offset in the uniform buffer in bytes; each member begins at a multiple of 16.
    pub offset: u32,
    /// Current value of the parameter.
    pub value: Const,
}

/// A texture that the host binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureBinding {
    /// Name of the texture in the code. The name of its sampler has the suffix `_sampler`.
    pub name: String,
    /// Image file.
    pub file: String,
    /// Wrap modes along s and t.
    pub wrap: [Wrap; 2],
    /// Interpolation between texels.
    pub interpolation: Interpolation,
    /// Colour space of the file; the host must bind a texture with linear values.
    pub color_space: ColorSpace,
    /// Binding of the texture in group 1. The binding of its sampler is the next number.
    pub binding: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) members: Vec<GlobalMember>,
    pub(crate) uniforms: Vec<Uniform>,
    pub(crate) textures: Vec<TextureBinding>,
    /// Attributes of the geometry.
    attributes: Vec<String>,
    /// Functions that were written for this program, by name.
    pub(crate) functions: BTreeMap<String, String>,
}

impl Inputs {
    /// Creates the inputs of a program with the given uniforms, by name and value, on geometry with the given attributes.
    pub(crate) fn new(live: &[(String, Const)], attributes: &[String]) -> Inputs {
        let mut offset = 0;
        let mut uniforms = vec![];
        for (name, value) in live {
            let Some(kind) = Kind::of_const(value) else {
                continue;
            };
            uniforms.push(Uniform {
                name: name.clone(),
                member: format!("u_{}", sanitized(name)),
                kind,
                offset,
                value: value.clone(),
            });
            offset += rows(kind) * 16;
        }
        Inputs {
            uniforms,
            attributes: attributes.to_vec(),
            ..Inputs::default()
        }
    }

    pub(crate) fn has_attribute(&self, name: &str) -> bool {
        self.attributes.iter().any(|known| known == name)
    }

    /// Returns the expression of a member of `Globals`, and declares the member.
    pub(crate) fn global(&mut self, source: MemberSource) -> String {
        let member = GlobalMember::of(source);
        let text = format!("g.{}", member.name);
        if !self.members.contains(&member) {
            self.members.push(member);
        }
        text
    }

    pub(crate) fn uniform(&self, name: &str) -> String {
        let Some(uniform) = self.uniforms.iter().find(|uniform| uniform.name == name) else {
            return "0".to_owned();
        };
        let (member, whole) = (&uniform.member, format!("uniforms.{}", uniform.member));
        match uniform.kind {
            Kind::INT | Kind::FLOAT => format!("{whole}.x"),
            Kind::TRIPLE => format!("{whole}.xyz"),
            Kind::One(_) => whole,
            Kind::Array(element, n) => {
                let part = match element {
                    Element::Int | Element::Float => ".x",
                    Element::Triple => ".xyz",
                    Element::Matrix | Element::String | Element::Closure => "",
                };
                let list: Vec<_> = (0..n).map(|i| format!("uniforms.{member}[{i}]{part}")).collect();
                format!("{}({})", type_name(uniform.kind), list.join(", "))
            }
        }
    }

    pub(crate) fn texture(
        &mut self,
        file: &str,
        wrap: [Wrap; 2],
        interpolation: Interpolation,
        color_space: ColorSpace,
    ) -> String {
        let same = |known: &&TextureBinding| {
            known.file == file
                && known.wrap == wrap
                && known.interpolation == interpolation
                && known.color_space == color_space
        };
        if let Some(known) = self.textures.iter().find(same) {
            return known.name.clone();
        }
        let index = self.textures.len() as u32;
        let name = format!("texture{index}t");
        self.textures.push(TextureBinding {
            name: name.clone(),
            file: file.to_owned(),
            wrap,
            interpolation,
            color_space,
            binding: 2 * index,
        });
        name
    }

    /// Declarations of all inputs.
    pub(crate) fn declarations(&mut self) -> String {
        // WGSL does not allow empty structures.
        self.global(MemberSource::Global(Global::P));
        self.members.sort_by(|a, b| a.name.cmp(&b.name));
        let mut text = "// The shading point, which the host fills.\nstruct Globals {\n".to_owned();
        for member in &self.members {
            text += &format!("    {}: {},\n", member.name, member.ty);
        }
        text += "}\n\n";
        if !self.uniforms.is_empty() {
            text += "struct Uniforms {\n";
            for uniform in &self.uniforms {
                text += &format!("    {}: {},\n", uniform.member, uniform_type(uniform.kind));
            }
            text += "}\n\n@group(0) @binding(0) var<uniform> uniforms: Uniforms;\n\n";
        }
        for texture in &self.textures {
            let (name, binding) = (&texture.name, texture.binding);
            text += &format!("@group(1) @binding({binding}) var {name}: texture_2d<f32>;\n");
            text += &format!("@group(1) @binding({}) var {name}_sampler: sampler;\n", binding + 1);
        }
        text
    }
}

/// Number of four-component vectors that a uniform occupies.
fn rows(kind: Kind) -> u32 {
    let one = if kind.element() == Kind::MATRIX { 4 } else { 1 };
    one * kind.count()
}

/// Returns the type of a uniform. All of its members and elements begin at multiples of 16 bytes.
fn uniform_type(kind: Kind) -> String {
    let Kind::One(element) = kind.element() else {
        return String::new();
    };
    let one = match element {
        Element::Int | Element::String => "vec4i",
        Element::Float | Element::Triple | Element::Closure => "vec4f",
        Element::Matrix => "mat4x4f",
    };
    match kind {
        Kind::One(_) => one.to_owned(),
        Kind::Array(_, n) => format!("array<{one}, {n}>"),
    }
}
