// Starts `warhost lsp` and hands everything that the editor asks to it.
"use strict";

const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate(context) {
  const [command, ...args] = workspace.getConfiguration("warhost").get("command");
  const watcher = workspace.createFileSystemWatcher("**/*.{rules,yaml}");
  context.subscriptions.push(watcher);
  client = new LanguageClient(
    "warhost",
    "Warhost",
    { command, args },
    {
      documentSelector: [
        { scheme: "file", language: "rules" },
        { scheme: "file", language: "yaml" },
      ],
      synchronize: { fileEvents: watcher },
    },
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(
      `Warhost's language server does not start (${[command, ...args].join(" ")}). ` +
        `Install it with: pip install "warhost[lsp]", or say in the setting warhost.command where it is. ${error}`,
    );
  }
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
