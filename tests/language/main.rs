//! Tests of the shading language: compiler, optimiser, interpreter and machine code, without the renderer.

mod adaptive;
mod aliases;
mod compositions;
mod damaged;
mod derivatives;
mod differential;
mod formatted;
mod groups;
mod hints;
mod intervals;
mod jit;
mod jit_equals_interp;
mod linear;
mod long;
mod opt;
mod precedence;
mod recovery;
mod run;
mod sampling;
mod shaders;
mod uniform;
mod units;
mod values;
mod wiring;
