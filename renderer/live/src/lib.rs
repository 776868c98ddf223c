//! `kiln live`: a page that shows a material or a scene while it is being changed.
//!
//! One thread renders the requested look, at first coarsely, and restarts when the page or a file of the scene changes.
//! It pauses while no browser shows the page. The page uses long polling, so that it receives each picture immediately.

#![deny(unsafe_code, missing_docs)]
// Bits must not depend on the C library.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod audience;
mod denoising;
mod live_scene;
mod look;
mod orbit;
mod page;
mod parameter;
mod pick;
mod picture;
mod session;

use std::sync::Arc;
use std::thread;

use look::Look;
use renderer_cli::LiveArgs;
use renderer_inputs::{shader_file, stage};
use renderer_support::file_watch::FileWatch;
use renderer_support::http::Listener;
use renderer_support::{Failure, remark};
use session::Session;

/// Runs `kiln live`.
pub fn run(args: &LiveArgs) -> Result<(), Failure> {
    if !args.stage.variations.is_empty() {
        return Err(Failure::User(
            "error: --variations is for `kiln render`: here the page varies".to_owned(),
        ));
    }
    if !args.scene.exists() && !stage::is_shader(&args.scene) {
        stage::check_name(&args.scene).map_err(|error| Failure::User(error.to_string()))?;
        return Err(Failure::User(format!("error: {}: there is no such file", args.scene.display())));
    }
    let session = Arc::new(Session::new(args.scene.display().to_string(), Look::of(args)));
    let changed = session.clone();
    let watch = FileWatch::start(shader_file::files_of([&args.scene]), move || {
        changed.change_files();
    })?;
    let listener = Listener::new(args.port)?;
    remark(&format!("shows '{}' in a browser; Ctrl-C ends", args.scene.display()));
    let (renderer, owned) = (session.clone(), args.clone());
    thread::Builder::new()
        .name("live".to_owned())
        .spawn(move || picture::keep_rendering(&owned, &renderer, watch))?;
    let args = args.clone();
    listener.serve(page::POLICY, move |request| page::answer(request, &args, &session));
    Ok(())
}
