//! `--watch`: the picture is rendered again when a file changes that was read.
//!
//! Folders are watched, not files, since programs save by putting a new file in the place of the old one. While a scene
//! has errors, all of its sources are watched, too: the file that mends it may be another one than those read so far.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use rustc_hash::FxHashSet;

use super::picture::images;
use super::variations;
use crate::cli::RenderArgs;
use crate::command::interrupt::Interrupt;
use crate::command::{Failure, remark, shader_file};

/// Samples of the first picture after a change.
const FIRST: u32 = 2;

/// Interval at which the picture that follows is written.
const WRITE: Duration = Duration::from_secs(1);

/// Changes that come so soon after one another are one: programs save in several steps.
const TOGETHER: Duration = Duration::from_millis(30);

/// Renders the picture, and again after each change, until a signal comes.
pub(super) fn run(args: &RenderArgs, interrupt: &Arc<Interrupt>) -> Result<(), Failure> {
    let mut watch = Watch::start(args, interrupt.clone())?;
    loop {
        let start = Instant::now();
        let rendered = watch.rounds(args, interrupt);
        watch.watched().is_broken = matches!(rendered, Err(Failure::User(_) | Failure::Mistakes(_)));
        match rendered {
            Ok(()) if !args.common.quiet => {
                let names: Vec<String> = images(args)
                    .iter()
                    .map(|file| file.display().to_string())
                    .collect();
                let seconds = start.elapsed().as_secs_f64();
                remark(&format!(
                    "{} after {seconds:.1} s; waiting for a change",
                    names.join(", ")
                ));
            }
            Err(failure @ (Failure::User(_) | Failure::Mistakes(_))) => remark(&failure),
            Ok(()) | Err(Failure::Interrupted(_)) => {}
        }
        watch.follow()?;
        interrupt.renew(true)?;
        watch.wait();
        interrupt.renew(false)?;
    }
}

/// The picture that is there at once.
fn first_round(args: &RenderArgs) -> RenderArgs {
    let mut first = args.clone();
    (first.noise, first.quality, first.time) = (None, None, None);
    first.min_spp = None;
    first.spp = Some(args.spp.map_or(FIRST, |spp| spp.min(FIRST)));
    first.common.stats = None;
    first.common.verbose = false;
    first
}

/// The picture that is asked for. What is to be said was said with the first.
fn full_round(args: &RenderArgs) -> RenderArgs {
    let mut full = args.clone();
    if args.stage.variations.is_empty() {
        full.write_every = args.write_every.or(Some(WRITE));
    }
    full
}

/// The files that count.
#[derive(Default)]
struct Watched {
    files: FxHashSet<PathBuf>,
    /// True while the scene has errors.
    is_broken: bool,
}

impl Watched {
    fn add(&mut self, files: Vec<PathBuf>) {
        self.files.extend(files.iter().map(|file| identity(file)));
    }

    fn counts(&self, file: &Path) -> bool {
        const SOURCES: [&str; 6] = ["kiln", "ksl", "osl", "tsl", "h", "xml"];
        let extension = file.extension().and_then(|extension| extension.to_str());
        self.files.contains(&identity(file))
            || self.is_broken && extension.is_some_and(|extension| SOURCES.contains(&extension))
    }
}

/// One path for a file, also if it has gone for a moment.
fn identity(file: &Path) -> PathBuf {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = whole.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, whole.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => whole,
    }
}

/// A watch over the folders of files.
struct Watch {
    watcher: RecommendedWatcher,
    folders: FxHashSet<PathBuf>,
    files: Arc<Mutex<Watched>>,
    changes: Receiver<()>,
}

impl Watch {
    /// Begins with the file that the command line names. A change ends the work in flight.
    fn start(args: &RenderArgs, interrupt: Arc<Interrupt>) -> Result<Watch, Failure> {
        let files = Arc::new(Mutex::new(Watched::default()));
        let (sender, changes) = channel();
        let known = files.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            let is_change = match event.kind {
                EventKind::Create(_) | EventKind::Remove(_) => true,
                EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
                EventKind::Access(_) | EventKind::Any | EventKind::Other => false,
            };
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            if is_change && event.paths.iter().any(|path| known.counts(path)) {
                interrupt.stop_old_work();
                let _ = sender.send(());
            }
        });
        let mut watch = Watch {
            watcher: watcher?,
            folders: FxHashSet::default(),
            files,
            changes,
        };
        let scene = &args.common.scene;
        let file = scene.to_str().and_then(shader_file::file_of);
        let file = file.or_else(|| scene.is_file().then(|| scene.clone()));
        watch.watched().add(file.into_iter().collect());
        watch.follow()?;
        Ok(watch)
    }

    /// Renders the first picture and the full one, unless a change ends the work.
    fn rounds(&self, args: &RenderArgs, interrupt: &Arc<Interrupt>) -> Result<(), Failure> {
        let read = |files: Vec<PathBuf>| self.watched().add(files);
        for args in [first_round(args), full_round(args)] {
            variations::run(&args, interrupt, &read)?;
            if interrupt.is_set() {
                return Err(interrupt.failure());
            }
        }
        Ok(())
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches the folders of all files that are known by now.
    fn follow(&mut self) -> Result<(), Failure> {
        let files = self.watched();
        let folders: Vec<PathBuf> = files
            .files
            .iter()
            .filter_map(|file| file.parent().map(Path::to_owned))
            .collect();
        drop(files);
        for folder in folders {
            if folder.is_dir() && !self.folders.contains(&folder) {
                self.watcher.watch(&folder, RecursiveMode::NonRecursive)?;
                self.folders.insert(folder);
            }
        }
        match self.folders.is_empty() {
            true => Err(Failure::User(
                "error: --watch: there is no file that could change".to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// Waits for a change since the last wait, and until there are no more for a moment.
    fn wait(&self) {
        if self.changes.recv().is_ok() {
            while self.changes.recv_timeout(TOGETHER).is_ok() {}
        }
    }
}
