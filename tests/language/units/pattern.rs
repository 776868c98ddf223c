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

#[test]
fn pattern_units_are_as_in_cycles() {
    check(CYCLES);
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
        self.0.run(globals, &mut self.1);
        self.0.output(0, &self.1)
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
            let slope = [height(x + step, y) - height(x - step, y), height(x, y + step) - height(x, y - step)]
                .map(|rise| 0.1 * rise / (2.0 * step));
            let length = (1.0 + slope[0] * slope[0] + slope[1] * slope[1]).sqrt();
            height(x, y);
            let Const::Triple(n) = bumps.at(&globals) else {
                panic!("it has a normal");
            };
            let expected = [-slope[0] / length, -slope[1] / length, 1.0 / length];
            if n.iter().zip(expected).any(|(a, b)| (a - b).abs() > 0.05) {
                off.push((place, n, expected));
            }
        }
        if off.len() > edges {
            let _ = writeln!(wrong, "{pattern}: {} off, such as {:?}", off.len(), off[0]);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
