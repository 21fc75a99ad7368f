// Reads the models of FOLDERS, a JSON file with a list of folders, with Microsoft's modeling server, and prints for each its tables and
// cultures, as JSON: {folder: {tables: [...], cultures: [...], error: ""}}.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const theirs = new Client({ name: 'theirs', version: '1' });
const start = createRequire(import.meta.url).resolve('@microsoft/powerbi-modeling-mcp/index.js');
await theirs.connect(new StdioClientTransport({ command: process.execPath, args: [start, '--start'], env: process.env, stderr: 'ignore' }));

async function ask(name, request) {
  const result = await theirs.callTool({ name, arguments: { request } });
  if (result.isError) throw new Error(`${name} ${request.operation}: ${JSON.stringify(result.content)}`);
  return JSON.parse(result.content[0].text);
}

const read = {};
for (const folder of JSON.parse(readFileSync(process.env.FOLDERS, 'utf8'))) {
  const one = (read[folder] = { tables: [], cultures: [], error: '' });
  try {
    await ask('connection_operations', { operation: 'ConnectFolder', folderPath: folder });
    one.tables = (await ask('table_operations', { operation: 'List' })).data.map((t) => t.name).sort();
    one.cultures = ((await ask('culture_operations', { operation: 'List' })).data ?? []).map((c) => c.name).sort();
  } catch (fault) {
    one.error = String(fault);
  }
}
await theirs.close();
console.log(JSON.stringify(read));
