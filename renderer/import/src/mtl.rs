//! MTL parser: material libraries of OBJ files as plain data.

use std::path::{Path, PathBuf};

use super::obj_text::{NamedFiles, logical_lines, numbers};
use renderer_base::files::{Budget, FormatError, OverBudget, text_of};

/// Texture map of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjMap {
    /// Image file.
    pub file: PathBuf,
    /// `-s`: scale of texture coordinates, applied first.
    pub scale: [f32; 2],
    /// `-o`: offset of texture coordinates, applied after the scale.
    pub offset: [f32; 2],
    /// `-clamp on`: border texels are repeated outside of the image.
    pub clamps: bool,
    /// `-bm`: factor of slopes.
    pub strength: f32,
}

/// Material of an MTL file. Colours are as in the file and taken as linear; statements that are missing are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjMaterial {
    /// `newmtl`.
    pub name: String,
    /// `Ka`.
    pub ambient: Option<[f32; 3]>,
    /// `Kd`.
    pub diffuse: Option<[f32; 3]>,
    /// `Ks`.
    pub specular: Option<[f32; 3]>,
    /// `Ke`: radiance.
    pub emission: Option<[f32; 3]>,
    /// `Tf`: transmitted colour.
    pub transmission: Option<[f32; 3]>,
    /// `Ns`: the exponent of the highlight.
    pub shininess: Option<f32>,
    /// `Ni`: the index of refraction.
    pub ior: Option<f32>,
    /// `d`: opacity.
    pub dissolve: Option<f32>,
    /// `Tr`: transparency, used if there is no `d`.
    pub transparency: Option<f32>,
    /// `illum`: 0 flat, 1 diffuse, 2 with highlights, 3–9 with reflection, refraction or both.
    pub illumination: Option<u32>,
    /// `Pr`: roughness.
    pub roughness: Option<f32>,
    /// `Pm`: metalness.
    pub metallic: Option<f32>,
    /// `Pc`: strength of the clear coat.
    pub clearcoat: Option<f32>,
    /// `Pcr`: roughness of the clear coat.
    pub clearcoat_roughness: Option<f32>,
    /// `Ps`: strength of the sheen.
    pub sheen: Option<f32>,
    /// `aniso`: anisotropy of highlights.
    pub anisotropy: Option<f32>,
    /// `anisor`: direction of the anisotropy, in turns.
    pub anisotropy_rotation: Option<f32>,
    /// `map_Kd`; image paths are relative to the directory of the library.
    pub diffuse_map: Option<ObjMap>,
    /// `map_Ks`.
    pub specular_map: Option<ObjMap>,
    /// `map_Ke`.
    pub emission_map: Option<ObjMap>,
    /// `map_Ns`.
    pub shininess_map: Option<ObjMap>,
    /// `map_refl` or `refl`.
    pub reflection_map: Option<ObjMap>,
    /// `map_d`.
    pub dissolve_map: Option<ObjMap>,
    /// `map_Pr`.
    pub roughness_map: Option<ObjMap>,
    /// `map_Pm`.
    pub metallic_map: Option<ObjMap>,
    /// `map_bump` or `bump`: heights or normals.
    pub bump_map: Option<ObjMap>,
    /// `norm`: normals in the tangent frame.
    pub normal_map: Option<ObjMap>,
}

/// Memory of a material, here and as a call of a unit [bytes].
const MATERIAL_BYTES: usize = 4096;

/// Parses a material library; `path` is its name in warnings and the base of image paths. An invalid statement is
/// skipped with a warning: the surface can be shown without it.
///
/// # Errors
/// If the content exceeds the budget.
pub(super) fn parse_mtl(
    files: &NamedFiles<'_>,
    bytes: &[u8],
    path: &Path,
    (warnings, budget): (&mut Vec<String>, &Budget),
) -> Result<Vec<ObjMaterial>, OverBudget> {
    let text = text_of(bytes);
    let mut materials: Vec<ObjMaterial> = Vec::new();
    for (number, line) in logical_lines(&text) {
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        let rest = rest.trim();
        if keyword == "newmtl" {
            budget.allocate("materials", 1, MATERIAL_BYTES + 4 * rest.len())?;
            materials.push(ObjMaterial { name: rest.to_owned(), ..ObjMaterial::default() });
            continue;
        }
        let done = match materials.last_mut() {
            Some(material) => statement(files, material, keyword, rest, path),
            None => Err("it comes before the first `newmtl`".to_owned()),
        };
        if let Err(reason) = done {
            let place = FormatError::Syntax {
                path: path.into(),
                line: Some(number),
                reason: format!("`{keyword}` is left out: {reason}"),
            };
            let mut warning = place.to_string();
            warning.shrink_to_fit();
            budget.allocate("warnings", 1, warning.len() + size_of::<String>())?;
            warnings.push(warning);
        }
    }
    if text
        .strip_prefix("# Blender ")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        materials.iter_mut().for_each(read_as_blender);
    }
    Ok(materials)
}

/// Reads a material as Blender writes it since version 3.1: roughness as an exponent, and, if it reflects (`illum` 3,
/// or 6 if it is not opaque), metalness as `Ka`. The first line of these files names Blender.
fn read_as_blender(material: &mut ObjMaterial) {
    let of_exponent = |exponent: f32| 1.0 - (exponent.clamp(0.0, 1000.0) / 1000.0).sqrt();
    material.roughness = material.roughness.or(material.shininess.map(of_exponent));
    material.roughness_map = material.roughness_map.take().or(material.shininess_map.take());
    material.metallic_map = material.metallic_map.take().or(material.reflection_map.take());
    if matches!(material.illumination, Some(3 | 6)) {
        material.metallic = material.metallic.or(material.ambient.map(|[metallic, ..]| metallic));
    }
}

fn statement(
    files: &NamedFiles<'_>,
    material: &mut ObjMaterial,
    keyword: &str,
    rest: &str,
    path: &Path,
) -> Result<(), String> {
    match keyword.to_ascii_lowercase().as_str() {
        "ka" => material.ambient = Some(color(rest)?),
        "kd" => material.diffuse = Some(color(rest)?),
        "ks" => material.specular = Some(color(rest)?),
        "ke" => material.emission = Some(color(rest)?),
        "tf" => material.transmission = Some(color(rest)?),
        "ns" => material.shininess = Some(number(rest)?),
        "ni" => material.ior = Some(number(rest)?),
        "d" => material.dissolve = Some(number(rest.trim_start_matches("-halo"))?),
        "tr" => material.transparency = Some(number(rest)?),
        "illum" => material.illumination = Some(number(rest)?.max(0.0) as u32),
        "pr" => material.roughness = Some(number(rest)?),
        "pm" => material.metallic = Some(number(rest)?),
        "pc" => material.clearcoat = Some(number(rest)?),
        "pcr" => material.clearcoat_roughness = Some(number(rest)?),
        "ps" => material.sheen = Some(number(rest)?),
        "aniso" => material.anisotropy = Some(number(rest)?),
        "anisor" => material.anisotropy_rotation = Some(number(rest)?),
        "map_kd" => material.diffuse_map = image(files, rest, path),
        "map_ks" => material.specular_map = image(files, rest, path),
        "map_ke" => material.emission_map = image(files, rest, path),
        "map_ns" => material.shininess_map = image(files, rest, path),
        "map_d" => material.dissolve_map = image(files, rest, path),
        "map_pr" => material.roughness_map = image(files, rest, path),
        "map_pm" => material.metallic_map = image(files, rest, path),
        "map_bump" | "bump" => material.bump_map = image(files, rest, path),
        "norm" | "map_kn" => material.normal_map = image(files, rest, path),
        "refl" | "map_refl" => material.reflection_map = image(files, rest, path),
        // Obsolete or unknown statements are ignored.
        _ => {}
    }
    Ok(())
}

fn color(text: &str) -> Result<[f32; 3], String> {
    match numbers::<3>(text)? {
        ([grey, ..], 1) => Ok([grey; 3]),
        // Some programs write the opacity as a fourth number.
        (rgb, 3 | 4) => Ok(rgb),
        (_, count) => Err(format!("a colour takes 1 or 3 numbers, not {count}")),
    }
}

fn number(text: &str) -> Result<f32, String> {
    match numbers::<1>(text)? {
        ([value], 1) => Ok(value),
        (_, count) => Err(format!("one number is expected, not {count}")),
    }
}

/// Parses a map statement: options, then the image; `None` if the image is missing, as some programs write it. File
/// names may contain blanks.
fn image(files: &NamedFiles<'_>, text: &str, path: &Path) -> Option<ObjMap> {
    let mut map = ObjMap {
        file: PathBuf::new(),
        scale: [1.0; 2],
        offset: [0.0; 2],
        clamps: false,
        strength: 1.0,
    };
    let mut rest = text;
    while let Some((option, after)) = rest.split_once(char::is_whitespace)
        && option.starts_with('-')
    {
        rest = after.trim_start();
        // Options take a word (`on`, a channel) or up to three numbers.
        let is_word = matches!(
            option,
            "-blendu" | "-blendv" | "-cc" | "-clamp" | "-colorspace" | "-imfchan" | "-type"
        );
        for place in 0..if is_word { 1 } else { 3 } {
            let Some((value, after)) = rest.split_once(char::is_whitespace) else {
                break;
            };
            let number = value.parse::<f32>().ok();
            if !is_word && number.is_none() {
                break;
            }
            rest = after.trim_start();
            let numbers: &mut [f32] = match option {
                "-s" => &mut map.scale,
                "-o" => &mut map.offset,
                "-bm" => std::slice::from_mut(&mut map.strength),
                "-clamp" => {
                    map.clamps = value == "on";
                    continue;
                }
                _ => continue,
            };
            if let (Some(slot), Some(number)) = (numbers.get_mut(place), number) {
                *slot = number;
            }
        }
    }
    if rest.is_empty() {
        return None;
    }
    map.file = files.find(path, rest);
    Some(map)
}
