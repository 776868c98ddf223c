//! Passes (AOVs) of a picture, and light path expressions with the automaton that evaluates them.
//!
//! - A light path, read from the camera, is a sequence of [`Event`]s: the camera, each scattering, the light.
//! - An [`Expression`] is a regular expression over events; an [`Automaton`] evaluates any number of expressions at once.
//! - A [`Pass`] is light of such paths, a value of the first surface, or coverage by identifiers.

#![deny(unsafe_code, missing_docs)]
// Results must have the same bits with any C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Units are written in brackets: `[m]`.
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets")]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "the documentation is built with private items"
)]

mod automaton;
mod crypto;
mod event;
mod expression;
mod labels;
mod parse;
mod pass;
mod pattern;
mod set;

pub use automaton::{Automaton, State, TooManyStates};
pub use crypto::{CRYPTO_LAYERS, CryptoKind, crypto_id, crypto_layers, id_as_float};
pub use event::{Event, EventKind, Scattering};
pub use expression::Expression;
pub use labels::{Label, LabelTable};
pub use parse::ExpressionError;
pub use pass::{
    COMPONENTS, LightPass, Lighting, NO_GROUP, Pass, PassDesc, PassError, Paths, REST, ValuePass,
};
pub use pattern::Pattern;
pub use set::{NameClash, PassSet};
