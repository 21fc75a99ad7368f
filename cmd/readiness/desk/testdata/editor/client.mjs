// Works with readiness lsp by the protocol library of VS Code. PROGRAM and FOLDER are the program and a folder with the model FILE is in.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import assert from 'node:assert/strict';
import lsp from 'vscode-languageserver-protocol/node.js';

const { PROGRAM, FOLDER, FILE } = process.env;
const uri = (name) => pathToFileURL(join(FOLDER, name)).href;
const child = spawn(PROGRAM, ['lsp', '--stdio'], { env: process.env, stdio: ['pipe', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => child.on('exit', resolve));
const connection = lsp.createProtocolConnection(new lsp.StreamMessageReader(child.stdout), new lsp.StreamMessageWriter(child.stdin));
connection.onError(([err]) => { throw err; });

const problems = new Map();
let waiting = () => {};
connection.onNotification(lsp.PublishDiagnosticsNotification.type, (p) => { problems.set(p.uri, p.diagnostics); });
connection.onNotification('readiness/score', (told) => waiting(told));
const scored = () => new Promise((resolve) => { waiting = resolve; });
connection.listen();

const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid, rootUri: uri(''), workspaceFolders: null,
  capabilities: {
    textDocument: { codeAction: { resolveSupport: { properties: ['edit'] } } },
    workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['create'] } },
  },
});
assert.equal(capabilities.textDocumentSync.change, lsp.TextDocumentSyncKind.Incremental);
await connection.sendNotification(lsp.InitializedNotification.type, {});

const text = readFileSync(join(FOLDER, FILE), 'utf8').replace(/^\uFEFF/, '');
const textDocument = { uri: uri(FILE) };
let next = scored();
await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { ...textDocument, languageId: 'tmdl', version: 1, text } });
const before = await next;
const found = [...problems.values()].flat();
assert.ok(found.length > 0 && found.every((d) => lsp.Diagnostic.is(d) && d.source === 'readiness'), 'diagnostics');

const lines = text.split(/\r\n|\n/);
const line = lines.findIndex((l) => /^\tmeasure /.test(l));
const position = { line, character: '\tmeasure '.length + 1 };
const symbols = await connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument });
assert.ok(symbols.length > 0 && symbols.every((s) => lsp.DocumentSymbol.is(s)), 'symbols');
assert.ok(lsp.Hover.is(await connection.sendRequest(lsp.HoverRequest.type, { textDocument, position })), 'hover');
const [faulty, remarks] = [...problems].find(([, all]) => all.some((d) => d.code));
await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
  textDocument: { uri: faulty, languageId: 'tmdl', version: 1, text: readFileSync(fileURLToPath(faulty), 'utf8') },
});
const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
  textDocument: { uri: faulty }, range: remarks.find((d) => d.code).range, context: { diagnostics: remarks },
});
assert.ok(actions.length > 0 && actions.every((a) => a.data || lsp.CodeAction.is(a)), 'actions');
const ignored = actions.find((a) => a.edit);
assert.ok(lsp.WorkspaceEdit.is(ignored.edit) && ignored.edit.documentChanges.some((c) => lsp.CreateFile.is(c)), 'ignore');
const places = await connection.sendRequest(lsp.DefinitionRequest.type, { textDocument, position });
assert.equal(places[0].range.start.line, line);
const edit = await connection.sendRequest(lsp.RenameRequest.type, { textDocument, position, newName: 'A Name Nobody Has' });
assert.ok(lsp.WorkspaceEdit.is(edit) && edit.documentChanges.length > 0, 'rename');
await assert.rejects(connection.sendRequest(lsp.RenameRequest.type, { textDocument, position, newName: ' ' }), /a name has/);

next = scored();
await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
  textDocument: { ...textDocument, version: 2 }, contentChanges: [{ range: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } }, text: '\t"broken\n' }],
});
let broken = await next;
while (broken.broken === 0) { // the score of the model with the file that was opened before
  broken = await scored();
}
assert.ok(broken.broken === 1 && broken.findings === before.findings, 'a broken file keeps the last findings');
const items = await connection.sendRequest(lsp.CompletionRequest.type, { textDocument, position });
assert.ok(items === null || Array.isArray(items.items), 'completion');

await connection.sendRequest(lsp.ShutdownRequest.type);
await connection.sendNotification(lsp.ExitNotification.type);
assert.equal(await ended, 0);
console.log(`the protocol library of VS Code: right, ${found.length} problems`);
