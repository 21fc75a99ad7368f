// Walks through the tools with both generations of the official TypeScript client, over both transports.
// PROGRAM and FOLDER start readiness mcp; ADDRESS and TOKEN are those of a service.
import { Client as First } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHTTP } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Second, StreamableHTTPClientTransport as SecondHTTP } from '@modelcontextprotocol/client';
import { StdioClientTransport as SecondStdio } from '@modelcontextprotocol/client/stdio';
import { modelOf, prepare, walk } from './check.mjs';

const { PROGRAM, FOLDER, ADDRESS, TOKEN } = process.env;
for (const [version, Client, Stdio, HTTP] of [['1', First, FirstStdio, FirstHTTP], ['2', Second, SecondStdio, SecondHTTP]]) {
  const local = new Client({ name: 'files', version });
  await local.connect(new Stdio({ command: PROGRAM, args: ['mcp', FOLDER, '--write'], env: process.env }));
  await walk(local, 'Inventory.SemanticModel');
  await prepare(local, 'Inventory.SemanticModel');
  await local.close();
  console.log(`the client of version ${version} over stdio: right`);

  const remote = new Client({ name: 'service', version });
  await remote.connect(new HTTP(new URL(ADDRESS), { requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } } }));
  await walk(remote, await modelOf(remote, 'Retail Analytics', 'Inventory'));
  await remote.close();
  console.log(`the client of version ${version} over HTTP: right`);
}
