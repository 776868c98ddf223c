//! Units of colours.

use super::{Value, check};

/// Values of Cycles 5.3: an emissive plane of the node with the same inputs.
#[rustfmt::skip]
const CYCLES: &[Value] = &[
    ("mix(mode = \"mix\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.4, 0.46, 0.52]),
    ("mix(mode = \"darken\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.2, 0.46, 0.52]),
    ("mix(mode = \"multiply\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.176, 0.38, 0.512]),
    ("mix(mode = \"burn\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.090909, 0.34211, 0.6875]),
    ("mix(mode = \"lighten\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.4, 0.5, 0.8]),
    ("mix(mode = \"screen\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.424, 0.58, 0.808]),
    ("mix(mode = \"dodge\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.27778, 0.59524, 0.83333]),
    ("mix(mode = \"add\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.48, 0.66, 0.84]),
    ("mix(mode = \"overlay\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.232, 0.46, 0.736]),
    ("mix(mode = \"soft_light\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.2256, 0.48, 0.7488]),
    ("mix(mode = \"linear_light\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.36, 0.42, 0.48]),
    ("mix(mode = \"difference\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.32, 0.34, 0.76]),
    ("mix(mode = \"exclusion\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.368, 0.5, 0.776]),
    ("mix(mode = \"subtract\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[-0.08, 0.34, 0.76]),
    ("mix(mode = \"divide\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.23429, 0.8, 3.68]),
    ("mix(mode = \"hue\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.44, 0.5, 0.56]),
    ("mix(mode = \"saturation\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.16571, 0.48286, 0.8]),
    ("mix(mode = \"colour\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.44, 0.48286, 0.52571]),
    ("mix(mode = \"value\", a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 0.4)", "result", &[0.19, 0.475, 0.76]),
    ("hue_saturation(input = (0.2, 0.5, 0.8), hue = 0.6, saturation = 1.2, value = 0.8, amount = 1)", "result", &[0.1216, 0.064, 0.64]),
    ("hue_saturation(input = (0.2, 0.5, 0.8), hue = 0.1, saturation = 0.5, value = 1.5, amount = 0.7)", "result", &[0.8685, 0.99, 0.765]),
    ("bright_contrast(input = (0.2, 0.5, 0.8), bright = 0.1, contrast = 0.3)", "result", &[0.21, 0.6, 0.99]),
    ("gamma(input = (0.2, 0.5, 0.8), exponent = 2.2)", "result", &[0.028991, 0.21764, 0.61207]),
    ("invert(input = (0.2, 0.5, 0.8), amount = 0.7)", "result", &[0.62, 0.5, 0.38]),
    ("wavelength(nanometres = 450)", "result", &[0.058573, 0.0, 0.74762]),
    ("wavelength(nanometres = 520)", "result", &[0.0, 0.50549, 0.0]),
    ("wavelength(nanometres = 600)", "result", &[0.98098, 0.061206, 0.0]),
];

/// Values computed by hand.
#[rustfmt::skip]
const FORMULAS: &[Value] = &[
    ("ramp(t = 0.25)", "value", &[0.25]),
    ("ramp(t = 0.6, positions = {0.2, 0.4, 0.8}, colors = {color(0), color(1, 0, 0), color(0, 1, 2)})", "result", &[0.5, 0.5, 1.0]),
    ("ramp(t = 0.6, positions = {0.2, 0.4, 0.8}, colors = {color(0), color(1, 0, 0), color(0, 1, 2)}, interpolation = \"constant\")", "result", &[1.0, 0.0, 0.0]),
    ("ramp(t = 0.4, positions = {0.2, 0.4, 0.8}, colors = {color(0), color(1, 0, 0), color(0, 1, 2)}, interpolation = \"constant\")", "result", &[1.0, 0.0, 0.0]),
    ("ramp(t = 0.5, positions = {0.2, 0.4, 0.8}, colors = {color(0), color(1, 0, 0), color(0, 1, 2)}, interpolation = \"smooth\")", "result", &[0.84375, 0.15625, 0.3125]),
    ("ramp(t = 0.1, positions = {0.2, 0.4}, colors = {color(3), color(1)})", "value", &[3.0]),
    ("ramp(t = 0.9, positions = {0.2, 0.4}, colors = {color(3), color(1)})", "value", &[1.0]),
    ("curves(input = (0.2, 0.5, 1.5))", "result", &[0.2, 0.5, 1.0]),
    ("curves(input = (0.25, 0.5, 0.75), positions = {0, 0.5, 1}, values = {color(0), color(0.8), color(1)})", "result", &[0.46, 0.8, 0.915]),
    ("curves(input = (0.25, 0.5, 0.75), positions = {0, 0.5, 1}, values = {color(0), color(0.8), color(1)}, amount = 0.5)", "result", &[0.355, 0.65, 0.8325]),
    ("mix(a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 2)", "result", &[0.7, 0.4, 0.1]),
    ("mix(a = (0.2, 0.5, 0.8), b = (0.7, 0.4, 0.1), amount = 2, clamp_amount = 0, clamp_result = 1)", "result", &[1.0, 0.3, 0.0]),
    ("invert(input = (0.2, 0.5, 0.8))", "result", &[0.8, 0.5, 0.2]),
    ("separate_hsv(input = (0.2, 0.5, 0.8))", "hue", &[0.58333]),
    ("separate_hsv(input = (0.2, 0.5, 0.8))", "saturation", &[0.75]),
    ("separate_hsv(input = (0.2, 0.5, 0.8))", "value", &[0.8]),
    ("combine_hsv(hue = 1.58333, saturation = 0.75, value = 0.8)", "result", &[0.2, 0.5, 0.8]),
    ("separate_color(input = (0.2, 0.5, 0.8))", "green", &[0.5]),
    ("separate_color(input = (0.2, 0.5, 0.8))", "grey", &[0.45788]),
    ("combine_color(red = 0.2, green = 0.5, blue = 0.8)", "result", &[0.2, 0.5, 0.8]),
    ("blackbody(temperature = 3000, absolute = 1)", "result", &[246272.6, 117305.6, 37833.6]),
    // Colours by Planck's law; Cycles' polynomial fits differ by up to 0.4 %.
    ("blackbody(temperature = 1500, intensity = 2)", "result", &[6.50302, 0.864, 0.0]),
    ("blackbody(temperature = 6500)", "result", &[1.04398, 0.98337, 1.03532]),
];

#[test]
fn color_units_match_cycles() {
    check(CYCLES);
}

#[test]
fn color_units_match_their_formulas() {
    check(FORMULAS);
}
