//! Output of `kiln info` for images and stored photon maps.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use renderer_image::{ImageInfo, MetaValue, SampleType, Window};
use renderer_support::terminal::plural;
use renderer_transport::integrator::photon::MapHeader;

/// Returns the header of an image as text.
pub(super) fn image_text(image: &ImageInfo) -> String {
    let [width, height] = image.size;
    let mut text = format!("{} image of {width} × {height} pixels\n", image.format.name());
    // Writing to a string cannot fail.
    if let Some(Window { x, y, full_width, full_height }) = image.window {
        let _ = writeln!(text, "  {:<15} ({x}, {y}) of {full_width} × {full_height} pixels", "place");
    }
    for channels in image.channels.chunk_by(|a, b| a.1 == b.1) {
        let names: Vec<&str> = channels.iter().map(|(name, _)| name.as_str()).collect();
        let samples = sample_name(channels[0].1);
        let _ = writeln!(text, "  {:<15} {}, each {samples}", "channels", names.join(" "));
    }
    for (key, value) in &image.metadata {
        let value = match value {
            // Control characters are escaped as in source.
            MetaValue::Text(value) if value.contains(char::is_control) => value.escape_debug().to_string(),
            MetaValue::Text(value) => value.clone(),
            MetaValue::Int(value) => value.to_string(),
            MetaValue::Float(value) => value.to_string(),
        };
        let _ = writeln!(text, "  {key:<15} {value}");
    }
    text
}

/// Description of an image as JSON.
pub(super) fn image_json(image: &ImageInfo) -> Json {
    let channel =
        |(name, samples): &(String, SampleType)| json!({ "name": name, "type": sample_type(*samples) });
    let metadata: Map<String, Json> = image
        .metadata
        .iter()
        .map(|(key, value)| {
            let value = match value {
                MetaValue::Text(value) => json!(value),
                MetaValue::Int(value) => json!(value),
                MetaValue::Float(value) => json!(value),
            };
            (key.clone(), value)
        })
        .collect();
    json!({
        "image": image.format.name(),
        "size": image.size,
        "window": image.window.map(|window| json!({
            "position": [window.x, window.y],
            "size": [window.full_width, window.full_height],
        })),
        "channels": image.channels.iter().map(channel).collect::<Vec<Json>>(),
        "metadata": metadata,
    })
}

fn sample_type(samples: SampleType) -> &'static str {
    match samples {
        SampleType::U8 => "uint8",
        SampleType::U16 => "uint16",
        SampleType::F16 => "half",
        SampleType::F32 => "float",
        SampleType::I32 => "uint",
    }
}

fn sample_name(samples: SampleType) -> &'static str {
    match samples {
        SampleType::U8 => "8 bits",
        SampleType::U16 => "16 bits",
        SampleType::F16 => "a half float",
        SampleType::F32 => "a float",
        SampleType::I32 => "a whole number of 32 bits",
    }
}

/// Photon maps in a few lines.
pub(super) fn maps_text(maps: &MapHeader) -> String {
    let mut text = String::from("photon maps\n");
    let facts = [("scene", maps.key.scene), ("settings", maps.key.settings)];
    for (name, fingerprint) in facts {
        let _ = writeln!(text, "  {name:<15} {fingerprint:016x}");
    }
    for (i, name) in ["global", "caustic"].into_iter().enumerate() {
        let stored = plural(maps.stored[i] as usize, "photon");
        let _ = writeln!(text, "  {name:<15} {stored} of {} that were shot", maps.shot[i]);
    }
    text
}

/// Description of photon maps as JSON.
pub(super) fn maps_json(maps: &MapHeader) -> Json {
    let map = |i: usize| json!({ "stored": maps.stored[i], "shot": maps.shot[i] });
    json!({
        "photon_maps": { "global": map(0), "caustic": map(1) },
        "scene": format!("{:016x}", maps.key.scene),
        "settings": format!("{:016x}", maps.key.settings),
    })
}
