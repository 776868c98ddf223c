//! Media: what absorbs, scatters and emits light at a point in space.
//!
//! Coefficients are per metre, by colour. The angle of a phase function is that between the way on which light arrives and
//! the way on which it goes on: its cosine is 1 straight on, −1 back.

mod coefficients;
mod color_choice;
mod equiangular;
mod phase;

pub use coefficients::Coefficients;
pub(crate) use color_choice::ColorChoice;
pub use equiangular::Equiangular;
pub use phase::Phase;
