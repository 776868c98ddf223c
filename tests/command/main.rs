//! Tests that run the program `kiln`.

mod bake_command;
mod convert;
mod denoise;
mod escapes;
mod farm;
mod flags;
mod hair;
mod info;
mod install;
mod interrupt;
mod late_files;
mod lighting;
mod materialx;
mod outputs;
mod pack;
mod parts;
mod passes;
mod pictures;
mod pipes;
mod preview;
mod program;
mod readme;
mod render;
mod resume;
mod rounds;
mod shade;
