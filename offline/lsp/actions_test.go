package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readiness/definition"
	"readiness/domain/optimization"
	"readiness/offline"
)

// applied makes the change in the files, as an editor does, and returns the files that it made or changed.
func (e *editor) applied(w *workspaceEdit) (changed []string) {
	e.t.Helper()
	if w == nil {
		e.t.Fatal("there is no edit")
	}
	for _, one := range w.DocumentChanges {
		body, _ := json.Marshal(one)
		var c struct {
			Kind, URI string
			Document  struct{ URI string } `json:"textDocument"`
			Edits     []textEdit
		}
		if err := json.Unmarshal(body, &c); err != nil {
			e.t.Fatal(err)
		}
		if c.Kind == "create" {
			at, _ := pathOf(c.URI)
			write(e.t, at, "")
			continue
		}
		at, _ := pathOf(c.Document.URI)
		data, err := os.ReadFile(at)
		if err != nil {
			e.t.Fatal(err)
		}
		src := strings.TrimPrefix(string(data), "\ufeff")
		mark := strings.TrimSuffix(string(data), src)
		slices.SortFunc(c.Edits, func(a, b textEdit) int { // from the end, as they are all of the text before
			return newText(src).offset(b.Range.Start) - newText(src).offset(a.Range.Start)
		})
		for _, edit := range c.Edits {
			src = newText(src).with(change{&edit.Range, edit.NewText}).src
		}
		write(e.t, at, mark+src)
		below, _ := filepath.Rel(e.root, at)
		changed = append(changed, filepath.ToSlash(below))
	}
	return changed
}

// offered returns the actions at a place.
func (e *editor) offered(name, src, what string) (all []action) {
	e.t.Helper()
	p := e.at(name, src, what)
	p["range"] = span{p["position"].(position), p["position"].(position)}
	if err := e.ask("textDocument/codeAction", p, &all); err != nil {
		e.t.Fatal(err)
	}
	return all
}

func titled(all []action, title string) *action {
	for n := range all {
		if strings.Contains(all[n].Title, title) {
			return &all[n]
		}
	}
	return nil
}

// The change of an action is what readiness apply writes of that object, to the byte.
func TestApplyByAction(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../samples/workspaces/Retail Analytics")); err != nil {
		t.Fatal(err)
	}
	e := started(t, root)
	items, _, err := offline.Find(t.Context(), root, []string{root})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, i := range items {
		p, _, err := offline.Propose(t.Context(), []offline.Item{i}, offline.ProposeOptions{Kinds: []optimization.Kind{optimization.Descriptions},
			Propose: proposeByRules})
		if err != nil || p[0].Error != nil || len(p[0].Previews[0].Changes) == 0 {
			continue
		}
		c := p[0].Previews[0].Changes[0]
		want, err := p[0].With([]string{c.Key})
		if err != nil {
			t.Fatal(err)
		}
		n := slices.IndexFunc(want.After.Parts, func(after definition.Part) bool {
			before, _ := want.Before.Part(after.Path)
			return string(before) != string(after.Data)
		})
		part := want.After.Parts[n]
		file := filepath.Join(i.Dir(), filepath.FromSlash(part.Path))
		name, _ := filepath.Rel(e.root, file)
		src := strings.TrimPrefix(read(t, file), "\ufeff")
		e.open(filepath.ToSlash(name), src)
		e.scored()
		var fix *action
		for _, a := range e.offeredIn(filepath.ToSlash(name), src) {
			var of wanted
			if len(a.Data) > 0 && json.Unmarshal(a.Data, &of) == nil && of.Table == c.Table && of.Object == c.Object && strings.HasPrefix(of.Rule, "DSC") {
				fix = &a
				break
			}
		}
		if fix == nil {
			t.Errorf("%s: no action for %s", i.Shown, c.Key)
			continue
		}
		if fix.Edit == nil {
			if err := e.ask("codeAction/resolve", fix, fix); err != nil {
				t.Errorf("%s: %v", c.Key, err)
				continue
			}
		}
		e.applied(fix.Edit)
		if got := read(t, file); got != string(part.Data) {
			t.Errorf("%s: got\n%s\nnot\n%s", c.Key, got, part.Data)
		}
		tried++
	}
	if tried < 2 {
		t.Errorf("only %d models were tried", tried)
	}
}

// offeredIn returns the actions of an entire file.
func (e *editor) offeredIn(name, src string) (all []action) {
	e.t.Helper()
	p := map[string]any{"textDocument": map[string]any{"uri": e.uri(name)}, "range": span{End: newText(src).position(len(src))}}
	if err := e.ask("textDocument/codeAction", p, &all); err != nil {
		e.t.Fatal(err)
	}
	return all
}

func TestIgnoreByAction(t *testing.T) {
	t.Parallel()
	e := started(t, shop(t))
	e.open(salesFile)
	first := e.scored()
	for n, place := range []string{"table Sales", "column Amount"} {
		a := titled(e.offered(salesFile, sales, place), "ignore DSC-")
		if a == nil {
			t.Fatalf("nothing to ignore at %s: %v", place, e.listed(salesFile))
		}
		if changed := e.applied(a.Edit); len(changed) != 1 || changed[0] != defaultIgnores {
			t.Errorf("changed %q", changed)
		}
		e.tell("workspace/didChangeWatchedFiles", struct{}{})
		if now := e.scored(); now.Findings != first.Findings-n-1 {
			t.Errorf("%d ignored: %+v", n+1, now)
		}
	}
	// With a reason, by a command.
	a := titled(e.offered(salesFile, sales, "measure"), "ignore")
	var d findingData
	if err := json.Unmarshal(a.Diagnostics[0].Data, &d); err != nil {
		t.Fatal(err)
	}
	if err := e.ask("workspace/executeCommand", map[string]any{"command": "readiness.ignore", "arguments": []any{d, "it: is \"so\""}}, nil); err != nil {
		t.Fatal(err)
	}
	n := slices.IndexFunc(e.told, func(m message) bool { return m.Method == "workspace/applyEdit" })
	var asked struct{ Edit workspaceEdit }
	if err := json.Unmarshal(e.told[n].Params, &asked); err != nil {
		t.Fatal(err)
	}
	e.applied(&asked.Edit)
	g, err := offline.ReadIgnores(filepath.Join(e.root, defaultIgnores))
	if err != nil || len(g.Entries) != 3 || g.Entries[2].Reason != `it: is "so"` {
		t.Errorf("%v %+v", err, g)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	e := started(t, shop(t))
	e.open(salesFile)
	e.scored()
	run := func(command string, arguments ...any) (result json.RawMessage, err *failure) {
		err = e.ask("workspace/executeCommand", map[string]any{"command": command, "arguments": arguments}, &result)
		return result, err
	}
	for _, uri := range []string{"", e.uri(salesFile), e.uri("Shop.SemanticModel")} {
		result, err := run("readiness.next", uri, 60)
		if err != nil || !strings.Contains(string(result), `"points"`) {
			t.Errorf("next of %q: %v %s", uri, err, result)
		}
	}
	if result, err := run("readiness.findings"); err != nil || !strings.Contains(string(result), salesFile) {
		t.Errorf("findings: %v %s", err, result)
	}
	for _, command := range []string{"readiness.rule", "readiness.showNext"} {
		if _, err := run(command, map[string]string{"readiness.rule": "DSC-01"}[command]); err != nil || e.told[len(e.told)-2].Method != "window/showMessage" {
			t.Errorf("%s: %v %+v", command, err, e.told[len(e.told)-2])
		}
	}
	for name, arguments := range map[string][]any{"readiness.rule": {"NAM-99"}, "readiness.ignore": {1}, "readiness.next": {"file:///nowhere"},
		"readiness.fly": nil, "readiness.findings": {1, 2}} {
		if _, err := run(name, arguments...); err == nil {
			t.Errorf("%s%v is accepted", name, arguments)
		}
	}
	model := "Shop.SemanticModel/definition/model.tmdl"
	e.open(model)
	e.scored()
	var lenses []struct{ Command command }
	if err := e.ask("textDocument/codeLens", e.at(model, read(t, e.root+"/"+model), "model"), &lenses); err != nil || len(lenses) != 1 ||
		!strings.Contains(lenses[0].Command.Title, "Score ") {
		t.Errorf("%v %+v", err, lenses)
	}
	p := e.at(model, read(t, e.root+"/"+model), "model")
	p["range"] = span{End: position{9, 0}}
	var hints []struct {
		Position position
		Label    string
	}
	if err := e.ask("textDocument/inlayHint", p, &hints); err != nil || len(hints) != 1 || hints[0].Label != lenses[0].Command.Title ||
		hints[0].Position != (position{0, len("model Model")}) {
		t.Errorf("%v %+v", err, hints)
	}
}

// An editor that shows lenses shows no hints, and no editor does in other files or lines.
func TestHints(t *testing.T) {
	t.Parallel()
	const model = "Shop.SemanticModel/definition/model.tmdl"
	for name, tt := range map[string]struct {
		client any
		file   string
		line   int
		want   int
	}{
		"without lenses": {struct{}{}, model, 0, 1},
		"with lenses":    {map[string]any{"textDocument": map[string]any{"codeLens": struct{}{}}}, model, 0, 0},
		"a table":        {struct{}{}, salesFile, 0, 0},
		"further down":   {struct{}{}, model, 1, 0},
	} {
		e := newEditor(t, shop(t))
		e.ask("initialize", map[string]any{"rootUri": uriOf(e.root), "capabilities": tt.client}, nil)
		e.tell("initialized", struct{}{})
		e.open(tt.file)
		e.scored()
		var hints []any
		err := e.ask("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": e.uri(tt.file)},
			"range": span{position{tt.line, 0}, position{9, 0}}}, &hints)
		if err != nil || len(hints) != tt.want {
			t.Errorf("%s: %v (%v)", name, hints, err)
		}
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{"a\nb\n", "a\nx\nb\n", "x\n"}, {"a\nb\n", "a\nb\nc\n", "c\n"}, {"a\nb\n", "a\n", ""}, {"a", "b", "b"}, {"", "x", "x"}, {"x\r\ny\r\n", "x\r\nz\r\n", "z\r\n"},
		{"a\né\nb", "a\nè\nb", "è\n"}, {"a\na\n", "a\na\na\n", "a\n"}, {"x", "x", ""}, {"a\nb", "a\nb\nc", "b\nc"},
	} {
		d := difference(newText(tt[0]), tt[1])
		if got := newText(tt[0]).with(change{&d.Range, d.NewText}).src; got != tt[1] || d.NewText != tt[2] {
			t.Errorf("%q to %q: %+v makes %q", tt[0], tt[1], d, got)
		}
	}
}
