//! The shipped shader library: the files of `shaders/`, embedded in the program.

use std::sync::Arc;

use shading::{Library, Source};

macro_rules! library {
    ($($name:literal)*) => {
        /// Name and text of each file.
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../../shaders/", $name, ".ksl")))),*];
    };
}

library! {
    "absorbing"
    "ambient_occlusion"
    "attribute_color"
    "base_color"
    "blackbody"
    "blend"
    "blur"
    "brick"
    "bright_contrast"
    "bump"
    "bump_image"
    "bump_noise"
    "bump_waves"
    "by_ray_kind"
    "camera_data"
    "car_paint"
    "checker"
    "clamp"
    "clay"
    "cloud"
    "coated"
    "coated_diffuse"
    "color_correct"
    "color_mix"
    "color_ramp"
    "colored_metal"
    "combine_color"
    "combine_hsv"
    "combine_xyz"
    "curvature"
    "curves"
    "cutout"
    "displace"
    "displace_image"
    "displace_vector"
    "displaced_normal"
    "dots"
    "drops"
    "dust"
    "edge_wear"
    "emitter"
    "fabric"
    "facing"
    "fbm"
    "filled"
    "fire"
    "flakes"
    "fog"
    "fresnel"
    "gamma"
    "glass"
    "gltf_pbr"
    "gradient"
    "hair"
    "hexagons"
    "hue_saturation"
    "image"
    "invert"
    "layer_weight"
    "leather"
    "light_path"
    "lightmap"
    "lightmap_sh"
    "luminous"
    "magic"
    "map_range"
    "mapping"
    "marble"
    "math"
    "matte"
    "metal"
    "milk"
    "mirror_surface"
    "mix"
    "normal_map"
    "object_info"
    "ocean_water"
    "openpbr_surface"
    "place_uv"
    "plastic"
    "polished_stone"
    "principled"
    "principled_thin"
    "ramp"
    "random_object"
    "ray_switch"
    "remap"
    "rough_matte"
    "rust"
    "scatterer"
    "scratches"
    "separate_color"
    "separate_hsv"
    "separate_xyz"
    "show_cost"
    "show_depth"
    "show_facing"
    "show_missing"
    "show_normals"
    "show_occlusion"
    "show_uv"
    "show_wireframe"
    "sides"
    "skin"
    "smoke"
    "soft_terminator"
    "standard_surface"
    "stripes"
    "terrain"
    "texture_coordinates"
    "thin_glass"
    "tiles"
    "translucent_sheet"
    "triplanar"
    "turbulence"
    "undisplaced"
    "usd_preview_surface"
    "vector_math"
    "vector_rotate"
    "velvet"
    "voronoi"
    "warp"
    "wave"
    "wavelength"
    "wax"
    "weave"
    "white_noise"
    "wood"
}

/// Returns the source of a shipped unit or group.
pub fn find(name: &str) -> Option<Arc<Source>> {
    let (name, text) = FILES.iter().find(|(file, _)| *file == name)?;
    Some(Source::new(format!("shaders/{name}.ksl"), *text))
}

/// Names of all shipped units and groups.
pub fn names() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

/// The library as input of the shading system.
pub const LIBRARY: Library = Library { find, names };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_every_file() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".ksl")?.to_owned()))
            .collect();
        files.sort();
        let mut listed = names();
        listed.sort_unstable();
        assert_eq!(listed, files);
    }
}
