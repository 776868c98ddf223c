//! Point clouds in generated units: a small cloud of the test host, and the operations that search it, as
//! the checker emits them.

use std::sync::{Arc, LazyLock};

use shading::builtins::Builtin as B;
use shading::hir::kind::Element;
use shading::hir::{Block, Const, Kind, LocalId, Op, Operand, Stmt};
use shading::{CloudSearch, CloudValues, PointCloud, Span};

use super::{Writer, assign};

/// Five points with an attribute of each type.
pub(super) struct TestCloud;

static NAMES: LazyLock<Vec<Arc<str>>> = LazyLock::new(|| ["", "wood", "naïve"].map(Arc::from).to_vec());

/// The numbers of all points: five matrices; pairs are the first of these numbers.
static FLOATS: LazyLock<Vec<f32>> = LazyLock::new(|| (0..80).map(|i| i as f32 / 8.0 - 3.0).collect());

/// Names of attributes, and one name that is not an attribute.
const ATTRIBUTES: [&str; 9] = ["position", "wood", "wear", "tint", "label", "pair", "frame", "index", "none"];

const POSITIONS: [[f32; 3]; 5] =
    [[0.0; 3], [1.0, 0.0, 0.0], [0.5, -1.0, 2.0], [1.0, 0.0, 0.0], [-3.0, 2.0, 1.0]];

impl PointCloud for TestCloud {
    fn count(&self) -> usize {
        POSITIONS.len()
    }

    fn search(&self, search: &CloudSearch, found: &mut [(f32, u32)]) -> usize {
        let mut near: Vec<(f32, u32)> = (0..)
            .zip(POSITIONS)
            .map(|(index, p)| ([0, 1, 2].map(|i| (p[i] - search.center[i]).powi(2)).iter().sum(), index))
            .filter(|(d2, _)| *d2 <= search.radius * search.radius)
            .collect();
        near.sort_by(|a, b| a.partial_cmp(b).expect("distances are numbers"));
        let count = near.len().min(found.len());
        found[..count].copy_from_slice(&near[..count]);
        count
    }

    fn values(&self, name: &str) -> Option<CloudValues<'_>> {
        match name {
            "position" => Some(CloudValues::Triples(&POSITIONS)),
            "wood" => Some(CloudValues::Ints(&[3, -1, 0, i32::MAX, 7])),
            "wear" => Some(CloudValues::Floats(&[0.5, 1e20, -0.0, 2.0, 1e-40])),
            "tint" => Some(CloudValues::Triples(&[[0.25, 0.5, 0.75]; 5])),
            "label" => Some(CloudValues::Texts { list: &NAMES, indices: &[1, 0, 2, 3, -1] }),
            "pair" => Some(CloudValues::Arrays(2, &FLOATS[..10])),
            "frame" => Some(CloudValues::Arrays(16, &FLOATS)),
            _ => None,
        }
    }

    fn names(&self) -> Vec<String> {
        ATTRIBUTES[..7].iter().map(|&name| name.to_owned()).collect()
    }
}

/// Element types of attributes.
const VALUES: [Element; 5] =
    [Element::Int, Element::Float, Element::Triple, Element::Matrix, Element::String];

impl Writer<'_> {
    /// Generates a search, and an array for its results.
    pub(super) fn cloud(&mut self, out: &mut Block) {
        let file = match self.random.once_in(4) {
            true => self.operand(Kind::STRING),
            false => self.constant(Const::String("wood".into())),
        };
        // Without an array of indices, the points are only counted.
        let places = self.random.below(5) as i32;
        let found = self.local(Kind::Array(Element::Int, places as u32 + 1));
        let [center, radius, most, sort] =
            [Kind::TRIPLE, Kind::FLOAT, Kind::INT, Kind::INT].map(|kind| self.operand(kind));
        let search = vec![file, center, radius, most, sort];
        out.push(assign(found, Op::Builtin(B::CloudSearch), search));
        let count = self.target(Kind::INT);
        let last = self.constant(Const::Int(places));
        out.push(assign(count, Op::ArrayGet, vec![Operand::Local(found), last]));

        let element = *self.random.pick(&VALUES);
        let room = 1 + self.random.below(if element == Element::Float { 20 } else { 4 }) as u32;
        let values = self.target(Kind::Array(element, room));
        let points = [file, Operand::Local(found), Operand::Local(count)];
        if element == Element::Float && self.random.once_in(2) {
            let mut args = vec![Operand::Local(values)];
            args.extend(points);
            args.push(center);
            out.push(assign(values, Op::Builtin(B::CloudDistances), args));
        } else {
            self.cloud_values(values, points, out);
        }
    }

    /// Fills an array with an attribute, if there is one of its type.
    fn cloud_values(&mut self, values: LocalId, [file, indices, count]: [Operand; 3], out: &mut Block) {
        let name = *self.random.pick(&ATTRIBUTES);
        let name = self.constant(Const::String(name.into()));
        let kind = Kind::of(self.code.locals[values].ty).map_or(0, Kind::code);
        let kind = self.constant(Const::Int(kind));
        let has = self.target(Kind::INT);
        let asked = vec![file, indices, count, name, kind];
        out.push(assign(has, Op::Builtin(B::HasCloudValues), asked));
        let args = vec![Operand::Local(values), file, indices, count, name];
        out.push(Stmt::If {
            condition: Operand::Local(has),
            then: vec![assign(values, Op::Builtin(B::CloudValues), args)],
            otherwise: vec![],
        });
    }

    /// Generates the writing of a point.
    pub(super) fn written_point(&mut self, out: &mut Block) {
        let mut args = vec![self.operand(Kind::STRING), self.operand(Kind::TRIPLE)];
        for _ in 0..self.random.below(3) {
            let element = *self.random.pick(&VALUES);
            args.push(self.operand(Kind::STRING));
            args.push(self.operand(Kind::One(element)));
        }
        let target = self.target(Kind::INT);
        out.push(Stmt::Op {
            dst: Some(target),
            op: Op::Builtin(B::CloudWrite),
            args,
            span: Span::default(),
        });
    }
}
