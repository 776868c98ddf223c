//! Size limits of linked templates, computed before linking; detects groups that contain themselves.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    Binding, GraphError, Node, ShaderGroupTemplate, ShaderUnitTemplate, Template, TemplateRef, Templates,
};
use shading_syntax::diagnostic::Diagnostic;
use shading_syntax::source::Span;

/// Maximum number of instances of units, groups and group expressions linked into one template.
const MAX_INSTANCES: u64 = 1 << 15;

/// Maximum number of statements, variables and constants of the linked code; elements of arrays count individually.
const MAX_WEIGHT: u64 = 1_000_000;

/// Maximum nesting of groups.
const MAX_LEVELS: u64 = 512;

/// Size of a linked template.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    /// Number of instances: the template itself and its contents, including expressions.
    instances: u64,
    /// As [`crate::hir::Unit::weight`].
    weight: u64,
}

impl Size {
    const EXPRESSION: Size = Size { instances: 1, weight: 8 };

    fn add(&mut self, part: Size) {
        self.instances = self.instances.saturating_add(part.instances);
        self.weight = self.weight.saturating_add(part.weight);
    }

    /// Returns the error if a group of this size is too large.
    fn error(self, group: &ShaderGroupTemplate) -> Option<GraphError> {
        let too_large = |what, count, limit| {
            (count > limit).then(|| GraphError::TooLarge { group: group.name.clone(), what, count, limit })
        };
        too_large("instances of units and groups", self.instances, MAX_INSTANCES)
            .or_else(|| too_large("operations and values", self.weight, MAX_WEIGHT))
    }
}

/// Returns the number of instances that linking a template creates: the template itself and its contents.
///
/// # Errors
/// If a group contains itself or becomes too large: the error of the innermost such group, at its source location.
pub fn instances(template: &Template, templates: &dyn Templates) -> Result<u64, Diagnostic> {
    let Template::Group(group) = template else {
        return Ok(1);
    };
    let mut walk = Walk {
        templates,
        sizes: FxHashMap::default(),
        open: vec![],
        at: FxHashMap::default(),
    };
    walk.enter(group.clone());
    walk.run()?;
    let size = walk.sizes.get(&Arc::as_ptr(group));
    Ok(size.map_or(1, |(size, _)| size.instances))
}

/// A post-order walk over groups with an explicit stack, because groups may be nested deeper than the thread's stack
/// allows.
struct Walk<'a> {
    templates: &'a dyn Templates,
    /// Sizes of the groups already counted, by address; the groups are kept alive so that addresses stay unique.
    sizes: FxHashMap<*const ShaderGroupTemplate, (Size, Arc<ShaderGroupTemplate>)>,
    /// Groups being counted, outermost first.
    open: Vec<OpenGroup>,
    /// Indices of the groups in `open`.
    at: FxHashMap<*const ShaderGroupTemplate, usize>,
}

struct OpenGroup {
    group: Arc<ShaderGroupTemplate>,
    /// Index of the next node to visit.
    next: usize,
    size: Size,
}

impl Walk<'_> {
    fn enter(&mut self, group: Arc<ShaderGroupTemplate>) {
        self.at.insert(Arc::as_ptr(&group), self.open.len());
        let mut size = Size { instances: 1, ..Size::default() };
        let outputs = group.outputs.iter().map(|output| &output.binding);
        let defaults = group.inputs.iter().filter_map(|input| input.default.as_ref());
        outputs.chain(defaults).for_each(|binding| size.add(binding_size(binding)));
        self.open.push(OpenGroup { group, next: 0, size });
    }

    fn run(&mut self) -> Result<(), Diagnostic> {
        while let Some(open) = self.open.last_mut() {
            let group = open.group.clone();
            let Some(node) = group.nodes().get(open.next) else {
                let size = open.size;
                if let Some(error) = size.error(&group) {
                    return Err(at(error.into(), &group, group.span, ""));
                }
                self.open.pop();
                self.at.remove(&Arc::as_ptr(&group));
                self.sizes.insert(Arc::as_ptr(&group), (size, group));
                continue;
            };
            let part = match self.template_of(node) {
                // Unknown names are reported when the group is linked.
                None => Size::default(),
                Some(Template::Unit(unit)) => unit_size(&unit),
                Some(Template::Group(inner)) => match self.sizes.get(&Arc::as_ptr(&inner)) {
                    Some((size, _)) => *size,
                    None if self.at.contains_key(&Arc::as_ptr(&inner)) => {
                        return Err(self.recursion(&inner, node));
                    }
                    None if self.open.len() as u64 == MAX_LEVELS => {
                        return Err(self.too_deep());
                    }
                    None => {
                        self.enter(inner);
                        continue;
                    }
                },
            };
            let open = self.open.last_mut().expect("a group is open, see above");
            open.next += 1;
            open.size.add(part);
            let overrides = node.overrides.iter().map(|(_, binding, _)| binding);
            let inputs = node.inputs.iter().map(|connection| &connection.binding);
            for binding in inputs.chain(overrides) {
                open.size.add(binding_size(binding));
            }
        }
        Ok(())
    }

    fn template_of(&self, node: &Node) -> Option<Template> {
        match &node.template {
            TemplateRef::Template(template) => Some(template.clone()),
            TemplateRef::Named(name) => self.templates.find(name).ok().flatten(),
        }
    }

    fn too_deep(&self) -> Diagnostic {
        let group = &self.open[0].group;
        let error = GraphError::TooDeep { group: group.name.clone(), limit: MAX_LEVELS };
        at(error.into(), group, group.span, "")
    }

    /// Reports recursion: the group `inner` is open, and `node` of the innermost open group is an instance of it.
    fn recursion(&self, inner: &Arc<ShaderGroupTemplate>, node: &Node) -> Diagnostic {
        let first = self.at.get(&Arc::as_ptr(inner)).copied().unwrap_or(0);
        let names = self.open[first..].iter().map(|open| open.group.name.clone());
        let chain = names.chain([inner.name.clone()]).collect();
        let outer = &self.open[self.open.len() - 1].group;
        let diagnostic = at(GraphError::RecursiveGroup { chain }.into(), outer, node.span, "");
        at(diagnostic, inner, inner.span, &format!("`{}` is declared here", inner.name))
    }
}

fn unit_size(unit: &ShaderUnitTemplate) -> Size {
    Size { instances: 1, weight: unit.weight }
}

fn binding_size(binding: &Binding) -> Size {
    match binding {
        Binding::Value(_) | Binding::Path(_) => Size::default(),
        Binding::Expression(_) => Size::EXPRESSION,
    }
}

/// Adds a location in a group, if the group has a source.
fn at(diagnostic: Diagnostic, group: &ShaderGroupTemplate, span: Span, text: &str) -> Diagnostic {
    match &group.file {
        Some(file) => diagnostic.at(&file.sources, span, text),
        None => diagnostic,
    }
}
