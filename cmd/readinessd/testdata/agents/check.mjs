// Calls of tools that must succeed or be refused, for any of the clients.
import assert from 'node:assert/strict';

// checker returns functions that call the tools of a connected client. Each text that a tool returns goes to heard.
export function checker(client, heard = () => {}) {
  async function call(name, args) {
    const result = await client.callTool({ name, arguments: args });
    const text = result.content.map((c) => c.text).join('');
    heard(text);
    if (!result.isError) {
      const [, mark] = text.match(/^BEGIN DATA (\w+) /m);
      assert.ok(text.endsWith(`END DATA ${mark}`), `${name}: the data is not marked`);
      assert.ok(text.length < 24 << 10, `${name}: ${text.length} characters`);
    }
    return { ...result, text };
  }
  return {
    async data(name, args) {
      for (let again = 0; again < 20; again++) {
        const result = await call(name, args);
        assert.ok(!result.isError, `${name}: ${result.text}`);
        assert.equal(result.structuredContent, undefined, `${name}: the data are sent twice`);
        const data = JSON.parse(result.text.split('\n').at(-2)); // between the marks
        if (!data.pending) return data;
        args = { ...args, operationId: data.pending.operationId };
      }
      assert.fail(`${name} does not end`);
    },
    async refused(name, args, reason) {
      const result = await call(name, args);
      assert.ok(result.isError, `${name} was not refused`);
      assert.match(result.text, reason);
    },
  };
}

// rowsOf returns the changes of a page one by one.
export const rowsOf = ({ groups }) => groups.flatMap(({ keys = [], texts = {}, then, ...common }) =>
  [...keys.map((key) => [key, then]), ...Object.entries(texts)].map(([key, then]) => ({ ...common, key, then })));

// walk does what an agent does with a model: it assesses, explains, previews, writes, compares and reverts.
export async function walk(client, model) {
  const { data, refused } = checker(client);
  const { tools } = await client.listTools();
  for (const tool of tools) {
    assert.ok(tool.inputSchema && !tool.outputSchema && tool.description, `${tool.name} lacks a schema or a description`);
    assert.equal(tool.annotations.destructiveHint, ['apply', 'revert'].includes(tool.name), tool.name);
  }
  const before = await data('assess', { model });
  const found = await data('list_findings', { model, assessmentId: before.assessmentId, rule: before.rules[0].rule });
  assert.ok(found.total > 0);
  const rule = await data('explain', { rule: before.rules[0].rule, model, assessmentId: before.assessmentId });
  assert.ok(rule.fix && rule.findings.total > 0);
  const preview = await data('preview', { model, kind: 'descriptions' });
  const [first] = rowsOf(preview.changes);
  await refused('apply', { previewId: preview.previewId, keys: ['No|Such'] }, /key/);
  const written = await data('apply', { previewId: preview.previewId, keys: [first.key] });
  assert.equal(rowsOf(written.changes)[0].then, first.then);
  const after = await data('assess', { model });
  const compared = await data('compare', { model, before: before.assessmentId, after: after.assessmentId });
  assert.equal(compared.fixed, 1);
  const revert = await data('preview_revert', { record: written.record });
  await data('revert', { previewId: revert.previewId });
  const restored = await data('assess', { model });
  assert.equal(restored.findings, before.findings);
  const rules = await client.readResource({ uri: 'readiness://rules' });
  assert.match(rules.contents[0].text, /DSC-01/);
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((p) => p.name).sort(), ['prepare_model', 'write_descriptions']);
  const prompt = await client.getPrompt({ name: 'prepare_model', arguments: { model } });
  assert.match(prompt.messages[0].content.text, /BEGIN DATA/);
}

// definitionsOf returns what a client tells a language model about a server: its instructions, and the tools.
async function definitionsOf(client) {
  const { tools } = await client.listTools();
  return client.getInstructions() + JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
}

// readAll reads every page of a tool's rows.
export async function readAll(client, tool, args = {}) {
  const { data } = checker(client);
  const rows = [];
  for (let cursor; ;) {
    const page = await data(tool, { ...args, ...(cursor && { cursor }) });
    rows.push(...page.rows);
    if (!(cursor = page.nextCursor)) return rows;
  }
}

// previewOf makes a preview and reads every page of its changes, as all.
async function previewOf(data, input) {
  const preview = await data('preview', input);
  const all = rowsOf(preview.changes);
  for (let cursor = preview.changes.nextCursor; cursor;) {
    const { changes } = await data('list_changes', { previewId: preview.previewId, cursor });
    all.push(...rowsOf(changes));
    cursor = changes.nextCursor;
  }
  return { ...preview, all };
}

// prepareAsTold is told only "prepare this model for AI": it does what the descriptions of the tools and the results say, reads every text of
// every kind that the rules name, and then writes all of it and reverts it.
export async function prepareAsTold(client, model) {
  const definitions = await definitionsOf(client);
  let bytes = Buffer.byteLength(definitions);
  const { data } = checker(client, (text) => { bytes += Buffer.byteLength(text); });
  const assessed = await data('assess', { model });
  const told = client.getInstructions();
  assert.match(told, /list_models.*assess/s);
  const order = ['properties', 'descriptions', 'aiDataSchema', 'aiInstructions']; // as the input of preview says
  const kinds = order.filter((kind) => assessed.rules.some(({ fixedBy = [] }) => fixedBy.includes(kind)));
  const read = (kind) => previewOf(data, { model, kind });
  for (const kind of kinds) await read(kind);
  const tokens = Math.ceil(bytes / 4);
  const records = [];
  for (const kind of kinds) {
    const preview = await read(kind);
    if (preview.all.length === 0) continue; // nothing to do
    const written = await data('apply', { previewId: preview.previewId, keys: [...new Set(preview.all.map((c) => c.key))] });
    records.unshift(written.record);
  }
  const after = (await data('assess', { model })).score;
  for (const record of records) {
    const { previewId } = await data('preview_revert', { record });
    await data('revert', { previewId });
  }
  const restored = await data('assess', { model });
  assert.deepEqual([restored.score, restored.findings], [assessed.score, assessed.findings], `${model}: the reverts restore everything`);
  return { before: assessed.score, after, tokens, definitions: Math.ceil(Buffer.byteLength(definitions) / 4) };
}

// prepare prepares a model in files for AI as its tools say. A person reads every text in full, refuses one and writes another.
export async function prepare(client, model) {
  let bytes = Buffer.byteLength(await definitionsOf(client));
  const { data } = checker(client, (text) => { bytes += Buffer.byteLength(text); });
  const read = (kind, words) => previewOf(data, { model, kind, ...(words && { words }) });
  await data('list_models', {});
  const before = await data('assess', { model });
  const kinds = ['properties', 'descriptions', 'aiDataSchema', 'aiInstructions'];
  const shown = {};
  for (const kind of kinds) shown[kind] = await read(kind);
  assert.ok(bytes / 4 <= 8000, `${bytes / 4} tokens before the first write`);
  const own = `${shown.aiInstructions.all[0].then}\n- Lead time is in calendar days.`;
  const records = [];
  for (const kind of kinds) {
    const preview = await read(kind, kind === 'aiInstructions' ? [{ key: 'aiInstructions', text: own }] : undefined);
    const agreed = kind === 'descriptions' ? preview.all.slice(1) : preview.all;
    const written = await data('apply', { previewId: preview.previewId, keys: agreed.map((c) => c.key) });
    const texts = (all) => Object.fromEntries(all.map((c) => [c.key, c.then]));
    assert.deepEqual(texts(rowsOf(written.changes)), texts(agreed), kind);
    if (kind === 'aiInstructions') assert.equal(agreed[0].then, own);
    records.unshift(written.record);
  }
  assert.ok((await data('assess', { model })).score > before.score);
  for (const record of records) {
    const { previewId } = await data('preview_revert', { record });
    await data('revert', { previewId });
  }
  const { score, findings } = await data('assess', { model });
  assert.deepEqual([score, findings], [before.score, before.findings]);
}

// modelOf finds a model of the service by the names of its workspace and its own.
export async function modelOf(client, workspace, name) {
  const { data } = checker(client);
  const workspaces = await data('list_models', {});
  const models = await data('list_models', { within: workspaces.rows.find((w) => w.name === workspace).id });
  return models.rows.find((m) => m.name === name).id;
}
