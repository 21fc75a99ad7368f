// Assesses a model with this program, edits it with Microsoft's modeling server, and assesses it again.
// PROGRAM and FOLDER start readiness mcp; MODEL is the model's folder.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { checker, rowsOf } from './check.mjs';

const { PROGRAM, FOLDER, MODEL } = process.env;
const ours = new Client({ name: 'ours', version: '1' });
await ours.connect(new StdioClientTransport({ command: PROGRAM, args: ['mcp', FOLDER, '--write'], env: process.env }));
const theirs = new Client({ name: 'theirs', version: '1' });
const start = createRequire(import.meta.url).resolve('@microsoft/powerbi-modeling-mcp/index.js');
await theirs.connect(new StdioClientTransport({ command: process.execPath, args: [start, '--start'], env: process.env, stderr: 'ignore' }));

async function modeling(name, request) {
  const result = await theirs.callTool({ name, arguments: { request } });
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
  return result;
}

const { data, refused } = checker(ours);
const before = await data('assess', { model: MODEL });
const preview = await data('preview', { model: MODEL, kind: 'descriptions' });
const needs = await data('list_changes', { previewId: preview.previewId, what: 'needsYourWords' });
const need = needs.needsYourWords.rows.find((n) => n.key.endsWith('|Week'));
const [table, object] = need.key.split('|');

await modeling('connection_operations', { operation: 'ConnectFolder', folderPath: join(FOLDER, MODEL) });
await modeling('column_operations', { operation: 'Update', definitions: [
  { tableName: table, name: object, description: 'Counts the weeks of the calendar year from 1 to 53, as in ISO 8601.' },
] });
await modeling('database_operations', { operation: 'ExportToTmdlFolder', tmdlFolderPath: join(FOLDER, MODEL, 'definition') });

const keysOf = (changes) => rowsOf(changes).map((c) => c.key);
await refused('apply', { previewId: preview.previewId, keys: keysOf(preview.changes) }, /changed since the preview/);
const after = await data('assess', { model: MODEL });
const compared = await data('compare', { model: MODEL, before: before.assessmentId, after: after.assessmentId });
assert.deepEqual(compared.findings.rows.filter((f) => f.change === 'fixed').map((f) => [f.table, f.object]), [[table, object]]);
assert.equal(compared.new, 0);

const again = await data('preview', { model: MODEL, kind: 'descriptions' });
const written = await data('apply', { previewId: again.previewId, keys: keysOf(again.changes) });
await modeling('connection_operations', { operation: 'ConnectFolder', folderPath: join(FOLDER, MODEL) });
const read = await modeling('measure_operations', { operation: 'List' });
const described = rowsOf(written.changes).find((c) => c.objectType === 'Measure');
assert.ok(JSON.stringify(read.content).includes(described.then), 'the modeling server does not read what was written');
await ours.close();
await theirs.close();
console.log(`score ${before.score}, after the modeling server ${after.score}, after this program ${written.scoreAfter}: right`);
