-- Works with readiness lsp by the client that Neovim has. PROGRAM, FOLDER and FILE are as for client.mjs.
local function fail(what) io.stderr:write(what .. "\n"); vim.cmd("cquit 1") end
local file = vim.env.FOLDER .. "/" .. vim.env.FILE
vim.cmd("edit " .. vim.fn.fnameescape(file))
local id = vim.lsp.start_client({ name = "readiness", cmd = { vim.env.PROGRAM, "lsp" }, root_dir = vim.env.FOLDER })
if not id or not vim.lsp.buf_attach_client(0, id) then fail("no client") end
if not vim.wait(60000, function() return #vim.diagnostic.get(nil) > 0 end, 50) then fail("no diagnostics") end
local line = vim.fn.search([[^\tmeasure ]])
local place = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line - 1, character = 10 } }
local function ask(method, params)
  local all, err = vim.lsp.buf_request_sync(0, method, params, 60000)
  local answer = all and all[id]
  if not answer or answer.error or not answer.result then fail(method .. ": " .. vim.inspect(answer or err)) end
  return answer.result
end
ask("textDocument/hover", place)
local before = vim.api.nvim_buf_get_lines(0, line - 1, line, false)[1]
vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", vim.tbl_extend("force", place, { newName = "A Name Nobody Has" })), "utf-16")
local after = vim.api.nvim_buf_get_lines(0, line - 1, line, false)[1]
if after == before or not after:find("'A Name Nobody Has'", 1, true) then fail("renamed to " .. after) end
vim.cmd("silent wall") -- the other files of the rename are in buffers without the server
local function records() return vim.fn.glob(vim.env.FOLDER .. "/readiness-apply-*.json", false, true) end
if not vim.wait(60000, function() return #records() > 0 end, 50) then fail("no record of the rename") end
print("Neovim: right, " .. #vim.diagnostic.get(nil) .. " problems")
vim.lsp.stop_client(id, true)
vim.cmd("qall!")
