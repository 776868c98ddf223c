//! Hair in scenes: tubes and ribbons as single fibres; shaders written by MaterialX's generator.

use std::fs;
use std::path::Path;

use crate::program::{done, message, run};
use glam::Vec3;
use renderer::bsdf::{Hair, HairParameters, Lobe};
use renderer::color::Rgb;
use renderer::image::read;
use tempfile::TempDir;

const ABSORPTION: Rgb = Rgb::new(0.2, 0.5, 1.0);

/// The colour of a point at (0, 0, `z`) of `shape`, seen along −x, under a white sky of radiance 1.
fn radiance(folder: &Path, head: &str, shape: &str, z: f32, arguments: &str) -> Rgb {
    let scene = format!(
        "{head}
        film {{ size = (1, 1); filter = box; }}
        sampler {{ spp = 16384; adaptive = false; }}
        camera main : perspective {{ from = (9, 0, {z}); to = (0, 0, {z}); fov = 0.01; }}
        light sky : environment {{ color = (1, 1, 1); }}
        {shape}"
    );
    fs::write(folder.join("scene.kiln"), scene).unwrap();
    done(folder, &format!("render scene.kiln -o hair.exr --quiet {arguments}"));
    let image = read(&folder.join("hair.exr")).unwrap();
    let color: [f32; 3] = image.pixel(0, 0)[..3].try_into().unwrap();
    color.into()
}

/// A tube about y of radius 1 whose fibre axis points up.
fn tube(material: &str) -> String {
    format!(
        "material worn = {material}; shape fibre : cylinder {{ height = 90; material = worn; transform = rotate((1, 0, 0), 90) * translate(0, 0, -45); }}"
    )
}

/// A wall that faces x, with u along z.
fn ribbon(material: &str, turn: f32) -> String {
    format!(
        "material worn = {material}; shape fibre : rectangle {{ material = worn; transform = rotate((0, 1, 0), {turn}); }}"
    )
}

/// The albedo of a fibre at an offset, viewed perpendicular to its axis.
fn albedo(absorption: Rgb, h: f32) -> Rgb {
    let parameters = HairParameters { absorption, ..HairParameters::of_roughness(0.3, 0.3, 1.55) };
    Lobe::Hair(Hair::new(&parameters)).albedo(Vec3::new(0.0, -h, (1.0 - h * h).sqrt()))
}

#[track_caller]
fn close(found: Rgb, expected: Rgb, tolerance: f32) {
    let apart = (found - expected).map(f32::abs).max_component();
    assert!(apart <= tolerance, "{found:?} is not {expected:?}");
}

/// Light that enters a tube leaves it on the other side without a second scattering.
#[test]
fn a_tube_is_one_fibre() {
    let folder = TempDir::new().unwrap();
    let hair = tube("hair(absorption = (0.2, 0.5, 1), tilt = 0, direction = dPdv, tube = 1)");
    for h in [0.0, 0.5, 0.9] {
        for integrator in ["path", "photon"] {
            let found = radiance(folder.path(), "", &hair, h, &format!("--integrator {integrator}"));
            close(found, albedo(ABSORPTION, h), 0.01);
        }
    }
    // Without `tube`, light meets a second fibre on its exit, so that more is absorbed.
    let twice = tube("hair(absorption = (0.2, 0.5, 1), tilt = 0, direction = dPdv)");
    assert!(radiance(folder.path(), "", &twice, 0.0, "").g < 0.8 * albedo(ABSORPTION, 0.0).g);
}

/// A ribbon scatters light from either side to both sides.
#[test]
fn a_ribbon_is_one_fibre_from_both_sides() {
    let folder = TempDir::new().unwrap();
    for turn in [90.0, -90.0] {
        let hair = ribbon("hair(absorption = (0.2, 0.5, 1), tilt = 0)", turn);
        close(radiance(folder.path(), "", &hair, 0.0, ""), albedo(ABSORPTION, 0.0), 0.01);
    }
    let tube = ribbon("hair(absorption = (0.2, 0.5, 1), tube = 1)", -90.0);
    close(radiance(folder.path(), "", &tube, 0.0, ""), Rgb::WHITE, 1e-5);
}

/// The colour of a thick mass of hair is about the colour that its absorption was computed from, and pigments darken.
#[test]
fn hair_colour_and_pigments_set_the_absorption() {
    let folder = TempDir::new().unwrap();
    let fibre =
        |how: &str| radiance(folder.path(), "", &ribbon(&format!("hair(tilt = 0, {how})"), 90.0), 0.0, "");
    // Closed form (ln c / 5.8884)² for the roughness 0.3.
    let sigma = |c: f32| (c.ln() / 5.888_4).powi(2);
    let colored = albedo(Rgb::new(sigma(0.5), sigma(0.3), sigma(0.1)), 0.0);
    close(fibre("base_color = (0.5, 0.3, 0.1)"), colored, 0.01);
    // −ln(1 − 0.6), split between the pigments three to one.
    let amount = 0.916_29f32;
    let pigment = |black: f32, red: f32| amount * (0.75 * black + 0.25 * red);
    let brown = Rgb::new(pigment(0.506, 0.343), pigment(0.841, 0.733), pigment(1.653, 1.924));
    close(fibre("melanin = 0.6, redness = 0.25"), albedo(brown, 0.0), 0.01);
    close(fibre("melanin = 0"), albedo(Rgb::BLACK, 0.0), 1e-3);
}

/// Functions and structures as MaterialX's generator writes them for `chiang_hair_bsdf`; its roughnesses are variance
/// and scale.
const GENERATED: &str = "
struct vector2 { float x; float y; };
struct surfaceshader { closure color bsdf; closure color edf; float opacity; };
void mx_chiang_hair_roughness(float longitudinal, float azimuthal, float scale_TT, float scale_TRT,
    output vector2 roughness_R, output vector2 roughness_TT, output vector2 roughness_TRT)
{
    float lr = clamp(longitudinal, 0.001, 1.0);
    float ar = clamp(azimuthal, 0.001, 1.0);
    float deviation = 0.726 * lr + 0.812 * lr * lr + 3.7 * pow(lr, 20);
    float variance = deviation * deviation;
    float s = 0.265 * ar + 1.194 * ar * ar + 5.372 * pow(ar, 22);
    roughness_R = vector2(variance, s);
    roughness_TT = vector2(variance * scale_TT * scale_TT, s);
    roughness_TRT = vector2(variance * scale_TRT * scale_TRT, s);
}
void mx_chiang_hair_bsdf(color tint_R, color tint_TT, color tint_TRT, float ior,
    vector2 roughness_R, vector2 roughness_TT, vector2 roughness_TRT,
    float cuticle_angle, vector absorption_coefficient, normal N, vector U, output closure color bsdf)
{
#if (OSL_VERSION_MAJOR == 1 && OSL_VERSION_MINOR >= 14) || (OSL_VERSION_MAJOR > 1)
    bsdf = chiang_hair_bsdf(N, U, tint_R, tint_TT, tint_TRT, ior,
        roughness_R.x, roughness_TT.x, roughness_TRT.x, roughness_R.y, roughness_TT.y, roughness_TRT.y,
        cuticle_angle, absorption_coefficient);
#else
    bsdf = dielectric_bsdf(N, U, color(1), color(0), 0.1, 0.1, ior, \"ggx\");
#endif
}
shader made [[ string mtlx_category = \"surfacematerial\", string mtlx_name = \"Hair\" ]]
    (vector absorption = vector(0.2, 0.5, 1.0), float cuticle_angle = 0.5, output surfaceshader out = {0, 0, 1.0})
{
    vector2 r, tt, trt;
    mx_chiang_hair_roughness(0.3, 0.3, 0.5, 2.0, r, tt, trt);
    closure color fibre = 0;
    mx_chiang_hair_bsdf(color(1), color(1), color(1), 1.55, r, tt, trt, cuticle_angle, absorption, N, normalize(dPdu), fibre);
    out.bsdf = fibre;
}";

#[test]
fn generated_hair_shaders_match_hair() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::write(path.join("hair.osl"), GENERATED).unwrap();
    let said = message(&run(path, "check hair.osl"));
    assert_eq!(said, "", "nothing stands in for it");
    let head = "import \"hair.osl\";";
    close(
        radiance(path, head, &ribbon("made()", 90.0), 0.0, ""),
        albedo(ABSORPTION, 0.0),
        0.01,
    );
}

/// Cycles' hair has the roughnesses of the paper.
#[test]
fn cycles_hair_matches_hair() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    for name in ["hair_chiang", "principled_hair"] {
        let unit = format!(
            "shader made(output closure color out = 0)
            {{
                out = {name}(N, color(0.2, 0.5, 1), 0.3, 0.3, 1.0, 0.0, 1.55);
            }}"
        );
        fs::write(path.join("hair.osl"), unit).unwrap();
        let found = radiance(path, "import \"hair.osl\";", &ribbon("made()", 90.0), 0.0, "");
        close(found, albedo(ABSORPTION, 0.0), 0.01);
    }
}
