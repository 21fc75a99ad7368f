// Starts readiness lsp, and shows what editors have no place for: the score, and the findings by effort. It sends nothing anywhere.
'use strict'

const vscode = require('vscode')
const { LanguageClient, State } = require('vscode-languageclient/node')

let client

function start() {
  const settings = vscode.workspace.getConfiguration('readiness')
  const args = ['lsp']
  for (const name of ['ignore', 'rules']) {
    if (settings.get(name)) args.push('--' + name, settings.get(name))
  }
  client = new LanguageClient('readiness', 'Readiness', { command: settings.get('path'), args }, {
    documentSelector: ['**/*.tmdl', '**/*.bim', '**/Copilot/**', '**/*.Report/**'].map((pattern) => ({ scheme: 'file', pattern })),
    initializationOptions: { askReason: true },
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{tmdl,bim,json,md,yaml,pbir,pbism}') },
    middleware: {
      // The lens of the server says the score; a click lists what to do.
      async provideCodeLenses(document, token, next) {
        const all = await next(document, token)
        for (const lens of all ?? []) {
          if (lens.command?.command === 'readiness.showNext') lens.command.command = 'readiness.first'
        }
        return all
      },
    },
  })
  return client
}

// Tree is the findings of the model that was assessed last, by effort and rule.
class Tree {
  changed = new vscode.EventEmitter()
  onDidChangeTreeData = this.changed.event
  groups = []

  async load(uri) {
    this.groups = (await client.sendRequest('workspace/executeCommand', { command: 'readiness.findings', arguments: [uri] })) ?? []
    this.changed.fire()
  }

  getChildren(node) {
    if (!node) return [...new Set(this.groups.map((g) => g.effort))].map((effort) => ({ effort }))
    if (node.effort && !node.rule) return this.groups.filter((g) => g.effort === node.effort)
    return node.findings ?? []
  }

  getTreeItem(node) {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState
    if (node.rule) {
      const item = new vscode.TreeItem(node.title, Collapsed)
      item.description = `${node.rule}, ${node.points.toFixed(1)} points`
      item.tooltip = node.title
      return item
    }
    if (node.effort) return new vscode.TreeItem({ minutes: 'Minutes', hour: 'An hour', days: 'Days' }[node.effort] ?? node.effort, Expanded)
    const item = new vscode.TreeItem(node.object, None)
    const place = new vscode.Range(node.line, 0, node.line, 0)
    item.command = { title: 'Open', command: 'vscode.open', arguments: [vscode.Uri.parse(node.uri), { selection: place }] }
    return item
  }
}

async function askReason(finding) {
  const reason = await vscode.window.showInputBox({ prompt: `Why is ${finding.rule} accepted here?`, ignoreFocusOut: true })
  if (reason?.trim()) await client.sendRequest('workspace/executeCommand', { command: 'readiness.ignore', arguments: [finding, reason] })
}

async function first(uri) {
  const steps = await client.sendRequest('workspace/executeCommand', { command: 'readiness.next', arguments: [uri, 30] })
  const picked = await vscode.window.showQuickPick(
    steps.map((s) => ({ label: `${s.points >= 0 ? '+' : ''}${s.points.toFixed(1)}  ${s.what}`, description: s.effort, detail: s.command || s.rules.join(', '), step: s })),
    { title: 'The next 30 minutes', matchOnDetail: true },
  )
  if (picked?.step.command) await vscode.env.clipboard.writeText(picked.step.command)
  else if (picked) await client.sendRequest('workspace/executeCommand', { command: 'readiness.rule', arguments: [picked.step.rules[0]] })
}

// prepare shows what readiness apply would change in a model, and writes it, with a record, when a person says so.
async function prepare(uri) {
  if (!uri) return vscode.window.showInformationMessage('Open a file of a semantic model first.')
  const run = (...more) => vscode.tasks.executeTask(new vscode.Task({ type: 'process' }, vscode.TaskScope.Workspace, 'Prepare for AI', 'readiness',
    new vscode.ProcessExecution(vscode.workspace.getConfiguration('readiness').get('path'), ['apply', vscode.Uri.parse(uri).fsPath, ...more])))
  await run()
  const write = 'Write'
  const chosen = await vscode.window.showInformationMessage('The terminal shows what would change. Write it? The record by which readiness revert undoes it is written first.', write)
  if (chosen === write) await run('--write')
}

async function activate(context) {
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 100)
  const tree = new Tree()
  let model
  const run = async () => {
    start()
    client.onNotification('readiness/score', (told) => {
      model = told.uri
      status.text = `$(sparkle) ${told.score ?? '–'}`
      status.tooltip = `${told.model}: ${told.findings} findings${told.broken ? '. A file cannot be read; its last readable state counts' : ''}`
      status.command = 'readiness.first'
      status.show()
      tree.load(told.uri).catch(() => {})
    })
    client.onDidChangeState((s) => { if (s.newState === State.Stopped) status.hide() })
    await client.start().catch(async (err) => {
      const open = 'Settings'
      const chosen = await vscode.window.showErrorMessage(`Readiness cannot start: ${err.message}. Install the program readiness, or name it in the settings.`, open)
      if (chosen === open) await vscode.commands.executeCommand('workbench.action.openSettings', 'readiness.path')
    })
  }
  context.subscriptions.push(status,
    vscode.window.registerTreeDataProvider('readiness.findings', tree),
    vscode.commands.registerCommand('readiness.askReason', askReason),
    vscode.commands.registerCommand('readiness.first', (uri) => first(uri ?? model)),
    vscode.commands.registerCommand('readiness.prepare', () => prepare(model)),
    vscode.commands.registerCommand('readiness.restart', async () => { await client?.stop().catch(() => {}); await run() }),
  )
  await vscode.commands.executeCommand('setContext', 'readiness.active', true)
  await run()
}

module.exports = { activate, deactivate: () => client?.stop() }
