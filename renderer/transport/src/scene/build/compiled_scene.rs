//! Compiled shaders of a scene: those of its materials, with overrides, and of passes. Frames of a sequence share them.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;
use shading::{Diagnostics, Preprocessor, ShadingSystem};

use super::compile::{Compiled, compile, compile_materials, shading_system};
use super::links::unmatched_patterns;
use super::overrides::{apply_overrides, unused_exceptions};
use super::pass_shaders::{absent_attributes, pass_shaders};
use super::replaced_shaders;
use super::warnings::missing_textures;
use crate::material::{Host, Instances, OutputShader};
use renderer_geometry::Shape;
use renderer_passes::Pass;
use renderer_scene::SceneDesc;

/// Statistics of shader compilation.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShaderStats {
    /// Number of materials compiled; those with the same code count once.
    pub groups: usize,
    /// Wall-clock time over all threads.
    pub elapsed: Duration,
    /// Total time of code generation over all threads [ms].
    pub jit_ms: f64,
}

/// Compiled shaders of a scene; its overrides are applied.
#[derive(Debug)]
pub(super) struct CompiledScene<'a> {
    pub(super) desc: Cow<'a, SceneDesc>,
    pub(super) system: ShadingSystem,
    /// Instances of each material of `desc`.
    pub(super) instances: Vec<Instances>,
    pub(super) pass_shaders: Vec<Vec<Option<OutputShader>>>,
    pub(super) stats: ShaderStats,
    /// Warnings that do not depend on the values of materials.
    pub(super) warnings: Diagnostics,
}

impl<'a> CompiledScene<'a> {
    /// Compiles the materials, and the shaders that compute `values`. `shapes` are those of `desc`, for their attributes.
    pub(super) fn new(
        mut desc: Cow<'a, SceneDesc>,
        host: &Arc<Host>,
        shapes: &[Shape],
        values: &[Pass],
    ) -> Result<CompiledScene<'a>, Diagnostics> {
        let start = Instant::now();
        let system = shading_system(host.clone(), Preprocessor::default());
        let Compiled { mut instances, mut warnings, .. } = compile(&desc, &system, host.purpose(), shapes)?;
        let mut shows_missing = false;
        if !desc.overrides.is_empty() {
            let emits: Vec<bool> = instances.iter().map(Instances::may_emit).collect();
            let overridden = apply_overrides(&desc, &emits);
            let added = desc.materials.len()..overridden.desc.materials.len();
            let (more, found) = compile_materials(&overridden.desc, added, &system, host.purpose(), shapes)?;
            instances.extend(more);
            warnings.add_new(found.list);
            warnings.list.extend(unused_exceptions(&desc));
            shows_missing =
                replaced_shaders::attach(&desc, &overridden, &system, host, shapes, &mut instances)?;
            desc = Cow::Owned(overridden.desc);
        }
        let pass_shaders = pass_shaders(&desc, &system, shapes, values)?;
        let stats = ShaderStats::new(&instances, start.elapsed());
        let mut warnings = missing_textures(&desc, &instances, shows_missing, warnings)?;
        warnings.list.extend(absent_attributes(shapes, values));
        warnings.list.extend(unmatched_patterns(&desc));
        Ok(CompiledScene { desc, system, instances, pass_shaders, stats, warnings })
    }
}

impl ShaderStats {
    /// Materials with the same code count once.
    fn new(instances: &[Instances], elapsed: Duration) -> ShaderStats {
        let mut counted = FxHashSet::default();
        let groups = instances.iter().filter(|of| counted.insert(Arc::as_ptr(&of.full))).count();
        counted.clear();
        let jit_ms = instances
            .iter()
            .flat_map(Instances::all)
            .filter(|instance| counted.insert(Arc::as_ptr(instance)))
            .map(|instance| instance.statistics().jit_ms)
            .sum();
        ShaderStats { groups, elapsed, jit_ms }
    }
}
