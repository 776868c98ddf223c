//! Export of `probes.json`: positions, validity and coefficients of probes.

use serde_json::{Value, json};

use renderer_bake::Probes;

/// The text.
pub(super) fn json(probes: &Probes) -> Vec<u8> {
    let list: Vec<Value> = (0..probes.points.len())
        .map(|index| {
            let coefficients = probes.coefficients(index).iter().map(|c| c.to_array());
            json!({
                "position": probes.points[index].to_array(),
                "valid": probes.is_valid(index),
                "openness": probes.openness[index],
                // One RGB triple a coefficient, in the order of bake.json.
                "coefficients": coefficients.collect::<Vec<_>>(),
            })
        })
        .collect();
    let grid = probes.grid.map(|grid| {
        json!({
            "origin": grid.origin.to_array(),
            "spacing": grid.spacing,
            "counts": grid.counts.to_array(),
            "order": "x runs fastest, then y, then z",
        })
    });
    format!("{:#}\n", json!({ "grid": grid, "probes": list })).into_bytes()
}
