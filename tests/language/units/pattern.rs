//! Units of patterns.

use std::fmt::Write as _;
use std::sync::Arc;

use language_support::shipped;
use shading::hir::Const;
use shading::{InstanceOptions, NoHost, ShaderGlobals, ShadingSystem, Source};

use super::{Value, check, point};

/// Values of Cycles 5.3: an emissive plane of the node with the same inputs.
#[rustfmt::skip]
const CYCLES: &[Value] = &[
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"bands\", direction = \"x\", profile = \"sine\", scale = 1.3, phase = 0.7)", "value", &[0.44788]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"bands\", direction = \"x\", profile = \"saw\", scale = 1.3, phase = 0.7)", "value", &[0.76662]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"bands\", direction = \"x\", profile = \"triangle\", scale = 1.3, phase = 0.7)", "value", &[0.46676]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"bands\", direction = \"diagonal\", profile = \"sine\", scale = 1.3, phase = 0.7)", "value", &[0.28832]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"bands\", direction = \"diagonal\", profile = \"saw\", scale = 1.3, phase = 0.7)", "value", &[0.18043]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"bands\", direction = \"diagonal\", profile = \"triangle\", scale = 1.3, phase = 0.7)", "value", &[0.36085]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"rings\", direction = \"y\", profile = \"sine\", scale = 1.3, phase = 0.7)", "value", &[0.3069]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"rings\", direction = \"y\", profile = \"saw\", scale = 1.3, phase = 0.7)", "value", &[0.18689]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"rings\", direction = \"y\", profile = \"triangle\", scale = 1.3, phase = 0.7)", "value", &[0.37379]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"rings\", direction = \"spherical\", profile = \"sine\", scale = 1.3, phase = 0.7)", "value", &[0.8463]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"rings\", direction = \"spherical\", profile = \"saw\", scale = 1.3, phase = 0.7)", "value", &[0.37177]),
    ("wave(position = point(0.4, -0.3, 0.9), kind = \"rings\", direction = \"spherical\", profile = \"triangle\", scale = 1.3, phase = 0.7)", "value", &[0.74354]),
    ("wave(position = point(0.4, -0.3, 0.9), scale = 1.3, distortion = 4, detail = 2.5, detail_scale = 1.5, detail_roughness = 0.6)", "value", &[0.87326]),
    ("magic(position = point(0.4, -0.3, 0.9), scale = 1.3, depth = 0, distortion = 1)", "result", &[0.39244, 0.78049, 0.73426]),
    ("magic(position = point(0.4, -0.3, 0.9), scale = 1.3, depth = 2, distortion = 1)", "result", &[0.53293, 0.97653, 0.73426]),
    ("magic(position = point(0.4, -0.3, 0.9), scale = 1.3, depth = 5, distortion = 1.5)", "result", &[0.97733, 0.5607, 0.48904]),
    ("magic(position = point(0.4, -0.3, 0.9), scale = 1.3, depth = 10, distortion = 0.7)", "result", &[0.96749, 0.33832, 0.66622]),
];

/// Values at the ends of parameters.
#[rustfmt::skip]
const LIMITS: &[Value] = &[
    // Cycles has 15 octaves at most. The positions of 1000 would not be finite.
    ("wave(position = point(0.4, -0.3, 0.9), distortion = 4, detail = 15)", "value", &[0.56474]),
    ("wave(position = point(0.4, -0.3, 0.9), distortion = 4, detail = 1000)", "value", &[0.56474]),
];

#[test]
fn pattern_units_are_as_in_cycles() {
    check(CYCLES);
}

#[test]
fn parameters_of_patterns_have_ends() {
    check(LIMITS);
}

/// The masks of large drops do not end at the borders of their cells: points on both sides have the same.
#[test]
fn drops_are_not_cut() {
    let system = shipped::system(Arc::new(NoHost));
    let text =
        "group wet(output float result) { drops it(scale = 1, amount = 1, size = 0.5); result = it.mask; }";
    let mut mask = Probe::new(&system, text.to_owned());
    let mut at = |s: f32, t: f32| {
        let mut globals = point();
        (globals.u, globals.v) = (s, t);
        match mask.at(&globals) {
            Const::Float(mask) => mask,
            other => panic!("{other:?}"),
        }
    };
    let mut cut = 0;
    for i in 0..400_u16 {
        let (along, border) = (0.0371 * f32::from(i), f32::from(i % 20));
        let near = 1e-4;
        let is_cut = |a: f32, b: f32| (a - b).abs() > 0.1;
        cut += usize::from(is_cut(at(along, border - near), at(along, border + near)));
        cut += usize::from(is_cut(at(border - near, along), at(border + near, along)));
    }
    assert_eq!(cut, 0);
}

/// Heights of patterns, and how many of 100 points may lie where the height has an edge.
#[rustfmt::skip]
const HEIGHTS: &[(&str, &str, usize)] = &[
    ("wave it()", "value", 0),
    ("wave it(distortion = 3)", "value", 0),
    ("wave it(kind = \"rings\", profile = \"triangle\")", "value", 1),
    ("wave it(direction = \"diagonal\", profile = \"saw\")", "value", 1),
    ("magic it()", "value", 0),
    ("magic it(scale = 0.5, depth = 10, distortion = 1.5)", "value", 0),
    ("voronoi it(scale = 3)", "nearest", 2),
    ("fbm it()", "value", 0),
    ("turbulence it()", "value", 2),
    ("leather it(scale = 2)", "height", 3),
    ("rust it(scale = 0.1)", "height", 1),
    ("weave it(scale = 3)", "height", 4),
    ("drops it(scale = 2)", "height", 4),
    ("scratches it(scale = 2, width = 0.1)", "height", 3),
    ("dust it(up = vector(0, 0, 1), scale = 0.02)", "mask", 0),
];

/// A group of one output.
struct Probe(Arc<shading::ShaderInstance>, shading::ShadingContext);

impl Probe {
    fn new(system: &ShadingSystem, text: String) -> Probe {
        let loaded = system.load(Source::new("probe.ksl", text));
        let loaded = loaded.unwrap_or_else(|errors| panic!("{errors}"));
        let instance = system.instantiate(loaded.templates[0].clone(), &InstanceOptions::default());
        Probe(instance.unwrap_or_else(|errors| panic!("{errors}")), system.context())
    }

    fn at(&mut self, globals: &ShaderGlobals) -> Const {
        self.0.run(globals, &mut self.1).unwrap();
        self.0.output(0, &self.1).unwrap()
    }
}

/// A bump of a pattern is tilted by the slopes that two more points show.
#[test]
fn bumps_of_patterns_follow_their_slopes() {
    let mut wrong = String::new();
    for &(pattern, output, edges) in HEIGHTS {
        let system = shipped::system(Arc::new(NoHost));
        let text = format!("group heights(output float result) {{ {pattern}; result = it.{output}; }}");
        let mut heights = Probe::new(&system, text);
        let text = format!(
            "group bumps(output normal result) {{ {pattern}; bump relief(height = it.{output}, distance = 0.1); result = relief.n; }}"
        );
        let mut bumps = Probe::new(&system, text);
        let mut off = vec![];
        for i in 0..100_u16 {
            let place = [0.0137 * f32::from(i), 0.0291 * f32::from(i)];
            let mut globals = point();
            let mut height = |x: f32, y: f32| {
                globals.p = [x, y, 0.1].into();
                (globals.u, globals.v) = (x, y);
                match heights.at(&globals) {
                    Const::Float(height) => height,
                    other => panic!("{other:?}"),
                }
            };
            let [x, y] = place;
            let step = 1e-3;
            let slope =
                [height(x + step, y) - height(x - step, y), height(x, y + step) - height(x, y - step)]
                    .map(|rise| 0.1 * rise / (2.0 * step));
            let length = (1.0 + slope[0] * slope[0] + slope[1] * slope[1]).sqrt();
            height(x, y);
            let Const::Triple(n) = bumps.at(&globals) else {
                panic!("it has a normal");
            };
            let expected = [-slope[0] / length, -slope[1] / length, 1.0 / length];
            let is_close = |(a, b): (&f32, f32)| (a - b).abs() <= 0.05;
            if !n.iter().zip(expected).all(is_close) {
                off.push((place, n, expected));
            }
        }
        if off.len() > edges {
            let _ = writeln!(wrong, "{pattern}: {} off, such as {:?}", off.len(), off[0]);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
