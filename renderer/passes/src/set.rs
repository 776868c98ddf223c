//! The passes of a film and the channels of their sums.

use std::collections::HashMap;

use super::crypto::{CryptoKind, crypto_layers};
use super::pass::{Lighting, Pass, PassDesc, ValuePass};

/// The passes of a film with the channels of their sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassSet {
    passes: Vec<PassDesc>,
    /// First channel of each pass.
    first: Vec<usize>,
    channels: usize,
    /// Channel of the weights of first-hit values.
    weight: Option<usize>,
    /// First of three channels of shadow catchers: coverage, unoccluded light, occluded light.
    shadow: Option<usize>,
    /// Stored identifiers.
    kinds: Vec<CryptoKind>,
}

/// Name collision of two passes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameClash {
    /// Two passes of one name.
    #[error("two passes are called `{0}`")]
    Same(String),
    /// A pass with the name of a Cryptomatte layer.
    #[error("the pass `{name}` has the name of a layer of the Cryptomatte `{of}`")]
    OfCryptomatte {
        /// The pass.
        name: String,
        /// The Cryptomatte.
        of: String,
    },
}

impl PassSet {
    /// Creates a set. Equal passes count once.
    ///
    /// # Errors
    /// If different passes have the same name, or a pass has the name of a Cryptomatte layer.
    pub fn new(descs: Vec<PassDesc>) -> Result<PassSet, NameClash> {
        let mut set = PassSet::default();
        let mut known: HashMap<String, usize> = HashMap::new();
        for desc in descs {
            match known.get(&desc.name).map(|&index| &set.passes[index]) {
                Some(known) if *known == desc => {}
                Some(_) => return Err(NameClash::Same(desc.name)),
                None => {
                    known.insert(desc.name.clone(), set.passes.len());
                    set.add(desc);
                }
            }
        }
        for crypto in set.passes.iter().filter(|desc| matches!(desc.pass, Pass::Crypto(_))) {
            if let Some(name) = crypto_layers(&crypto.name).find(|name| known.contains_key(name)) {
                let of = crypto.name.clone();
                return Err(NameClash::OfCryptomatte { name, of });
            }
        }
        let is_mean =
            |desc: &PassDesc| matches!(desc.pass, Pass::Value(ValuePass::Depth | ValuePass::Position));
        if set.passes.iter().any(is_mean) {
            set.weight = Some(set.channels);
            set.channels += 1;
        }
        if set.has(ValuePass::Alpha) {
            set.shadow = Some(set.channels);
            set.channels += 3;
        }
        Ok(set)
    }

    fn add(&mut self, desc: PassDesc) {
        self.first.push(self.channels);
        self.channels += sums_of(&desc.pass);
        let kind = match desc.pass {
            Pass::Crypto(kind) => Some(kind),
            Pass::Value(ValuePass::ObjectId) => Some(CryptoKind::Object),
            Pass::Value(ValuePass::MaterialId) => Some(CryptoKind::Material),
            _ => None,
        };
        if let Some(kind) = kind.filter(|kind| !self.kinds.contains(kind)) {
            self.kinds.push(kind);
        }
        self.passes.push(desc);
    }

    /// The passes.
    pub fn passes(&self) -> &[PassDesc] {
        &self.passes
    }

    /// The passes with the first channel of each.
    pub fn placed(&self) -> impl Iterator<Item = (&PassDesc, usize)> {
        self.passes.iter().zip(self.first.iter().copied())
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.passes.is_empty()
    }

    /// Number of channels in the film.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Channel of the weights of first-hit values, if a pass is a mean over them.
    pub fn weight(&self) -> Option<usize> {
        self.weight
    }

    /// First of three channels of shadow catchers, if the picture has alpha: coverage, unoccluded light, occluded light.
    pub fn shadow(&self) -> Option<usize> {
        self.shadow
    }

    /// First channel of a value, if a pass shows it.
    pub fn channel_of(&self, value: ValuePass) -> Option<usize> {
        let found = self.placed().find(|(desc, _)| desc.pass == Pass::Value(value));
        found.map(|(_, channel)| channel)
    }

    /// Kinds of stored identifiers, in the order of their channels.
    pub fn kinds(&self) -> &[CryptoKind] {
        &self.kinds
    }

    /// Index of a kind among the stored identifiers.
    pub fn index_of(&self, kind: CryptoKind) -> Option<usize> {
        self.kinds.iter().position(|&known| known == kind)
    }

    /// Passes of shader outputs.
    pub fn shader_values(&self) -> Vec<Pass> {
        let passes = self.passes.iter().map(|desc| desc.pass.clone());
        passes
            .filter(|pass| matches!(pass, Pass::Shader(_) | Pass::Attribute(_)))
            .collect()
    }

    /// Returns whether a pass shows a value.
    pub fn has(&self, value: ValuePass) -> bool {
        self.passes.iter().any(|desc| desc.pass == Pass::Value(value))
    }

    /// Returns whether a pass shows occluded light.
    pub fn has_blocked_light(&self) -> bool {
        let blocked = |desc: &PassDesc| match &desc.pass {
            Pass::Light(light) => light.lighting != Lighting::Seen,
            _ => false,
        };
        self.passes.iter().any(blocked)
    }
}

/// Number of additional sums in the film that a pass needs.
fn sums_of(pass: &Pass) -> usize {
    match pass {
        Pass::Crypto(_) => 0,
        Pass::Value(value) => match value {
            ValuePass::ObjectId | ValuePass::MaterialId | ValuePass::Samples | ValuePass::Variance => 0,
            value => value.channels().len(),
        },
        Pass::Light(_) | Pass::Shader(_) | Pass::Attribute(_) => 3,
    }
}
