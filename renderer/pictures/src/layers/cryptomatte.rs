//! Cryptomatte layers: the identifiers that cover most of each pixel, with their coverage, and the names of all.
// Friedman & Jones 2015; specification 1.2.0.

use serde_json::{Map, Value as Json};

use super::layered::{Channels, Layered, mean};
use crate::part::LayerNames;
use renderer_image::film::Film;
use renderer_image::{MetaValue, SampleType};
use renderer_passes::{CRYPTO_LAYERS, CryptoKind, PassSet, crypto_id, crypto_layers, id_as_float};

/// Identifiers of a pixel that are kept.
const RANKS: usize = 2 * CRYPTO_LAYERS;

/// Adds the layers of one kind.
pub(super) fn add(
    all: &mut Layered,
    film: &Film,
    set: &PassSet,
    names: &LayerNames,
    kind: CryptoKind,
    name: &str,
) {
    let index = set.index_of(kind);
    let image = film.develop_layer(2 * RANKS, |pixel, sum, out| {
        let weights = index.and_then(|index| Some(film.sums().layers()?.weights_of(pixel)[index].list()));
        let mut ranked: Vec<_> = weights.into_iter().flatten().filter(|(_, weight)| weight.0 > 0).collect();
        // The sort is stable: of equal ones the smaller identifier comes first.
        ranked.sort_by_key(|(_, weight)| std::cmp::Reverse(weight.0));
        for (out, &&(id, weight)) in out.chunks_exact_mut(2).zip(&ranked) {
            out.copy_from_slice(&[id_as_float(id), mean(weight, sum)]);
        }
    });
    let channels = crypto_layers(name)
        .flat_map(|layer| ["R", "G", "B", "A"].map(|channel| format!("{layer}.{channel}")));
    all.add(Channels { image, names: channels.collect(), samples: SampleType::F32 });
    let key = &format!("{:08x}", crypto_id(name))[..7];
    let manifest: Map<String, Json> = index
        .and_then(|index| names.manifests.get(index))
        .into_iter()
        .flatten()
        .map(|name| (name.clone(), format!("{:08x}", crypto_id(name)).into()))
        .collect();
    let facts = [
        ("name", name.to_owned()),
        ("hash", "MurmurHash3_32".to_owned()),
        ("conversion", "uint32_to_float32".to_owned()),
        ("manifest", Json::Object(manifest).to_string()),
    ];
    let facts = facts.map(|(fact, text)| (format!("cryptomatte/{key}/{fact}"), MetaValue::Text(text)));
    all.metadata.extend(facts);
}
