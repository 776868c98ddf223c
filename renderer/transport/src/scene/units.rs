//! The materials of a description as units of HIR, for other back ends than that which renders.

use std::sync::Arc;

use shading::builtins::Builtin;
use shading::hir::Unit;
use shading::opt::OptLevel;
use shading::syntax::ast;
use shading::{
    ClosureRegistry, Diagnostics, InstanceOptions, Preprocessor, ShadingSystem, SourceMap, Template,
};

use super::build::{unlimited_host, with_names};
use super::compile::{declarations, group, shading_system, surface_options};
use crate::material::{MaterialId, known_attributes};
use renderer_geometry::Shape;
use renderer_scene::SceneDesc;

/// The units of a description's materials.
pub struct MaterialUnits<'a> {
    desc: &'a SceneDesc,
    shapes: &'a [Shape],
    system: ShadingSystem,
    file: Arc<ast::File>,
}

impl<'a> MaterialUnits<'a> {
    /// Loads the shaders of a description, whose shapes are `shapes`.
    ///
    /// # Errors
    /// Errors in the shaders.
    pub fn new(desc: &'a SceneDesc, shapes: &'a [Shape]) -> Result<MaterialUnits<'a>, Diagnostics> {
        let host = with_names(unlimited_host(desc), desc);
        let system = shading_system(host, Preprocessor::default());
        for file in &desc.shaders {
            system.load_file(&file.file)?;
        }
        let file = Arc::new(declarations(desc));
        Ok(MaterialUnits {
            desc,
            shapes,
            system,
            file,
        })
    }

    /// The closures that units call.
    pub fn closures(&self) -> &ClosureRegistry {
        self.system.closures()
    }

    /// Returns the linked unit of a material, or `None` if it asks for attributes of what it is on.
    ///
    /// # Errors
    /// Errors in the material.
    pub fn unit(&self, id: MaterialId) -> Result<Option<(Unit, SourceMap)>, Diagnostics> {
        let group = Arc::new(group(self.desc.material(id), &self.file)?);
        let template = Template::from(&group);
        let users = self.desc.shapes.iter().zip(self.shapes);
        let users = users.filter(|(shape, _)| shape.material == id);
        let attributes = known_attributes(users.map(|(_, shape)| shape)).map(Arc::new);
        let options = |optimize| InstanceOptions {
            attributes: attributes.clone(),
            optimize,
            ..surface_options()
        };
        // Questions for what no shape has are gone after optimisation.
        let (reduced, ..) = self.system.optimized(&template, &options(OptLevel::Full))?;
        let asks = [
            Builtin::HasAttribute,
            Builtin::HasAnyAttribute,
            Builtin::AnyAttribute,
        ];
        if asks.into_iter().any(|builtin| reduced.calls(builtin)) {
            return Ok(None);
        }
        let (unit, sources, _) = self.system.optimized(&template, &options(OptLevel::None))?;
        Ok(Some((unit, sources)))
    }
}
