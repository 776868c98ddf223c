//! Portals of environment lights: converts the shapes named by `portals` to rectangles of the light.

use shading::Span;

use super::builder::Builder;
use super::field::Given;
use super::light::PendingPortals;
use renderer_geometry::Rectangle;
use renderer_scene::{LightKind, Shutter};

impl Builder {
    /// Resolves the portals of lights, and removes their shapes from the scene.
    pub(super) fn place_portals(&mut self, pending: Vec<PendingPortals>) {
        let mut taken = vec![];
        for PendingPortals { light, names } in pending {
            let mut found = vec![];
            for name in &names {
                let Some(shapes) = self.groups.find(&name.value) else {
                    self.report_unknown_portal(name);
                    continue;
                };
                let shapes = shapes.to_vec();
                for &shape in &shapes {
                    match Rectangle::of_shape(&self.desc.shapes[shape].build(&Shutter::default().instant())) {
                        Some(portal) => found.push(portal),
                        None => self.report_no_rectangle(name.span, shape),
                    }
                }
                taken.extend(shapes);
            }
            if let LightKind::Environment { portals, .. } | LightKind::Background { portals, .. } =
                &mut self.desc.lights[light].kind
            {
                *portals = found;
            }
        }
        let mut index = 0;
        self.desc.shapes.retain(|_| {
            index += 1;
            !taken.contains(&(index - 1))
        });
    }

    fn report_unknown_portal(&mut self, name: &Given<String>) {
        let mut names: Vec<&str> = self.groups.names().collect();
        names.sort_unstable();
        let diagnostic = self
            .context
            .error_at(name.span, format!("there is no shape or import `{}`", name.value))
            .nearest(&name.value, names);
        self.context.push(diagnostic);
    }

    fn report_no_rectangle(&mut self, span: Span, shape: usize) {
        let message = format!("`{}` is not a rectangle", self.desc.shapes[shape].name);
        let diagnostic = self
            .context
            .error_at(span, message)
            .at(&self.context.sources, self.desc.shapes[shape].span, "declared here")
            .hint("a portal is a `rectangle`, or a mesh of two triangles that make one");
        self.context.push(diagnostic);
    }
}
