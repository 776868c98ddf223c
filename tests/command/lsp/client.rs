//! A client of the language server: sends requests to the program and waits for their answers.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::kiln;

/// Time after which a server without an answer counts as hanging.
const TIMEOUT: Duration = Duration::from_secs(300);

pub(super) struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    notes: VecDeque<Value>,
    next: i64,
    pub(super) folder: PathBuf,
}

impl Client {
    /// Starts a server for a folder.
    pub(super) fn start(folder: &Path) -> Client {
        Client::start_with(folder, "lsp --stdio")
    }

    /// Starts a server with a command line.
    pub(super) fn start_with(folder: &Path, line: &str) -> Client {
        let mut command = kiln(folder, line);
        command.env("XDG_CACHE_HOME", folder.join("cache"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, messages) = channel();
        let output = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut client = Client {
            input: child.stdin.take().unwrap(),
            child,
            messages,
            notes: VecDeque::new(),
            next: 0,
            folder: folder.to_owned(),
        };
        let root = format!("file://{}", folder.display());
        let params = json!({ "processId": null, "rootUri": root, "capabilities": {} });
        let answer = client.request("initialize", params);
        assert_eq!(answer["serverInfo"]["name"], "kiln", "{answer}");
        client.notify("initialized", json!({}));
        client
    }

    pub(super) fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "method": method, "params": params }));
    }

    /// The whole answer to a request.
    pub(super) fn response(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(json!({ "id": id, "method": method, "params": params }));
        self.answer_to(id)
    }

    pub(super) fn answer_to(&mut self, id: i64) -> Value {
        loop {
            let message = self.messages.recv_timeout(TIMEOUT).expect("every request is answered");
            if message["id"] == id {
                return message;
            }
            self.notes.push_back(message);
        }
    }

    /// The result of a request, which must not fail.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.response(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The result of a request and its time; slow requests are repeated, because other processes use the machine.
    pub(super) fn timed(&mut self, method: &str, params: &Value) -> (Value, Duration) {
        let mut best = Duration::MAX;
        for attempt in 1.. {
            let start = Instant::now();
            let answer = self.response(method, params.clone());
            best = best.min(start.elapsed());
            if best < Duration::from_millis(20) || attempt == 5 {
                return (answer, best);
            }
        }
        unreachable!("the last attempt returns")
    }

    pub(super) fn uri(&self, file: &str) -> String {
        format!("file://{}", self.folder.join(file).display())
    }

    pub(super) fn open(&mut self, file: &str, text: &str) {
        let language = if file.ends_with(".kiln") { "kiln" } else { "ksl" };
        let uri = self.uri(file);
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the text of a document.
    pub(super) fn change(&mut self, file: &str, text: &str) {
        let params = json!({
            "textDocument": { "uri": self.uri(file), "version": 2 },
            "contentChanges": [{ "text": text }],
        });
        self.notify("textDocument/didChange", params);
    }

    /// Parameters of a request at the end of the first `mark` in a text.
    pub(super) fn at(&self, file: &str, text: &str, mark: &str) -> Value {
        let offset = text.find(mark).unwrap_or_else(|| panic!("no `{mark}`")) + mark.len();
        json!({ "textDocument": { "uri": self.uri(file) }, "position": position(text, offset) })
    }

    /// Waits for the next diagnostics of a file.
    pub(super) fn diagnostics(&mut self, file: &str) -> Vec<Value> {
        let uri = self.uri(file);
        loop {
            let note = match self.notes.pop_front() {
                Some(note) => note,
                None => self.messages.recv_timeout(TIMEOUT).expect("the server sends diagnostics"),
            };
            if note["method"] == "textDocument/publishDiagnostics" && note["params"]["uri"] == uri.as_str() {
                return note["params"]["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    /// Shuts the server down and returns its exit status.
    pub(super) fn end(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().unwrap().code()
    }

    /// The exit status of a server that exits by itself.
    pub(super) fn wait(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap();
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).unwrap())
}

/// Line and UTF-16 column of an offset.
pub(super) fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": before.matches('\n').count(), "character": before[start..].encode_utf16().count() })
}
