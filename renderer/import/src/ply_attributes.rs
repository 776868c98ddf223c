//! Mesh attributes from additional PLY properties: adjacent ones that differ in their suffix form one, as in Mitsuba; any
//! other is an attribute of its own.

use glam::Vec2;
use ply_rs_bw::ply::{ElementDef, PropertyType};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::ply_images::IMAGE_NUMBER;
use renderer_base::files::{Budget, OverBudget};
use renderer_geometry::ply::{COLOR_NAMES, Rows, attribute_in, is_whole};
use renderer_geometry::{AttributeDomain, Mesh, MeshAttribute};
use renderer_image::linear_from_srgb;

/// Vertex properties with a fixed meaning, which do not become attributes.
pub(super) const VERTEX_NAMES: [&str; 22] = [
    "x",
    "y",
    "z",
    "nx",
    "ny",
    "nz",
    "u",
    "v",
    "s",
    "t",
    "texture_u",
    "texture_v",
    "texture_s",
    "texture_t",
    "red",
    "green",
    "blue",
    "alpha",
    "r",
    "g",
    "b",
    "a",
];

/// Mesh attributes from an element's properties, except those with a fixed meaning.
pub(super) struct PlyAttributes<'a> {
    groups: Vec<Group>,
    /// Names of the attributes.
    names: FxHashSet<String>,
    budget: &'a Budget,
}

/// Adjacent properties that form one attribute.
struct Group {
    /// Index of the first one among the element's other numbers.
    first: usize,
    /// True if the values are sRGB from 0 to 255.
    encoded: bool,
    attribute: MeshAttribute,
}

impl PlyAttributes<'_> {
    /// Attributes of an element's scalar properties.
    pub(super) fn of<'a>(
        element: &ElementDef,
        domain: AttributeDomain,
        budget: &'a Budget,
    ) -> PlyAttributes<'a> {
        let is_other = |name: &&str| match domain {
            AttributeDomain::Vertex => !VERTEX_NAMES.contains(name),
            AttributeDomain::Face => true,
        };
        let scalars = element.properties.iter().filter_map(|(name, property)| {
            matches!(property.data_type, PropertyType::Scalar(_)).then_some(name.as_str())
        });
        let names: Vec<&str> = scalars.filter(is_other).collect();
        let mut others = PlyAttributes { groups: vec![], names: FxHashSet::default(), budget };
        let mut first = 0;
        while let Some(&name) = names.get(first) {
            if domain == AttributeDomain::Face && name == IMAGE_NUMBER {
                first += 1;
                continue;
            }
            let rest = &names[first..];
            let (attribute, count) = if COLOR_NAMES.iter().any(|colors| rest.starts_with(colors)) {
                (Some("color".to_owned()), 3)
            } else {
                attribute_in(rest)
            };
            let encoded = COLOR_NAMES.iter().any(|[red, ..]| name == *red) && is_whole(element, name);
            let properties = rest[..count].iter().map(|&name| name.to_owned()).collect();
            let attribute = attribute.unwrap_or_else(|| name.to_owned());
            others.add(attribute, first, properties, encoded, domain);
            first += count;
        }
        others
    }

    fn add(
        &mut self,
        name: String,
        first: usize,
        properties: Vec<String>,
        encoded: bool,
        domain: AttributeDomain,
    ) {
        // `heat` and `heat_0` are two attributes.
        let own = (properties.len() == 1).then(|| properties[0].clone());
        let mut names = Some(name).into_iter().chain(own);
        let Some(name) = names.find(|name| self.names.insert(name.clone())) else {
            return;
        };
        let attribute = MeshAttribute {
            name,
            domain,
            width: properties.len(),
            values: vec![],
            properties,
        };
        self.groups.push(Group { first, encoded, attribute });
    }

    /// Counts the values of elements with `times` triangles in total: those of a large polygon are repeated.
    fn allocate(&self, times: usize) -> Result<(), OverBudget> {
        let width: usize = self.groups.iter().map(|group| group.attribute.width).sum();
        self.budget.allocate("attributes of faces", times, width * size_of::<f32>())
    }

    /// Appends the values of one element `times` times.
    pub(super) fn take(&mut self, others: &[f32], times: usize) -> Result<(), OverBudget> {
        if !self.groups.is_empty() {
            self.allocate(times)?;
        }
        for group in &mut self.groups {
            for _ in 0..times {
                let places = group.first..group.first + group.attribute.width;
                let values = places.map(|place| finite(others.get(place).copied()));
                if group.encoded {
                    let linear = values.map(|value| linear_from_srgb(value / 255.0));
                    group.attribute.values.extend(linear);
                } else {
                    group.attribute.values.extend(values);
                }
            }
        }
        Ok(())
    }

    /// Appends the values of all rows, each `times` times; `is_other` selects the properties that form attributes.
    pub(super) fn take_rows(
        &mut self,
        rows: &Rows,
        is_other: impl Fn(&str) -> bool,
        times: usize,
    ) -> Result<(), OverBudget> {
        self.allocate(rows.count * times)?;
        let others = rows.scalars().iter().filter(|(name, _)| is_other(name));
        let others: Vec<_> = others.map(|(_, field)| *field).collect();
        for group in &mut self.groups {
            let (first, width) = (group.first, group.attribute.width);
            let mut values = vec![0.0; rows.count * times * width];
            let places = values.par_chunks_exact_mut(width).enumerate();
            places.for_each(|(place, value)| {
                for (i, number) in value.iter_mut().enumerate() {
                    let found = others.get(first + i).map(|field| rows.number(place / times, *field));
                    let found = finite(found);
                    *number = if group.encoded { linear_from_srgb(found / 255.0) } else { found };
                }
            });
            group.attribute.values = values;
        }
        Ok(())
    }

    /// Adds the attributes to the mesh.
    pub(super) fn finish(self, mesh: &mut Mesh) {
        for Group { attribute, .. } in self.groups {
            if attribute.domain == AttributeDomain::Vertex && attribute.name == UV2 && attribute.width == 2 {
                mesh.uvs2 = attribute.values.chunks_exact(2).map(Vec2::from_slice).collect();
            } else {
                mesh.attributes.push(attribute);
            }
        }
    }
}

/// A number that meshes can have: scanners write NaN where they know nothing.
fn finite(number: Option<f32>) -> f32 {
    number.filter(|number| number.is_finite()).unwrap_or(0.0)
}

/// Name of the two-component vertex attribute that is the second texture coordinate set.
pub(crate) const UV2: &str = "uv2";
