//! Units of patterns.

use super::{Value, check};

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
