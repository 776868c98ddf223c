//! The viewer of a bake: a page with its script and its data, which opens without a server.
//!
//! `index.html` and `viewer.js` are built from `renderer/web`, whose README has the format of `data.js`.

use serde_json::{Map, Value, json};

use super::pages;
use renderer_base::files::read_regular;
use renderer_cli::BakeArgs;
use renderer_inputs::bake_request::{BakeRequest, BakeTarget};

/// The page and its script.
const PAGE: [(&str, &[u8]); 2] = [
    ("index.html", include_bytes!("../../web/dist/index.html")),
    ("viewer.js", include_bytes!("../../web/dist/viewer.js")),
];

/// Probes of an earlier bake, in the folder of the bake.
const PROBES: &str = "probes/probes.json";

/// Data of the page.
const DATA: &str = "data.js";

/// Returns whether a viewer is requested, for a bake that it can show.
pub(super) fn is_asked(request: &BakeRequest) -> bool {
    request.viewer && request.target() == BakeTarget::Texture && request.light().is_some()
}

/// The names of all files.
pub(super) fn names() -> impl Iterator<Item = String> {
    let page = PAGE.iter().map(|(name, _)| *name);
    page.chain([DATA]).map(str::to_owned)
}

/// The files, for a bake of these. The page shows `model`, whose materials have `shaders`.
pub(super) fn files(
    args: &BakeArgs,
    baked: &[(String, Vec<u8>)],
    model: &[u8],
    shaders: Option<Value>,
) -> Vec<(String, Vec<u8>)> {
    let used = baked.iter().filter(|(name, _)| is_used(name));
    let mut used: Vec<(String, Value)> = used.map(|(name, bytes)| (name.clone(), text(bytes))).collect();
    let probes = args.output.as_ref().and_then(|folder| read_regular(&folder.join(PROBES)).ok());
    used.extend(probes.map(|bytes| ("probes.json".to_owned(), text(&bytes))));
    used.sort_by(|a, b| a.0.cmp(&b.0));
    let title = args.request.scene.path.file_stem().unwrap_or_default();
    let data = json!({
        "title": title.to_string_lossy(),
        "model": text(model),
        "files": used.into_iter().collect::<Map<_, _>>(),
        // The model has its own.
        "cameras": [],
        "reference": {},
        "shaders": shaders.unwrap_or_else(|| json!({})),
    });
    let page = PAGE.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec()));
    page.chain([(DATA.to_owned(), format!("KILN_BAKE = {data};\n").into_bytes())])
        .collect()
}

/// Returns whether the page reads a file of a bake.
fn is_used(name: &str) -> bool {
    let name = pages::alone(name);
    let others = ["irradiance.exr", "direction.exr", "color.exr"];
    others.contains(&name.as_str()) || (name.starts_with("sh_") && name.ends_with(".exr"))
}

fn text(bytes: &[u8]) -> Value {
    Value::String(base64(bytes))
}

/// Bytes in base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            text.push(match digit <= group.len() {
                true => char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]),
                false => '=',
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_pads() {
        // RFC 4648, section 10.
        let vectors = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in vectors {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        assert_eq!(base64(&[255, 254, 253]), "//79");
    }
}
