//! Shaders written by MaterialX's code generator: surfaces as structures, images with colour conversion in the shader,
//! spaces, attributes as arrays, the generator's header; and textures of glTF's material.

use std::fs;
use std::path::Path;

use crate::program::{done, message, refused, run};
use renderer::image::read;
use tempfile::TempDir;

/// The colour of a wall with `material` under a white sky of radiance 1, seen along its normal.
fn radiance(folder: &Path, unit: &str, material: &str) -> [f32; 3] {
    fs::write(folder.join("unit.osl"), unit).unwrap();
    let scene = format!(
        "import \"unit.osl\";
        film {{ size = (1, 1); filter = box; }}
        sampler {{ spp = 4096; adaptive = false; }}
        camera main : perspective {{ from = (2, 0, 5); to = (2, 0, 0); fov = 1; }}
        light sky : environment {{ color = (1, 1, 1); }}
        material worn = {material};
        shape wall : rectangle {{ material = worn; transform = translate(2, 0, 0); }}"
    );
    fs::write(folder.join("scene.kiln"), scene).unwrap();
    done(folder, "render scene.kiln -o wall.exr --quiet");
    let wall = read(&folder.join("wall.exr")).unwrap();
    wall.pixel(0, 0)[..3].try_into().unwrap()
}

#[track_caller]
fn close(found: [f32; 3], expected: [f32; 3], tolerance: f32) {
    let is_close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(is_close, "{found:?} is not {expected:?}");
}

/// Half of the surface's emission and half of the sky behind it, even if the unit returns early.
#[test]
fn a_surface_may_be_a_structure() {
    let folder = TempDir::new().unwrap();
    let unit = "struct surfaceshader { closure color bsdf; closure color edf; float opacity; };
        shader made(float opacity = 1, output surfaceshader out = {0, 0, 1.0})
        {
            out.edf = color(1, 0.5, 0) * uniform_edf(color(0.4));
            out.opacity = opacity;
            if (opacity > 0) return;
            out.edf = 0;
        }";
    let path = folder.path();
    close(radiance(path, unit, "made()"), [0.4, 0.2, 0.0], 1e-5);
    close(radiance(path, unit, "made(opacity = 0.5)"), [0.7, 0.6, 0.5], 0.02);
    let named = "group two(output closure color surface) { made m(opacity = 1); surface = m.out.edf; }
        shader last(output closure color o = 0) { o = 0; }";
    close(radiance(path, &format!("{unit} {named}"), "two()"), [0.4, 0.2, 0.0], 1e-5);
}

/// MaterialX's code converts colours itself and declares no colour space for data: an integer image is not decoded,
/// unless its colour space is set at run time.
#[test]
fn images_of_generated_code_are_not_decoded() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    image::GrayImage::from_pixel(4, 4, image::Luma([128]))
        .save(path.join("grey.png"))
        .unwrap();
    let unit = |metadata: &str| {
        format!(
            "struct resource {{ string file; string space; }};
            color look(resource r) {{ return texture(r.file, u, v, \"colorspace\", r.space); }}
            float data(resource r) {{ return texture(r.file, u, v); }}
            shader made {metadata} (string file = \"grey.png\", string none = \"\", string coded = \"srgb_texture\",
                output closure color out = 0)
            {{
                resource plain = {{file, none}}, encoded = {{file, coded}};
                out = color(data(plain), look(plain)[0], look(encoded)[0]) * emission();
            }}"
        )
    };
    let (raw, decoded) = (128.0 / 255.0, 0.21586);
    let generated = "[[ string mtlx_category = \"surfacematerial\", string mtlx_name = \"m\" ]]";
    close(radiance(path, &unit(generated), "made()"), [raw, raw, decoded], 1e-3);
    close(radiance(path, &unit(""), "made()"), [decoded; 3], 1e-3);
}

/// MaterialX calls object space `model` or `object`.
#[test]
fn model_space_is_object_space() {
    let folder = TempDir::new().unwrap();
    let unit = "shader made(string space = \"model\", output closure color out = 0)
        {
            out = color(transform(space, P)) * emission();
        }";
    close(radiance(folder.path(), unit, "made()"), [0.0; 3], 0.05);
    close(radiance(folder.path(), unit, "made(space = \"world\")"), [2.0, 0.0, 0.0], 0.05);
}

#[test]
fn a_missing_generator_header_is_named_in_the_error() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let unit = "#include \"mx_funcs.h\"\nshader made(output color out = 0) { out = twice(u); }";
    fs::write(path.join("unit.osl"), unit).unwrap();
    refused(path, "check unit.osl", &["cannot find `mx_funcs.h`", "genosl/include"]);
    fs::create_dir(path.join("include")).unwrap();
    let header = "float twice(float x) { float unused = 3; return 2 * x; }";
    fs::write(path.join("include/mx_funcs.h"), header).unwrap();
    let said = message(&run(path, "check -I include unit.osl"));
    assert_eq!(said, "", "whoever includes a header has not written it");
}

/// Mesh attributes of two and four floats can be read as arrays, for `geompropvalue` and vertex colours.
#[test]
fn geometry_attributes_can_be_read_as_arrays() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let mesh = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        property float red\nproperty float green\nproperty float blue\nproperty float alpha\n\
        property float u\nproperty float v\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
        -9 -9 0 0.1 0.2 0.3 0.5 0.25 0.75\n9 -9 0 0.1 0.2 0.3 0.5 0.25 0.75\n0 9 0 0.1 0.2 0.3 0.5 0.25 0.75\n3 0 1 2\n";
    fs::write(path.join("wall.ply"), mesh).unwrap();
    let unit = "shader made(output closure color out = 0)
        {
            float st[2], none[2] = {1, 1}, tint[4];
            int found = getattribute(\"uv\", st) + getattribute(\"color\", tint) + 4 * getattribute(\"nothing\", none);
            out = (found == 2) * color(st[0], st[1] * none[0], tint[3] + tint[2]) * emission();
        }";
    fs::write(path.join("unit.osl"), unit).unwrap();
    let scene = "import \"unit.osl\"; film { size = (1, 1); } sampler { spp = 1; } material m = made();
        camera main : perspective { from = (0, 0, 2); to = (0, 0, 0); fov = 1; }
        shape wall : mesh { file = \"wall.ply\"; material = m; }";
    fs::write(path.join("scene.kiln"), scene).unwrap();
    done(path, "render scene.kiln -o wall.exr --quiet");
    let wall = read(&path.join("wall.exr")).unwrap();
    close(wall.pixel(0, 0)[..3].try_into().unwrap(), [0.25, 0.75, 0.8], 1e-4);
}

/// The shipped unit of glTF's material reads data textures without colour conversion, like MaterialX's.
#[test]
fn roughness_textures_are_data() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let half = image::RgbImage::from_pixel(4, 4, image::Rgb([0, 0, 128]));
    half.save(path.join("half.png")).unwrap();
    let metal = |how: &str| {
        let material = format!("gltf_pbr(base_color = (1, 0, 0), roughness = 0, {how})");
        radiance(path, "shader none() {}", &material)
    };
    close(
        metal("metallic_roughness_texture = \"half.png\""),
        metal("metallic = 0.50196"),
        1e-3,
    );
}
