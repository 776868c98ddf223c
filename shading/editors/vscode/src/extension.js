// Starts `kiln lsp` for shaders and scenes.

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const preview = require("./preview");

let client;

function makeClient() {
  const settings = workspace.getConfiguration("kiln");
  const server = {
    command: settings.get("path", "kiln"),
    args: ["lsp", ...settings.get("arguments", [])],
  };
  return new LanguageClient("kiln", "Kiln", server, {
    documentSelector: [{ language: "ksl" }, { language: "kiln" }],
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.{ksl,osl,tsl,h,kiln}") },
  });
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`Kiln: the language server failed to start (check the setting kiln.path): ${error.message}`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  // A client that never ran cannot be stopped.
  if (old?.isRunning()) await old.stop();
}

async function activate(context) {
  const restart = commands.registerCommand("kiln.restart", async () => {
    await stop();
    await start();
  });
  context.subscriptions.push(restart, commands.registerCommand("kiln.preview", preview.show), ...preview.watch());
  await start();
}

async function deactivate() {
  preview.closeAll();
  await stop();
}

module.exports = { activate, deactivate };
