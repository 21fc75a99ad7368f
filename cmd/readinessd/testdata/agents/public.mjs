// Prepares public models as an agent that knows only the tools would, with both generations of the official TypeScript client. PROGRAM starts
// readiness mcp on FOLDER. It prints for each model how many tokens such an agent read before its first write: definitions, results and every
// text in full.
import assert from 'node:assert/strict';
import { Client as First } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as Second } from '@modelcontextprotocol/client';
import { StdioClientTransport as SecondStdio } from '@modelcontextprotocol/client/stdio';
import { readAll, prepareAsTold } from './check.mjs';

const { PROGRAM, FOLDER } = process.env;
for (const [version, Client, Stdio] of [['1', First, FirstStdio], ['2', Second, SecondStdio]]) {
  const client = new Client({ name: 'public', version });
  await client.connect(new Stdio({ command: PROGRAM, args: ['mcp', FOLDER, '--write'], env: process.env, stderr: 'ignore' }));
  const models = await readAll(client, 'list_models');
  assert.ok(models.length > 0);
  for (const { id } of models) {
    const { before, after, tokens, definitions } = await prepareAsTold(client, id);
    console.log(`client ${version}, ${id}: ${tokens} tokens, ${definitions} of them definitions; score ${before} to ${after}`);
    assert.ok(definitions <= 4000 && tokens <= 8000, `${id}: ${tokens} tokens before the first write`);
    assert.ok(after > before, `${id}: the score ${before} did not rise`);
  }
  await client.close();
}
