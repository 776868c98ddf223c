//! Background checks: a thread checks open texts when typing pauses, while the server answers.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lsp_types::PublishDiagnosticsParams;
use shading::{Diagnostics, Source};
use shading_editor::Finding;

use super::address::{clean, uri_of};
use super::convert;
use super::store::OpenText;
use renderer_base::files::{LoggedFiles, OverlayFiles, SharedFiles};
use renderer_cli::LspArgs;
use renderer_inputs::checking::{check_scene, check_shader};
use renderer_inputs::common_args::ImportArgs;
use renderer_inputs::scene_options::{NamedScene, SceneOptions};
use renderer_inputs::shader_file::is_shader;
use renderer_support::lock;

/// Pause in typing before texts are checked.
const PAUSE: Duration = Duration::from_millis(120);

/// A file whose check is slower is checked only when it is saved; until then only its syntax.
const SLOW_CHECK: Duration = Duration::from_secs(3);

/// The mistakes in each file.
pub(super) type Findings = Arc<Mutex<BTreeMap<PathBuf, Vec<Finding>>>>;

/// Open texts after a change.
pub(super) struct CheckRequest {
    pub(super) open: BTreeMap<PathBuf, OpenText>,
    /// Files that have changed; all that is open is checked if one of them is unknown.
    pub(super) changed: Vec<PathBuf>,
    /// True if a text was saved.
    pub(super) saved: bool,
}

/// Result of the last check of a text.
struct Report {
    findings: Vec<Finding>,
    /// Files that it has read.
    read: BTreeSet<PathBuf>,
    /// Duration of the check.
    took: Duration,
}

pub(super) struct Checker {
    pub(super) args: LspArgs,
    pub(super) findings: Findings,
    pub(super) publish: Box<dyn Fn(PublishDiagnosticsParams) + Send>,
    reports: BTreeMap<PathBuf, Report>,
}

impl Checker {
    pub(super) fn new(
        args: LspArgs,
        findings: Findings,
        publish: impl Fn(PublishDiagnosticsParams) + Send + 'static,
    ) -> Checker {
        Checker {
            args,
            findings,
            publish: Box::new(publish),
            reports: BTreeMap::new(),
        }
    }

    /// Checks until there are no more requests.
    pub(super) fn run(mut self, requests: &Receiver<CheckRequest>) {
        let mut waiting: Vec<PathBuf> = vec![];
        while let Ok(mut request) = requests.recv() {
            loop {
                request.changed.append(&mut waiting);
                match requests.recv_timeout(PAUSE) {
                    Ok(next) => {
                        waiting = std::mem::take(&mut request.changed);
                        request = CheckRequest { saved: next.saved || request.saved, ..next };
                    }
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            self.check_all(&request);
        }
    }

    fn check_all(&mut self, request: &CheckRequest) {
        let closed: Vec<PathBuf> = self
            .reports
            .keys()
            .filter(|path| !request.open.contains_key(*path))
            .cloned()
            .collect();
        let mut touched = BTreeSet::new();
        for path in closed {
            let report = self.reports.remove(&path);
            touched.insert(path);
            touched.extend(report.into_iter().flat_map(|r| r.findings).map(|f| f.place.path));
        }
        let files = overlay(&request.open);
        // Changed files come first.
        let mut roots: Vec<&PathBuf> =
            request.open.keys().filter(|root| self.is_due(root, &request.changed)).collect();
        roots.sort_by_key(|root| !request.changed.contains(root));
        for root in roots {
            let slow = self
                .reports
                .get(root)
                .map(|report| report.took)
                .filter(|took| *took > SLOW_CHECK);
            let report = match slow {
                Some(_) if !request.saved => self.check_syntax(root, request),
                _ => self.check(root, &files),
            };
            let old = self.reports.insert(root.clone(), report);
            touched.extend(old.into_iter().flat_map(|r| r.findings).map(|f| f.place.path));
            touched.insert(root.clone());
            let new = self.reports.get(root).into_iter().flat_map(|r| &r.findings);
            touched.extend(new.map(|finding| finding.place.path.clone()));
            self.publish(std::mem::take(&mut touched), &request.open);
        }
        self.publish(touched, &request.open);
    }

    /// Returns whether a text has to be checked again.
    fn is_due(&self, root: &PathBuf, changed: &[PathBuf]) -> bool {
        let Some(report) = self.reports.get(root) else {
            return true;
        };
        changed.iter().any(|path| path == root || report.read.contains(path))
    }

    /// A bug in a check must not end the server.
    fn check(&self, root: &Path, files: &SharedFiles) -> Report {
        let start = Instant::now();
        let logged = SharedFiles::new(LoggedFiles::new(files.clone()));
        let checked = catch_unwind(AssertUnwindSafe(|| check(root, &self.args, &logged)));
        let is_file = |path: &Path| path.is_absolute() && files.is_file(path);
        Report {
            findings: findings(checked.unwrap_or_default(), root, is_file),
            read: logged.log().iter().map(|path| clean(path)).collect(),
            took: start.elapsed(),
        }
    }

    /// Finds syntax errors only.
    fn check_syntax(&self, root: &Path, request: &CheckRequest) -> Report {
        let text = request.open.get(root).map(|open| open.document.text.clone());
        let source = Source::new(root.display().to_string(), text.unwrap_or_default());
        let (_, errors) = shading::syntax::parse(source);
        let known = self.reports.get(root);
        Report {
            findings: findings(errors, root, |path| path == root),
            read: known.map(|report| report.read.clone()).unwrap_or_default(),
            took: known.map(|report| report.took).unwrap_or_default(),
        }
    }

    /// Publishes the mistakes in these files.
    fn publish(&self, files: BTreeSet<PathBuf>, open: &BTreeMap<PathBuf, OpenText>) {
        let uri = |path: &Path| match open.get(path) {
            Some(text) => Some(text.uri.clone()),
            None => uri_of(path),
        };
        for path in files {
            let mut list: Vec<Finding> = vec![];
            for finding in self.reports.values().flat_map(|report| &report.findings) {
                let is_known =
                    |known: &Finding| known.place == finding.place && known.message == finding.message;
                if finding.place.path == path && !list.iter().any(is_known) {
                    list.push(finding.clone());
                }
            }
            if let Some(address) = uri(&path) {
                let diagnostics = list.iter().map(|finding| convert::diagnostic(finding, uri)).collect();
                let version = open.get(&path).map(|text| text.version);
                (self.publish)(PublishDiagnosticsParams::new(address, diagnostics, version));
            }
            lock(&self.findings).insert(path, list);
        }
    }
}

/// Diagnostics of a text by file, each once.
fn findings(diagnostics: Diagnostics, root: &Path, is_file: impl Fn(&Path) -> bool) -> Vec<Finding> {
    let mut list = Diagnostics::default();
    list.add_new(diagnostics.list);
    let finding = |diagnostic| {
        let mut finding = Finding::new(diagnostic, root, &is_file);
        let related = finding.related.iter_mut();
        for place in related.chain([&mut finding.place]) {
            place.path = clean(&place.path);
        }
        finding
    };
    list.list.iter().map(finding).collect()
}

/// The files of the disk under the texts of the editor.
fn overlay(open: &BTreeMap<PathBuf, OpenText>) -> SharedFiles {
    let files = OverlayFiles::new(SharedFiles::default());
    let files = open
        .iter()
        .fold(files, |files, (path, text)| files.with(path, text.document.text.as_bytes()));
    SharedFiles::new(files)
}

/// Errors and warnings of a text, as `kiln check` reports them.
fn check(path: &Path, args: &LspArgs, files: &SharedFiles) -> Diagnostics {
    let import = ImportArgs { define: args.define.clone(), ..ImportArgs::default() };
    let checked = if is_shader(path) || path.extension().is_none_or(|extension| extension == "h") {
        match files.source_text(path) {
            Ok(text) => {
                let source = Source::new(path.display().to_string(), text);
                check_shader(source, &args.source, &import, files.clone())
            }
            Err(_) => return Diagnostics::default(),
        }
    } else {
        check_scene(NamedScene {
            path: path.to_owned(),
            options: SceneOptions::of(&args.source, &import),
            files: files.clone(),
        })
    };
    match checked {
        Ok(checked) => checked.warnings,
        Err(errors) => errors,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use shading_editor::Document;

    use super::*;
    use renderer_cli::{Cli, Command};

    #[test]
    fn what_takes_long_is_checked_when_it_is_saved() {
        let Command::Lsp(args) = Cli::parse_from(["kiln", "lsp"]).command else {
            panic!("it is the command's");
        };
        let findings = Findings::default();
        let mut checker = Checker::new(args, findings.clone(), |_| {});
        let root = PathBuf::from("/nowhere/a.ksl");
        let text = "shader a(output float r = unknown) { r = ; }";
        let open = OpenText {
            uri: uri_of(&root).unwrap(),
            version: 1,
            document: Document::new(&root, text),
        };
        let mut check = |took, saved| {
            let report = Report { findings: vec![], read: BTreeSet::new(), took };
            checker.reports.insert(root.clone(), report);
            checker.check_all(&CheckRequest {
                open: BTreeMap::from([(root.clone(), open.clone())]),
                changed: vec![root.clone()],
                saved,
            });
            findings.lock().unwrap()[&root].len()
        };
        assert_eq!(check(Duration::ZERO, false), 2);
        assert_eq!(check(Duration::from_secs(4), false), 1);
        assert_eq!(check(Duration::from_secs(4), true), 2);
    }
}
