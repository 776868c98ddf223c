//! The server's loop: messages in order, without those that were cancelled meanwhile.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};

use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::{
    CancelParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, InitializeParams, NumberOrString,
    PublishDiagnosticsParams, Uri,
};
use serde_json::json;
use shading_editor::{Document, Vocabulary};

use super::address::path_of;
use super::answer::Answerer;
use super::capabilities::capabilities;
use super::checker::{CheckRequest, Checker, Findings};
use super::global_names;
use super::store::{OpenText, Store};
use super::workspace::Workspace;
use renderer_cli::LspArgs;

/// A server with one client.
pub(super) struct Server {
    connection: Connection,
    /// Messages that have arrived.
    queue: VecDeque<Message>,
    store: Store,
    world: Vocabulary,
    findings: Findings,
    checks: Sender<CheckRequest>,
    workspace: Workspace,
}

impl Server {
    /// Serves a client until it is done; returns whether it said so before it left.
    pub(super) fn start(args: &LspArgs, connection: Connection) -> Result<bool, ProtocolError> {
        let (id, params) = connection.initialize_start()?;
        let answer = json!({
            "capabilities": capabilities(),
            "serverInfo": { "name": "kiln", "version": env!("CARGO_PKG_VERSION") },
        });
        connection.initialize_finish(id, answer)?;
        let (checks, requests) = channel();
        let findings = Findings::default();
        let sender = connection.sender.clone();
        let publish = move |params: PublishDiagnosticsParams| {
            let notification = Notification::new("textDocument/publishDiagnostics".to_owned(), params);
            // The client may have left.
            let _ = sender.send(notification.into());
        };
        let checker = Checker::new(args.clone(), findings.clone(), publish);
        let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(16 << 20);
        // Answers do not depend on the checker's thread.
        let _ = thread.spawn(move || checker.run(&requests));
        let store = Store { folders: args.source.folders.clone(), ..Store::default() };
        let roots = serde_json::from_value(params).map(|params| roots(&params));
        let mut server = Server {
            connection,
            queue: VecDeque::new(),
            world: global_names::world(),
            findings,
            checks,
            workspace: Workspace::find(roots.unwrap_or_default(), store.disk.clone()),
            store,
        };
        server.run()
    }

    fn run(&mut self) -> Result<bool, ProtocolError> {
        while let Some(message) = self.next() {
            match message {
                Message::Request(request) if request.method == "shutdown" => {
                    let _ = self.connection.sender.send(Response::new_ok(request.id, ()).into());
                    return Ok(self.wait_for_exit());
                }
                Message::Request(request) => self.request(request),
                Message::Notification(note) if note.method == "exit" => return Ok(false),
                Message::Notification(note) => {
                    // Invalid notifications are ignored.
                    let _ = catch_unwind(AssertUnwindSafe(|| self.notification(note)));
                }
                Message::Response(_) => {}
            }
        }
        Ok(true)
    }

    /// The next message; `None` when the client has left.
    fn next(&mut self) -> Option<Message> {
        self.queue.extend(self.connection.receiver.try_iter());
        match self.queue.pop_front() {
            Some(message) => Some(message),
            None => self.connection.receiver.recv().ok(),
        }
    }

    /// Returns whether the client sends `exit` after `shutdown`.
    fn wait_for_exit(&mut self) -> bool {
        while let Some(message) = self.next() {
            match message {
                Message::Notification(note) if note.method == "exit" => return true,
                Message::Request(request) => {
                    let text = "the server is shut down".to_owned();
                    let response = Response::new_err(request.id, ErrorCode::InvalidRequest as i32, text);
                    let _ = self.connection.sender.send(response.into());
                }
                Message::Notification(_) | Message::Response(_) => {}
            }
        }
        true
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        let response = if self.is_cancelled(&id) {
            Response::new_err(id, ErrorCode::RequestCanceled as i32, "cancelled".to_owned())
        } else {
            let answerer = Answerer {
                store: &self.store,
                world: &self.world,
                findings: &self.findings,
                workspace: self.workspace.paths(),
            };
            let answer = catch_unwind(AssertUnwindSafe(|| answerer.answer(&request)));
            match answer {
                Ok(Ok(value)) => Response::new_ok(id, value),
                Ok(Err(error)) => Response::new_err(id, error.code as i32, error.message),
                Err(_) => {
                    let text = format!("a bug in Kiln: {} failed", request.method);
                    Response::new_err(id, ErrorCode::InternalError as i32, text)
                }
            }
        };
        let _ = self.connection.sender.send(response.into());
    }

    /// Returns whether the client has cancelled a request since it was sent.
    fn is_cancelled(&mut self, id: &RequestId) -> bool {
        self.queue.extend(self.connection.receiver.try_iter());
        self.queue.iter().any(|message| match message {
            Message::Notification(note) if note.method == "$/cancelRequest" => {
                let params = serde_json::from_value::<CancelParams>(note.params.clone());
                params.is_ok_and(|params| match params.id {
                    NumberOrString::Number(number) => *id == RequestId::from(number),
                    NumberOrString::String(text) => *id == RequestId::from(text),
                })
            }
            _ => false,
        })
    }

    fn notification(&mut self, note: Notification) {
        let changed = match note.method.as_str() {
            "textDocument/didOpen" => self.opened(note.params),
            "textDocument/didChange" => self.changed(note.params),
            "textDocument/didClose" => params::<DidCloseTextDocumentParams>(note.params).map(|params| {
                let path = path_of(&params.text_document.uri, None);
                self.store.open.retain(|_, open| open.uri != params.text_document.uri);
                vec![path]
            }),
            "textDocument/didSave" => params::<DidSaveTextDocumentParams>(note.params)
                .map(|params| vec![path_of(&params.text_document.uri, None)]),
            "workspace/didChangeWatchedFiles" => params::<DidChangeWatchedFilesParams>(note.params)
                .map(|params| params.changes.iter().map(|change| path_of(&change.uri, None)).collect()),
            _ => None,
        };
        if let Some(changed) = changed {
            if note.method.starts_with("workspace/") {
                self.workspace.add(&changed);
            }
            let open = self.store.open.clone();
            let saved = note.method == "textDocument/didSave";
            // The channel closes only when the server ends.
            let _ = self.checks.send(CheckRequest { open, changed, saved });
        }
    }

    fn opened(&mut self, value: serde_json::Value) -> Option<Vec<PathBuf>> {
        let text = params::<DidOpenTextDocumentParams>(value)?.text_document;
        let path = path_of(&text.uri, Some(&text.language_id));
        let open = OpenText {
            uri: text.uri,
            version: text.version,
            document: Document::new(&path, text.text),
        };
        self.store.open.insert(path.clone(), open);
        Some(vec![path])
    }

    fn changed(&mut self, value: serde_json::Value) -> Option<Vec<PathBuf>> {
        let mut params = params::<DidChangeTextDocumentParams>(value)?;
        // The text is parsed once after all changes that have arrived.
        self.queue.extend(self.connection.receiver.try_iter());
        while let Some(next) = self.next_change_of(&params.text_document.uri) {
            params.text_document = next.text_document;
            params.content_changes.extend(next.content_changes);
        }
        let text = params.text_document;
        let path = self.store.open.iter().find(|(_, open)| open.uri == text.uri)?.0.clone();
        self.store.change(&path, text.version, params.content_changes);
        Some(vec![path])
    }

    /// Removes the next message if it is a change of that text.
    fn next_change_of(&mut self, uri: &Uri) -> Option<DidChangeTextDocumentParams> {
        let next = match self.queue.front()? {
            Message::Notification(note) if note.method == "textDocument/didChange" => {
                params::<DidChangeTextDocumentParams>(note.params.clone())?
            }
            _ => return None,
        };
        if next.text_document.uri != *uri {
            return None;
        }
        self.queue.pop_front();
        Some(next)
    }
}

fn params<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

/// Folders of the client.
#[expect(deprecated, reason = "older clients send `rootUri` alone")]
fn roots(params: &InitializeParams) -> Vec<PathBuf> {
    match (&params.workspace_folders, &params.root_uri) {
        (Some(folders), _) => folders.iter().map(|folder| path_of(&folder.uri, None)).collect(),
        (None, Some(root)) => vec![path_of(root, None)],
        (None, None) => vec![],
    }
}
