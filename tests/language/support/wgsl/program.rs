//! Generated programs, run at shading points by the interpreter.

use naga::{Handle, Module, Type, TypeInner};
use shading::builtins::Global;
use shading::hir::{Axis, Const, Kind, Unit};
use shading::runtime::globals::Triple;
use shading::{ClosureRegistry, Diagnostics, ShaderGlobals, ShaderHost, SourceMap};
use shading_raster::{MemberSource, Raster, RasterOptions, raster};

use super::{Interpreter, Sample, Value, zero};

/// A generated program and its module.
pub struct Program {
    /// Generated program.
    pub raster: Raster,
    module: Module,
}

impl Program {
    /// Generates the program of a unit.
    ///
    /// # Errors
    /// If the generator reports errors.
    pub fn new(
        unit: &Unit,
        sources: &SourceMap,
        closures: &ClosureRegistry,
        options: &RasterOptions,
    ) -> Result<Program, Diagnostics> {
        let raster = raster(unit, sources, closures, options)?;
        let module = naga::front::wgsl::parse_str(&raster.wgsl)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string(&raster.wgsl)));
        Ok(Program { raster, module })
    }

    /// Calls `evaluate` or `surface` at a point; returns the members of its result by name.
    pub fn call(
        &self,
        function: &str,
        globals: &ShaderGlobals,
        host: &dyn ShaderHost,
        sample: Sample<'_>,
    ) -> Vec<(String, Value)> {
        let initial = |name: &str, ty: Handle<Type>| (name == "uniforms").then(|| self.uniforms(ty));
        let mut interpreter = Interpreter::new(&self.module, &initial, sample);
        let value = interpreter.call(function, vec![self.globals(globals, host)]);
        let (_, called) = self
            .module
            .functions
            .iter()
            .find(|(_, known)| known.name.as_deref() == Some(function))
            .expect("it was called");
        let result = called.result.as_ref().expect("it returns a structure").ty;
        let TypeInner::Struct { members, .. } = &self.module.types[result].inner else {
            panic!("no structure")
        };
        let names = members.iter().map(|member| member.name.clone().unwrap_or_default());
        names.zip(value.list().iter().cloned()).collect()
    }

    fn globals(&self, globals: &ShaderGlobals, host: &dyn ShaderHost) -> Value {
        let mut members = vec![];
        for member in &self.raster.globals {
            members.push(member_value(&member.source, globals, host));
        }
        Value::List(members)
    }

    fn uniforms(&self, ty: Handle<Type>) -> Value {
        let Value::List(mut members) = zero(&self.module, ty) else {
            panic!("no structure")
        };
        for (member, uniform) in members.iter_mut().zip(&self.raster.uniforms) {
            *member = padded(&uniform.value);
        }
        Value::List(members)
    }
}

/// Returns a value in the layout of a uniform.
fn padded(value: &Const) -> Value {
    match value {
        Const::Int(x) => Value::List([*x, 0, 0, 0].map(Value::Int).to_vec()),
        Const::Float(x) => Value::vector(&[*x, 0.0, 0.0, 0.0]),
        Const::Triple([x, y, z]) => Value::vector(&[*x, *y, *z, 0.0]),
        Const::Matrix(m) => Value::List(m.chunks(4).map(Value::vector).collect()),
        Const::Array(list) => Value::List(list.iter().map(padded).collect()),
        Const::String(_) | Const::NullClosure => panic!("{value:?} is no uniform"),
    }
}

fn triple(triple: &Triple) -> Value {
    Value::vector(&triple.0[..3])
}

fn member_value(source: &MemberSource, g: &ShaderGlobals, host: &dyn ShaderHost) -> Value {
    let four = |value: [f32; 4]| Value::vector(&value);
    match source {
        MemberSource::Global(global) => match global {
            Global::P => triple(&g.p),
            Global::I => triple(&g.i),
            Global::N => triple(&g.n),
            Global::Ng => triple(&g.ng),
            Global::U => Value::Float(g.u),
            Global::V => Value::Float(g.v),
            Global::DPdu => triple(&g.dpdu),
            Global::DPdv => triple(&g.dpdv),
            Global::Ps => triple(&g.ps),
            Global::Time => Value::Float(g.time),
            Global::DTime => Value::Float(g.dtime),
            Global::DPdtime => triple(&g.dpdtime),
        },
        MemberSource::Derivative(global, axis) => match (global, axis) {
            (Global::P, Axis::X) => triple(&g.dpdx),
            (Global::P, Axis::Y) => triple(&g.dpdy),
            (Global::I, Axis::X) => triple(&g.didx),
            (Global::I, Axis::Y) => triple(&g.didy),
            (Global::U, Axis::X) => Value::Float(g.dudx),
            (Global::U, Axis::Y) => Value::Float(g.dudy),
            (Global::V, Axis::X) => Value::Float(g.dvdx),
            (_, _) => Value::Float(g.dvdy),
        },
        MemberSource::Backfacing => Value::Int(g.backfacing),
        MemberSource::RayKind => Value::Int(g.ray_kind.0 as i32),
        MemberSource::SurfaceArea => Value::Float(g.surface_area),
        MemberSource::Attribute(name) => four(host.attribute(g, "", name).unwrap_or_default()),
        MemberSource::AttributeDerivative(name, axis) => four(host.attribute_derivative(g, "", name, *axis)),
        MemberSource::Space { from, to } => {
            let m = host.matrix(g, from, to).unwrap_or(shading::eval::matrix::IDENTITY);
            Value::List(m.chunks(4).map(Value::vector).collect())
        }
    }
}

/// Returns the numbers of a constant; none for strings and closures.
pub fn numbers(value: &Const) -> Vec<f32> {
    match value {
        Const::Int(x) => vec![*x as f32],
        Const::Float(x) => vec![*x],
        Const::Triple(x) => x.to_vec(),
        Const::Matrix(x) => x.to_vec(),
        Const::Array(list) => list.iter().flat_map(numbers).collect(),
        Const::String(_) | Const::NullClosure => vec![],
    }
}

/// Returns whether a kind consists of numbers.
pub fn is_numeric(kind: Kind) -> bool {
    kind.element().is_number()
}
