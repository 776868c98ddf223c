// Preview panel with the page of `kiln live` for a material or scene. Unsaved texts are sent to the program at the loopback
// address, which uses them in place of their files.

const { spawn } = require("child_process");
const { ViewColumn, Uri, env, window, workspace } = require("vscode");

// Open panels by subject, and the addresses of their programs.
const open = new Map();
const addresses = new Set();

// Delay between the last change of a text and its transfer [ms].
const SEND_DELAY = 60;

const LANGUAGES = ["ksl", "kiln"];

// Returns the last unit or group that is declared at or before a line. If there is none, the program previews the last unit
// or group of the file.
function subjectAt(text, line) {
  const declaration = /^\s*(?:surface|shader|group)\s+([A-Za-z_]\w*)/;
  const before = text.split(/\r?\n/).slice(0, line + 1);
  const names = before.map((text) => declaration.exec(text)?.[1]).filter((name) => name !== undefined);
  return names.at(-1);
}

// Returns the address that `kiln live` prints first. Its path is the token that the page and `send` need.
function address(server) {
  return new Promise((done, fail) => {
    let said = "";
    let wrong = "";
    server.stdout.on("data", (bytes) => {
      said += bytes;
      const found = /^(http:\/\/127\.0\.0\.1:\d+\/\w+\/)\s/.exec(said);
      if (found) done(found[1]);
    });
    server.stderr.on("data", (bytes) => (wrong += bytes));
    server.on("error", fail);
    server.on("exit", () => fail(new Error(wrong.trim() || "kiln has ended")));
  });
}

function page(source) {
  const origin = new URL(source).origin;
  return `<!DOCTYPE html>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; frame-src ${origin}; style-src 'unsafe-inline'">
<style>html, body, iframe { width: 100%; height: 100%; margin: 0; padding: 0; border: 0; overflow: hidden; }</style>
<iframe src="${source}" title="Kiln" allow="clipboard-write"></iframe>`;
}

// Sends the text of a document to a program; `null` if the file is up to date.
async function send(source, document, text) {
  const body = JSON.stringify({ file: document.fileName, text });
  try {
    await fetch(new URL("text", source), { method: "POST", body });
  } catch {
    // The program has ended, and its panel will be disposed.
  }
}

const due = new Map();

// Handles a change, save or close of a document.
function handleChange(document) {
  if (!LANGUAGES.includes(document.languageId) || document.isUntitled) return;
  clearTimeout(due.get(document.fileName));
  const now = () => {
    due.delete(document.fileName);
    const text = document.isDirty && !document.isClosed ? document.getText() : null;
    return Promise.all([...addresses].map((source) => send(source, document, text)));
  };
  due.set(document.fileName, setTimeout(now, SEND_DELAY));
}

// Returns the subscriptions to changes of documents.
function watch() {
  return [
    workspace.onDidChangeTextDocument((event) => handleChange(event.document)),
    workspace.onDidSaveTextDocument(handleChange),
    workspace.onDidCloseTextDocument(handleChange),
  ];
}

// Opens the preview of the active editor.
async function show() {
  const editor = window.activeTextEditor;
  if (!editor || !LANGUAGES.includes(editor.document.languageId)) {
    window.showInformationMessage("Kiln: open a shader or a scene first");
    return;
  }
  const document = editor.document;
  // The program needs a file on disk, even if its text is outdated.
  if (document.isUntitled && !(await document.save())) return;
  const name = document.languageId === "ksl" ? subjectAt(document.getText(), editor.selection.active.line) : undefined;
  const subject = name ? `${document.fileName}:${name}` : document.fileName;
  const known = open.get(subject);
  if (known) {
    known.reveal(undefined, true);
    return;
  }
  const settings = workspace.getConfiguration("kiln");
  const server = spawn(settings.get("path", "kiln"), ["live", subject, ...settings.get("arguments", [])]);
  try {
    const local = await address(server);
    const unsaved = workspace.textDocuments.filter((one) => one.isDirty && !one.isUntitled && LANGUAGES.includes(one.languageId));
    await Promise.all(unsaved.map((one) => send(local, one, one.getText())));
    const source = await env.asExternalUri(Uri.parse(local));
    const title = name ?? document.fileName.split(/[\\/]/).at(-1);
    const column = { viewColumn: ViewColumn.Beside, preserveFocus: true };
    const panel = window.createWebviewPanel("kiln.preview", title, column, { enableScripts: true, retainContextWhenHidden: true });
    panel.webview.html = page(source.toString());
    open.set(subject, panel);
    addresses.add(local);
    panel.onDidDispose(() => {
      open.delete(subject);
      addresses.delete(local);
      server.kill();
    });
    server.on("exit", () => panel.dispose());
  } catch (error) {
    server.kill();
    window.showErrorMessage(`Kiln: ${error.message}`);
  }
}

function closeAll() {
  [...open.values()].forEach((panel) => panel.dispose());
}

module.exports = { show, watch, closeAll, subjectAt };
