package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"readiness/ai/rules"
	"readiness/domain/proposal"
)

// patience bounds a wait for an answer.
const patience = 2 * time.Minute

// unread is how many messages a client may leave unread while it writes, as an editor, which reads all the time, does. Without it, client and
// server could wait for each other to read.
const unread = 10_000

// editor is a client of a server that serves a folder.
type editor struct {
	t        testing.TB
	root     string
	to       io.WriteCloser
	messages chan message
	ended    chan error
	next     int
	// problems is what was last said of each file, by path relative to the root; told is every notification.
	problems map[string][]diagnostic
	told     []message
}

// newEditor starts a server on a folder.
func newEditor(t testing.TB, root string) *editor {
	t.Helper()
	return newEditorWith(t, root, Options{})
}

// newEditorWith starts a server with options.
func newEditorWith(t testing.TB, root string, o Options) *editor {
	t.Helper()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	in, to := io.Pipe()
	from, out := io.Pipe()
	e := &editor{t: t, root: root, to: to, messages: make(chan message, unread), ended: make(chan error, 1), problems: map[string][]diagnostic{}}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		o.Version, o.Propose = "test", proposeByRules
		err := Serve(ctx, o, in, out)
		_ = out.Close()
		e.ended <- err
	}()
	go func() {
		defer close(e.messages)
		for r := bufio.NewReader(from); ; {
			m, err := readMessage(r)
			if err != nil {
				return
			}
			select {
			case e.messages <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { cancel(); _ = to.Close(); _ = from.Close() })
	return e
}

func proposeByRules(_ context.Context, ask proposal.Ask) (proposal.Answer, error) {
	return rules.Propose(ask), nil
}

// started is a client that initialized its server.
func started(t testing.TB, root string) *editor { return initialize(newEditor(t, root)) }

// initialize initializes the server of a client.
func initialize(e *editor) *editor {
	e.ask("initialize", map[string]any{"rootUri": uriOf(e.root), "capabilities": map[string]any{
		"workspace": map[string]any{"applyEdit": true, "workspaceEdit": map[string]any{"documentChanges": true, "resourceOperations": []string{"create"}}},
	}}, nil)
	e.tell("initialized", struct{}{})
	return e
}

func (e *editor) tell(method string, params any) {
	e.t.Helper()
	body, err := json.Marshal(params)
	if err == nil {
		err = writeMessage(e.to, message{Method: method, Params: body})
	}
	if err != nil {
		e.t.Fatal(err)
	}
}

// receive returns the next message, after it noted what is told.
func (e *editor) receive() message {
	e.t.Helper()
	select {
	case m, ok := <-e.messages:
		if !ok {
			e.t.Fatalf("the server ended: %v", <-e.ended)
		}
		e.told = append(e.told, m)
		if m.Method == "textDocument/publishDiagnostics" {
			var p struct {
				URI         string       `json:"uri"`
				Diagnostics []diagnostic `json:"diagnostics"`
			}
			if err := json.Unmarshal(m.Params, &p); err != nil {
				e.t.Fatal(err)
			}
			at, _ := pathOf(p.URI)
			below, _ := filepath.Rel(e.root, at)
			e.problems[filepath.ToSlash(below)] = p.Diagnostics
		}
		return m
	case <-time.After(patience):
		e.t.Fatal("no message came")
	}
	return message{}
}

// ask sends a request, reads its result, and returns why it was refused.
func (e *editor) ask(method string, params, result any) *failure {
	e.t.Helper()
	e.next++
	body, err := json.Marshal(params)
	id, _ := json.Marshal(e.next)
	if err == nil {
		err = writeMessage(e.to, message{ID: id, Method: method, Params: body})
	}
	if err != nil {
		e.t.Fatal(err)
	}
	for {
		m := e.receive()
		if m.Method != "" || string(m.ID) != string(id) {
			continue
		}
		if m.Error == nil && result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				e.t.Fatalf("%s: %v in %s", method, err, m.Result)
			}
		}
		return m.Error
	}
}

// scored waits until a model was assessed, and returns its score.
func (e *editor) scored() (told struct{ Score, Findings, Broken int }) {
	e.t.Helper()
	for {
		if m := e.receive(); m.Method == "readiness/score" {
			if err := json.Unmarshal(m.Params, &told); err != nil {
				e.t.Fatal(err)
			}
			return told
		}
	}
}

func (e *editor) uri(name string) string {
	return uriOf(filepath.Join(e.root, filepath.FromSlash(name)))
}

// open opens a file with its text on disk, or another one.
func (e *editor) open(name string, as ...string) {
	e.t.Helper()
	if len(as) == 0 {
		as = []string{read(e.t, filepath.Join(e.root, filepath.FromSlash(name)))}
	}
	e.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "version": 1, "text": as[0]}})
}

func (e *editor) change(name string, changes ...change) {
	e.t.Helper()
	e.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "version": 2}, "contentChanges": changes})
}

// at is the parameters of a request about a place: that of a text in a file, which is given as the editor has it.
func (e *editor) at(name, src, what string) map[string]any {
	e.t.Helper()
	n := strings.Index(src, what)
	if n < 0 {
		e.t.Fatalf("%s has no %q", name, what)
	}
	return map[string]any{"textDocument": map[string]any{"uri": e.uri(name)}, "position": newText(src).position(n)}
}

func read(t testing.TB, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// files writes files by path to a new folder, and returns the folder.
func files(t testing.TB, byPath map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, src := range byPath {
		write(t, filepath.Join(root, filepath.FromSlash(name)), src)
	}
	return root
}

func write(t testing.TB, file, src string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
}

// listed returns what was said of a file, a line each: place, severity, code.
func (e *editor) listed(name string) (all []string) {
	for _, d := range e.problems[name] {
		all = append(all, fmt.Sprintf("%d:%d-%d:%d %d %s", d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line, d.Range.End.Character,
			d.Severity, d.Code))
	}
	return all
}

func has(all []string, part string) bool {
	return slices.ContainsFunc(all, func(one string) bool { return strings.Contains(one, part) })
}
