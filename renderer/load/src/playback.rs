//! Frame of a scene before its models are read: animated values of models are those at the frame.

use shading::syntax::ast::Declaration;

use super::context::LoadContext;
use super::film::read_film;
use renderer_import::{AnimationChoice, Playback};
use renderer_scene::{FilmDesc, FrameTime};

/// The animation to play, at a time or by default at the frame of the declared film, whose mistakes are not reported here.
pub(super) fn playback<'a>(
    animation: &'a AnimationChoice,
    at: Option<FrameTime>,
    declarations: &[Declaration],
    context: &mut LoadContext,
) -> Playback<'a> {
    let reported = context.diagnostics.list.len();
    let mut film = FilmDesc::default();
    if let Some(declaration) = declarations.iter().find(|declaration| declaration.keyword.text == "film") {
        read_film(declaration, &mut film, context);
    }
    context.diagnostics.list.truncate(reported);
    film.shutter.set_time(at);
    Playback { animation, seconds: film.shutter.instant().at(0.0).seconds }
}
