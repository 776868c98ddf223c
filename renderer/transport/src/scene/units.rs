//! Linked units of a description's materials in HIR, for back ends other than the renderer's.

use std::sync::Arc;

use shading::builtins::Builtin;
use shading::hir::Unit;
use shading::opt::OptLevel;
use shading::syntax::ast;
use shading::{
    ClosureRegistry, Diagnostics, InstanceOptions, Preprocessor, ShadingSystem, SourceMap, Template,
};

use super::build::{declarations, group, shading_system, surface_options, unlimited_host, with_names};
use crate::material::{Host, MaterialId, known_attributes};
use renderer_geometry::Shape;
use renderer_scene::SceneDesc;

/// Linked units of a description's materials.
pub struct MaterialUnits<'a> {
    desc: &'a SceneDesc,
    shapes: &'a [Shape],
    host: Arc<Host>,
    system: ShadingSystem,
    file: Arc<ast::File>,
}

impl<'a> MaterialUnits<'a> {
    /// Loads the shaders of a description with these shapes.
    ///
    /// # Errors
    /// Errors in the shaders.
    pub fn new(desc: &'a SceneDesc, shapes: &'a [Shape]) -> Result<MaterialUnits<'a>, Diagnostics> {
        let host = with_names(unlimited_host(desc), desc);
        let system = shading_system(host.clone(), Preprocessor::default());
        for file in &desc.shaders {
            system.load_file(&file.file)?;
        }
        let file = Arc::new(declarations(desc));
        Ok(MaterialUnits { desc, shapes, host, system, file })
    }

    /// The closures that units call.
    pub fn closures(&self) -> &ClosureRegistry {
        self.system.closures()
    }

    /// The system that has the units and groups of the description.
    pub fn system(&self) -> &ShadingSystem {
        &self.system
    }

    /// Host that resolves the files of shaders.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The group of a material.
    ///
    /// # Errors
    /// Errors in the material's form.
    pub fn template(&self, id: MaterialId) -> Result<Template, Diagnostics> {
        let group = group(self.desc.material(id), &self.file, self.system())?;
        Ok(Template::from(&Arc::new(group)))
    }

    /// Returns the linked unit of a material, or `None` if it depends on attributes of the shape.
    ///
    /// # Errors
    /// Errors in the material.
    pub fn unit(&self, id: MaterialId) -> Result<Option<(Unit, SourceMap)>, Diagnostics> {
        let template = self.template(id)?;
        let users = self.desc.shapes.iter().zip(self.shapes);
        let users = users.filter(|(shape, _)| shape.material == id);
        let attributes = known_attributes(users.map(|(_, shape)| shape)).map(Arc::new);
        let options = |optimize| InstanceOptions {
            attributes: attributes.clone(),
            optimize,
            ..surface_options()
        };
        // Optimisation removes queries of attributes that no shape has.
        let (reduced, ..) = self.system.optimized(&template, &options(OptLevel::Full))?;
        let queries = [Builtin::HasAttribute, Builtin::HasAnyAttribute, Builtin::AnyAttribute];
        if queries.into_iter().any(|builtin| reduced.calls(builtin)) {
            return Ok(None);
        }
        let (unit, sources, _) = self.system.optimized(&template, &options(OptLevel::None))?;
        Ok(Some((unit, sources)))
    }
}
