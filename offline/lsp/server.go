// Package lsp serves the semantic models in a folder to an editor by the Language Server Protocol: findings while one types,
// what AI sees of an object, and changes of files, which the editor makes. It writes no file but the record of a renaming. Texts that are
// open count as the editor has them. A file that cannot be read counts as it was when it last could.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"readiness/domain/proposal"
	"readiness/domain/readiness"
	scoring "readiness/domain/readiness/model"
	"readiness/offline"
)

// Options configures Serve.
type Options struct {
	Version string
	// IgnoreFile lists accepted findings; it need not exist.
	IgnoreFile string
	// Regime returns what makes the scores of models in a folder, and what is wrong in its files; nil for the current one. It is called
	// before each assessment, not at the same time.
	Regime  func(root string) (*readiness.Regime, []offline.Warning)
	Propose func(context.Context, proposal.Ask) (proposal.Answer, error)
}

// pause is how long nothing must be typed before a model is assessed again.
const pause = 10 * time.Millisecond

// Bounds of what is open: more files are read from disk, as if they were not.
const (
	maxOpen      = 500
	maxOpenBytes = 128 << 20
)

// An assessment leaves much that is garbage at once. Collecting it less often saves a third of the time from a keystroke to its findings; near the
// limit of memory, in bytes, it is collected more often again.
const (
	garbage     = 400
	memoryLimit = 512 << 20
)

// server is the state of a connection. Only its loop changes it.
type server struct {
	Options
	ctx  context.Context
	out  io.Writer
	root string // absolute; "" until the client said it

	client   capabilities
	state    lifecycle
	open     map[string]*document // by absolute path
	models   map[string]*model    // by the folder that their parts start from
	assessed chan assessment      // what the one running assessment made
	running  bool
	later    *time.Timer
	tasks    chan func() // what goroutines have for the loop
	asks     bool        // whether the client asks for the reason of an ignore
	made     proposing
	awaited  *awaited
	requests int   // how many the client got
	err      error // of writing
}

type lifecycle int

const (
	created lifecycle = iota
	initialized
	shutDown
)

// document is an open text.
type document struct {
	uri     string
	version int
	text
}

// ErrNoShutdown reports that the client ended the connection by exit, without shutdown.
var ErrNoShutdown = errors.New("the editor ended the connection without shutdown")

// incoming is a message, or why there is none.
type incoming struct {
	message
	err error
}

// Serve answers the messages of in on out until in ends, exit, or the end of the context.
func Serve(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	defer debug.SetGCPercent(debug.SetGCPercent(garbage))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{Options: o, ctx: ctx, out: out, open: map[string]*document{}, models: map[string]*model{},
		assessed: make(chan assessment), later: time.NewTimer(pause), tasks: make(chan func())}
	messages := make(chan incoming)
	go func() {
		for r := bufio.NewReader(in); ; {
			m, err := readMessage(r)
			select {
			case messages <- incoming{m, err}:
			case <-ctx.Done():
				return
			}
			if _, refused := errors.AsType[*failure](err); err != nil && !refused && !errors.Is(err, errTooLarge) {
				return
			}
		}
	}()
	for s.err == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m := <-messages:
			if m.err == nil && m.Method == "exit" {
				if s.state != shutDown {
					return ErrNoShutdown
				}
				return nil
			}
			if done, err := s.receive(m); done {
				return err
			}
		case <-s.later.C:
			s.assessNext()
		case a := <-s.assessed:
			s.take(a)
		case do := <-s.tasks:
			do()
		}
	}
	return s.err
}

// receive handles what was read. It reports whether the connection is at its end.
func (s *server) receive(m incoming) (done bool, err error) {
	refused, isRefused := errors.AsType[*failure](m.err)
	switch {
	case errors.Is(m.err, io.EOF), errors.Is(m.err, io.ErrUnexpectedEOF):
		return true, nil // the editor is gone
	case errors.Is(m.err, errTooLarge):
		// It may have changed any open text, so that none is known any more.
		clear(s.open)
		for _, one := range s.models {
			one.touch()
		}
		s.schedule()
		s.answer(json.RawMessage("null"), nil, refuse(invalidRequest, "a message has more than %d bytes", maxMessage))
		s.notify("window/showMessage", map[string]any{"type": 2, "message": fmt.Sprintf("Readiness passed over a message of more than "+
			"%d MB. It reads the files as they are saved until you close and open them.", maxMessage>>20)})
	case isRefused:
		s.answer(json.RawMessage("null"), nil, refused)
	case m.err != nil:
		return true, m.err
	case m.Method == "": // an answer; nothing that was asked needs one
	case m.ID == nil:
		s.notified(m.message)
	default:
		s.requested(m.message)
	}
	return false, nil
}

func (s *server) send(m message) {
	if err := writeMessage(s.out, m); err != nil && s.err == nil {
		s.err = err
	}
}

func (s *server) notify(method string, params any) {
	if body, err := json.Marshal(params); err == nil {
		s.send(message{Method: method, Params: body})
	}
}

// answer answers a request.
func (s *server) answer(id json.RawMessage, result any, err error) {
	m := message{ID: id}
	if err == nil {
		m.Result, err = json.Marshal(result)
	}
	if err != nil {
		refused, ok := errors.AsType[*failure](err)
		if !ok {
			refused = refuse(requestFailed, "%s", err)
		}
		m.Error, m.Result = refused, nil
	}
	s.send(m)
}

// decode reads parameters.
func decode[T any](m message) (p T, err error) {
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return p, refuse(invalidParams, "the parameters of %s are wrong: %s", m.Method, err)
	}
	return p, nil
}

// guarded calls do; a panic is an error.
func guarded[T any](do func() (T, error)) (result T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = refuse(internalError, "a bug in readiness: %v\n%s", fault, debug.Stack())
		}
	}()
	return do()
}

// requested answers a request.
func (s *server) requested(m message) {
	switch {
	case m.Method == "initialize":
		result, err := guarded(func() (any, error) { return s.initialize(m) })
		s.answer(m.ID, result, err)
		return
	case s.state == created:
		s.answer(m.ID, nil, refuse(notInitialized, "initialize comes first"))
		return
	case s.state == shutDown:
		s.answer(m.ID, nil, refuse(invalidRequest, "after shutdown there is only exit"))
		return
	case m.Method == "shutdown":
		s.state = shutDown
		s.answer(m.ID, nil, nil)
		return
	}
	handle := requests[m.Method]
	if handle == nil {
		s.answer(m.ID, nil, refuse(methodNotFound, "there is no method %q", m.Method))
		return
	}
	result, err := guarded(func() (any, error) { return handle(s, m) })
	if work, later := result.(deferred); later && err == nil {
		s.apart(m.ID, work)
		return
	}
	s.answer(m.ID, result, err)
}

// deferred is an answer that takes long, so that it is made apart from the loop. It may only read what nobody changes. If its result is a
// function, the loop calls that for the result.
type deferred func() (any, error)

func (s *server) apart(id json.RawMessage, work deferred) {
	go func() {
		result, err := guarded(work)
		select {
		case s.tasks <- func() {
			if finish, ok := result.(func() (any, error)); ok && err == nil {
				result, err = guarded(finish)
			}
			s.answer(id, result, err)
		}:
		case <-s.ctx.Done():
		}
	}()
}

// requests are the methods with an answer.
var requests = map[string]func(*server, message) (any, error){
	"textDocument/hover":          (*server).hover,
	"textDocument/documentSymbol": (*server).symbols,
	"textDocument/codeAction":     (*server).actions,
	"codeAction/resolve":          (*server).resolve,
	"textDocument/codeLens":       (*server).lenses,
	"textDocument/inlayHint":      (*server).hints,
	"workspace/executeCommand":    (*server).execute,
	"textDocument/definition":     (*server).definition,
	"textDocument/references":     (*server).references,
	"textDocument/prepareRename":  (*server).prepareRename,
	"textDocument/rename":         (*server).rename,
	"textDocument/completion":     (*server).complete,
}

// notified handles a notification; unknown ones are none of ours.
func (s *server) notified(m message) {
	if s.state != initialized {
		return
	}
	_, err := guarded(func() (any, error) {
		switch m.Method {
		case "textDocument/didOpen":
			return nil, s.didOpen(m)
		case "textDocument/didChange":
			return nil, s.didChange(m)
		case "textDocument/didClose":
			return nil, s.didClose(m)
		case "textDocument/didSave", "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration":
			for _, one := range s.models {
				one.touch()
			}
			s.schedule()
		}
		return nil, nil
	})
	if err != nil {
		s.notify("window/logMessage", map[string]any{"type": 1, "message": err.Error()})
	}
}

// capabilities is what the client can.
type capabilities struct {
	Workspace struct {
		WorkspaceEdit struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
			// ChangeAnnotations is not nil if the client shows changes that need a confirmation before it makes them.
			ChangeAnnotations *struct{} `json:"changeAnnotationSupport"`
		} `json:"workspaceEdit"`
		CodeLens struct {
			Refresh bool `json:"refreshSupport"`
		} `json:"codeLens"`
		InlayHint struct {
			Refresh bool `json:"refreshSupport"`
		} `json:"inlayHint"`
	} `json:"workspace"`
	Window struct {
		ShowDocument *struct{} `json:"showDocument"`
	} `json:"window"`
	TextDocument struct {
		CodeAction struct {
			ResolveSupport *struct{} `json:"resolveSupport"`
		} `json:"codeAction"`
		CodeLens *struct{} `json:"codeLens"`
	} `json:"textDocument"`
}

func (s *server) initialize(m message) (any, error) {
	if s.state != created {
		return nil, refuse(invalidRequest, "initialize came before")
	}
	p, err := decode[struct {
		RootURI          string `json:"rootUri"`
		RootPath         string `json:"rootPath"`
		WorkspaceFolders []struct {
			URI string `json:"uri"`
		} `json:"workspaceFolders"`
		Capabilities capabilities `json:"capabilities"`
		Options      struct {
			AskReason bool `json:"askReason"`
		} `json:"initializationOptions"`
	}](m)
	if err != nil {
		return nil, err
	}
	s.client, s.asks, s.state = p.Capabilities, p.Options.AskReason, initialized
	root := p.RootPath
	if len(p.WorkspaceFolders) > 0 {
		p.RootURI = p.WorkspaceFolders[0].URI
	}
	if at, ok := pathOf(p.RootURI); ok {
		root = at
	}
	if s.root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	return map[string]any{
		"serverInfo": map[string]string{"name": "readiness", "version": s.Version},
		"capabilities": map[string]any{
			"positionEncoding":       "utf-16",
			"textDocumentSync":       map[string]any{"openClose": true, "change": 2, "save": true},
			"hoverProvider":          true,
			"documentSymbolProvider": true,
			"codeActionProvider":     map[string]any{"codeActionKinds": []string{"quickfix"}, "resolveProvider": true},
			"codeLensProvider":       struct{}{},
			"inlayHintProvider":      true,
			"definitionProvider":     true,
			"referencesProvider":     true,
			"renameProvider":         map[string]bool{"prepareProvider": true},
			"completionProvider":     map[string]any{"triggerCharacters": []string{"[", "'"}},
			"executeCommandProvider": map[string]any{"commands": []string{"readiness.rule", "readiness.ignore", "readiness.next",
				"readiness.showNext", "readiness.findings"}},
		},
	}, nil
}

// item is the name of a document.
type named struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

func (s *server) didOpen(m message) error {
	p, err := decode[struct {
		Document struct {
			named
			Text string `json:"text"`
		} `json:"textDocument"`
	}](m)
	if err != nil {
		return err
	}
	at, ok := pathOf(p.Document.URI)
	if !ok || !isRead(at) {
		return nil
	}
	held := len(p.Document.Text)
	for _, one := range s.open {
		held += len(one.src)
	}
	if len(s.open) >= maxOpen || held > maxOpenBytes {
		return fmt.Errorf("more than %d files or %d MB are open; %s is read as it is saved", maxOpen, maxOpenBytes>>20, filepath.Base(at))
	}
	s.open[at] = &document{p.Document.URI, p.Document.Version, newText(p.Document.Text)}
	return s.changed(at)
}

func (s *server) didChange(m message) error {
	p, err := decode[struct {
		Document named    `json:"textDocument"`
		Changes  []change `json:"contentChanges"`
	}](m)
	if err != nil {
		return err
	}
	at, _ := pathOf(p.Document.URI)
	d := s.open[at]
	if d == nil {
		return nil // it is read as it is saved
	}
	d.version = p.Document.Version
	for _, c := range p.Changes {
		d.text = d.with(c)
	}
	return s.changed(at)
}

func (s *server) didClose(m message) error {
	p, err := decode[struct {
		Document named `json:"textDocument"`
	}](m)
	if err != nil {
		return err
	}
	at, _ := pathOf(p.Document.URI)
	if s.open[at] == nil {
		return nil
	}
	delete(s.open, at)
	for dir, one := range s.models {
		if !one.files[at] {
			continue
		}
		delete(one.files, at)
		if len(one.files) == 0 {
			s.publish(one, nil)
			delete(s.models, dir)
		}
		one.touch()
	}
	s.schedule()
	return nil
}

// isRead reports whether a file can be one of a model or report.
func isRead(at string) bool {
	return slices.Contains([]string{".tmdl", ".bim", ".json", ".md", ".pbir", ".pbism"}, strings.ToLower(filepath.Ext(at)))
}

// changed notes that the text of an open file changed.
func (s *server) changed(at string) error {
	one, err := s.modelOf(at)
	if one == nil {
		return err
	}
	one.files[at] = true
	one.touch()
	s.schedule()
	return nil
}

// modelOf returns the model that a file belongs to; nil if it belongs to none.
func (s *server) modelOf(at string) (*model, error) {
	for _, one := range s.models {
		if one.files[at] {
			return one, nil
		}
	}
	i, err := offline.ItemOf(s.ctx, s.root, at)
	if err != nil || i == nil {
		return nil, err
	}
	dir := i.Dir() + "\x00" + i.Path
	if s.models[dir] == nil {
		s.models[dir] = &model{item: *i, files: map[string]bool{}, published: map[string]string{}, memory: &scoring.Memory{}}
	}
	return s.models[dir], nil
}
