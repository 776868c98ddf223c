//! Lightmap layouts: channels, coverage, and range of stored values.

use super::*;

#[test]
fn layouts_hold_the_same_light_in_engine_channels() {
    let folder = folder();
    let at = folder.path();
    for order in [1, 2] {
        let of = |layout: &str| at.join(format!("{layout}{order}"));
        for layout in ["rgba", "channels", "coefficients", "packed"] {
            done(
                at,
                &format!("{SMALL} --include both --order {order} --layout {layout} -o {layout}{order}"),
            );
            let names: Vec<String> = files(&of(layout)).into_keys().collect();
            let manifest = manifest(&of(layout));
            assert_eq!(manifest["atlas"]["layout"], layout);
            let mut listed: Vec<&str> = manifest["files"]
                .as_array()
                .unwrap()
                .iter()
                .map(|f| f.as_str().unwrap())
                .collect();
            listed.push("bake.json");
            listed.sort_unstable();
            assert_eq!(names, listed);
            for name in names.iter().filter(|name| name.ends_with(".exr")) {
                let image = read_channels(&of(layout).join(name)).unwrap();
                let channels: Vec<&str> = image.planes.iter().map(|plane| plane.0.as_str()).collect();
                // three.js's EXRLoader reads only channels named R, G, B and A; `channels` is for other programs.
                let for_engines = ["R", "G", "B"].iter().all(|c| channels.contains(c))
                    && channels.iter().all(|c| ["R", "G", "B", "A"].contains(c));
                assert!(
                    for_engines || layout == "channels" && name.starts_with("sh_"),
                    "{name}: {channels:?}"
                );
            }
        }
        done(at, &format!("{SMALL} --include both --order {order} -o default"));
        same(&files(&at.join("default")), &files(&of("rgba")), "default");
        let rgba = planes(&of("rgba"));
        assert_eq!(rgba.len(), 3 * if order == 1 { 4 } else { 9 } + 3 + 4 + 3);
        for layout in ["channels", "coefficients"] {
            assert!(planes(&of(layout)) == rgba, "{layout} differs");
        }
        let packed = planes(&of("packed"));
        for (name, plane) in &packed {
            let of = |tone: &str, i: usize| rgba[&name.replace(".luminance", tone)][i];
            match name.strip_suffix(".luminance") {
                Some(_) => {
                    for (i, &v) in plane.iter().enumerate() {
                        let luminance = 0.2126 * of(".r", i) + 0.7152 * of(".g", i) + 0.0722 * of(".b", i);
                        assert!(
                            (v - luminance).abs() < 2e-3 * luminance.abs() + 1e-6,
                            "{name}: {v} {luminance}"
                        );
                    }
                }
                None => assert!(name == "used" || *plane == rgba[name], "{name}"),
            }
        }
        // No stored coefficient exceeds the bound for non-negative radiance.
        for tone in ["r", "g", "b"] {
            let constant = &rgba[&format!("L00.{tone}")];
            for (i, &l00) in constant.iter().enumerate() {
                let linear = ["L1m1", "L10", "L11"].map(|name| f64::from(rgba[&format!("{name}.{tone}")][i]));
                let length = linear.iter().map(|v| v * v).sum::<f64>().sqrt();
                assert!(
                    length <= 3f64.sqrt() * f64::from(l00) && l00.is_finite(),
                    "{tone} {i}: {linear:?} {l00}"
                );
            }
        }
    }
}

#[test]
fn coverage_marks_baked_texels() {
    let folder = folder();
    let at = folder.path();
    done(at, &format!("{SMALL} --layout packed -o out"));
    let manifest = manifest(&at.join("out"));
    let coverage = &manifest["atlas"]["coverage"];
    let image = image_bytes(&at.join("out").join(coverage["file"].as_str().unwrap()));
    let used = &planes(&at.join("out"))["used"];
    let irradiance = read(&at.join("out/irradiance.exr")).unwrap();
    let mut found: BTreeMap<u8, usize> = BTreeMap::new();
    for (i, &value) in image.iter().enumerate() {
        *found.entry(value).or_default() += 1;
        let has_light = value == 255 || value == 192 || value == 128;
        assert_eq!(used[i] == 1.0, has_light, "texel {i}: {value}");
        assert!(has_light || irradiance.data[3 * i..3 * i + 3] == [0.0; 3]);
    }
    let values = coverage["values"].as_object().unwrap();
    assert_eq!(values.len(), 5);
    for (name, value) in values {
        let count = found.remove(&(value.as_u64().unwrap() as u8)).unwrap_or(0);
        assert_eq!(coverage["texels"][name], count, "{name}");
        // The ball rests on the floor: both are partly occluded, and no object is completely occluded.
        assert_eq!(count > 0, name != "dark", "{name}");
    }
    assert!(found.is_empty(), "{found:?}");
}

/// The bytes of a greyscale image.
fn image_bytes(path: &Path) -> Vec<u8> {
    let image = read(path).unwrap();
    assert_eq!(image.channels, 1);
    image.data.iter().map(|v| (v * 255.0).round() as u8).collect()
}

#[test]
fn the_plain_lightmap_clips_few_values() {
    let folder = folder();
    let at = folder.path();
    done(at, &format!("{SMALL} --include both -o out"));
    let manifest = manifest(&at.join("out"));
    let lightmap = &manifest["atlas"]["lightmap"];
    let intensity = lightmap["intensity"].as_f64().unwrap();
    let irradiance = read(&at.join("out/irradiance.exr")).unwrap();
    let pixels = irradiance.data.chunks_exact(3).map(|p| f64::from(p[0].max(p[1]).max(p[2])));
    let lit: Vec<f64> = pixels.filter(|&v| v > 0.0).collect();
    // Rounding to half floats is a relative error of 1/2000.
    let clipped = lit.iter().filter(|&&v| v > 1.001 * intensity).count() as f64 / lit.len() as f64;
    assert!(clipped <= 0.001, "{clipped} clipped");
    let said = lightmap["clipped_share_of_lit_texels"].as_f64().unwrap();
    assert!((said - clipped).abs() < 1e-3, "{said} for {clipped}");

    // The model's image list names the float image and embeds the other one.
    let glb = fs::read(at.join("out/scene.glb")).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let document: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    assert_eq!(document["extensionsUsed"], serde_json::json!(["MOZ_lightmap"]));
    for material in document["materials"].as_array().unwrap() {
        let moz = &material["extensions"]["MOZ_lightmap"];
        assert!((moz["intensity"].as_f64().unwrap() - intensity).abs() < 1e-6);
        assert_eq!(material["extras"]["lightmap"]["uri"], "irradiance.exr");
    }
    let view = &document["bufferViews"][document["images"][0]["bufferView"].as_u64().unwrap() as usize];
    let start = 28 + length + view["byteOffset"].as_u64().unwrap() as usize;
    let png = &glb[start..start + view["byteLength"].as_u64().unwrap() as usize];
    fs::write(at.join("lightmap.png"), png).unwrap();
    let plain = read(&at.join("lightmap.png")).unwrap().into_linear();
    for (&value, &e) in plain.data.iter().zip(&irradiance.data) {
        let (value, e) = (f64::from(value), f64::from(e) / intensity);
        assert!((value - e).abs() < 0.005 || e > 1.0 && value == 1.0, "{value} for {e}");
    }
}

#[test]
fn light_beyond_half_float_range_is_stored_in_floats() {
    let folder = folder();
    let at = folder.path();
    for (radiance, precision) in [("5", "half"), ("1e6", "float"), ("1e-5", "float")] {
        let scene = SCENE.replace("radiance = 5", &format!("radiance = {radiance}"));
        fs::write(at.join("a.kiln"), scene).unwrap();
        done(at, &format!("{SMALL} --include both -o out"));
        assert_eq!(manifest(&at.join("out"))["atlas"]["precision"], precision);
        let irradiance = read(&at.join("out/irradiance.exr")).unwrap();
        let greatest = irradiance.data.iter().fold(0f32, |m, &v| m.max(v));
        let expected = radiance.parse::<f32>().unwrap();
        assert!((0.2..4.0).contains(&(greatest / expected)), "{greatest} of {radiance}");
        assert_eq!(irradiance.non_finite(), 0);
    }
}
