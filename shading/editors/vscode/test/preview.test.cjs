// The preview panel, with a stand-in of VS Code and the program itself (KILN=path names it).

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");

const panels = [];
const errors = [];
const listeners = {};
const stub = {
  ViewColumn: { Beside: -2 },
  Uri: { parse: (text) => text },
  env: { asExternalUri: async (uri) => uri },
  window: {
    activeTextEditor: undefined,
    showInformationMessage: (text) => errors.push(text),
    showErrorMessage: (text) => errors.push(text),
    createWebviewPanel(kind, title) {
      const panel = { title, webview: {}, revealed: 0, reveal: () => (panel.revealed += 1) };
      panel.onDidDispose = (callback) => (panel.dispose = callback);
      panels.push(panel);
      return panel;
    },
  },
  workspace: {
    textDocuments: [],
    ...Object.fromEntries(
      ["onDidChangeTextDocument", "onDidSaveTextDocument", "onDidCloseTextDocument"].map((name) => [name, (callback) => (listeners[name] = callback)]),
    ),
    getConfiguration: () => ({ get: (name, other) => (name === "path" ? (process.env.KILN ?? "kiln") : other) }),
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? stub : load(name, ...rest));
const preview = require("../src/preview");

function edit(file, line) {
  const text = fs.readFileSync(file, "utf8");
  const document = { languageId: "ksl", fileName: file, isDirty: false, isUntitled: false, getText: () => text };
  stub.window.activeTextEditor = { document, selection: { active: { line } } };
}

test("the unit at the cursor is meant", () => {
  const text = "// surface no()\nsurface first() {}\n\n  group second\n(\n) {}\n";
  assert.deepStrictEqual([0, 1, 2, 5].map((line) => preview.subjectAt(text, line)), [undefined, "first", "first", "second"]);
});

test("a panel shows the page of the unit, and ends it", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kiln-"));
  const file = path.join(folder, "two.ksl");
  fs.writeFileSync(file, "surface one() { Ci = diffuse(N); }\nsurface two() { Ci = 0.2 * diffuse(N); }\n");
  edit(file, 0);
  await preview.show();
  assert.deepStrictEqual(errors, []);
  assert.strictEqual(panels[0].title, "one");
  const source = /iframe src="([^"]+)"/.exec(panels[0].webview.html)[1];
  assert.ok(panels[0].webview.html.includes(`frame-src ${new URL(source).origin};`));
  const news = await (await fetch(`${source}news?after=0`)).json();
  assert.strictEqual(news.wrong, false);
  await preview.show();
  assert.deepStrictEqual([panels.length, panels[0].revealed], [1, 1]);
  panels[0].dispose();
  await assert.rejects(async () => {
    for (let i = 0; i < 100; i += 1) await fetch(source).then(() => new Promise((done) => setTimeout(done, 50)));
  });
  fs.rmSync(folder, { recursive: true });
});

test("what is typed is shown before it is saved", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kiln-"));
  const file = path.join(folder, "one.ksl");
  fs.writeFileSync(file, "surface one() { Ci = diffuse(N); }\n");
  edit(file, 0);
  const { document } = stub.window.activeTextEditor;
  preview.watch();
  await preview.show();
  const panel = panels.at(-1);
  const source = /iframe src="([^"]+)"/.exec(panel.webview.html)[1];
  const words = async (wrong) => {
    for (let after = 0; ; ) {
      const news = await (await fetch(`${source}news?after=${after}`)).json();
      if (news.wrong === wrong && news.samples) return news.words;
      after = news.number;
    }
  };
  await words(false);
  Object.assign(document, { isDirty: true, getText: () => "surface one() { Ci = diffuse_(N); }\n" });
  listeners.onDidChangeTextDocument({ document });
  assert.match(await words(true), /did you mean `diffuse`/);
  document.isDirty = false;
  listeners.onDidSaveTextDocument(document);
  assert.strictEqual(await words(false), "");
  assert.match(fs.readFileSync(file, "utf8"), /diffuse/);
  panel.dispose();
  fs.rmSync(folder, { recursive: true });
});

test("what cannot be shown is said", async () => {
  stub.window.activeTextEditor = undefined;
  await preview.show();
  assert.match(errors.pop(), /open a shader/);
});
