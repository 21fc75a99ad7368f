package lsp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"readiness/definition"
	"readiness/definition/textfile"
	"readiness/domain/optimization"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/ignore"
	"readiness/offline/report"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
)

// action is what can be done about a finding.
type action struct {
	Title       string          `json:"title"`
	Kind        string          `json:"kind"`
	Diagnostics []diagnostic    `json:"diagnostics,omitempty"`
	Edit        *workspaceEdit  `json:"edit,omitempty"`
	Command     *command        `json:"command,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// wanted is a finding of a file's model whose proposal is asked for.
type wanted struct {
	URI string `json:"uri"`
	findingData
}

// maxActions bounds the findings that a list of actions is about.
const maxActions = 50

func (s *server) actions(m message) (any, error) {
	p, err := decode[struct {
		Document named `json:"textDocument"`
		Range    span  `json:"range"`
	}](m)
	if err != nil {
		return nil, err
	}
	r, part, _ := s.at(p.Document.URI)
	if r == nil {
		return []action{}, nil
	}
	before, _ := r.text(part)
	all, fixes := []action{}, []wanted{}
	for _, f := range r.result.Findings {
		if at, ok := partOf(r.dir, r.abs(f.File)); !ok || at != part || f.Line-1 < p.Range.Start.Line || f.Line-1 > p.Range.End.Line {
			continue
		}
		if len(fixes) == maxActions {
			break
		}
		d := findingIn(before, f)
		one := wanted{URI: p.Document.URI}
		_ = json.Unmarshal(d.Data, &one.findingData)
		data, _ := json.Marshal(one)
		object := report.ObjectOf(f)
		if len(f.FixKinds) > 0 {
			fixes = append(fixes, one)
			all = append(all, action{Title: "Readiness: apply the proposal for " + object, Kind: "quickfix", Diagnostics: []diagnostic{d}, Data: data})
		}
		accept := action{Title: fmt.Sprintf("Readiness: ignore %s for %s, with a reason", d.Code, object), Kind: "quickfix", Diagnostics: []diagnostic{d}}
		if s.asks {
			accept.Command = &command{accept.Title, "readiness.askReason", []any{one}}
		} else {
			accept.Edit, err = s.accept(one.findingData, "")
		}
		if err == nil {
			all = append(all, accept)
		}
		rule := "Readiness: explain " + d.Code
		all = append(all, action{Title: rule, Kind: "quickfix", Diagnostics: []diagnostic{d}, Command: &command{rule, "readiness.rule", []any{d.Code}}})
	}
	if s.client.TextDocument.CodeAction.ResolveSupport != nil || len(fixes) == 0 {
		return all, nil
	}
	return deferred(func() (any, error) { // an editor that resolves nothing gets the changes at once
		var finish []func() (any, error)
		for _, one := range fixes {
			finish = append(finish, s.fix(r, one))
		}
		return func() (any, error) {
			kept := all[:0]
			for _, a := range all {
				if a.Data != nil {
					edit, err := finish[0]()
					if finish = finish[1:]; err != nil {
						continue
					}
					a.Edit, _ = edit.(*workspaceEdit)
				}
				kept = append(kept, a)
			}
			return kept, nil
		}, nil
	}), nil
}

// resolve fills in the change of an action.
func (s *server) resolve(m message) (any, error) {
	a, err := decode[action](m)
	if err != nil {
		return nil, err
	}
	if len(a.Data) == 0 {
		return a, nil
	}
	var one wanted
	if err := json.Unmarshal(a.Data, &one); err != nil {
		return nil, refuse(invalidParams, "the action is none of ours: %s", err)
	}
	r, _, _ := s.at(one.URI)
	if r == nil {
		return nil, errors.New("the file is open no more")
	}
	return deferred(func() (any, error) {
		finish := s.fix(r, one)
		return func() (any, error) {
			edit, err := finish()
			if err != nil {
				return nil, err
			}
			a.Edit, _ = edit.(*workspaceEdit)
			return a, nil
		}, nil
	}), nil
}

// proposing is the proposals that were made last, of one reading; they are made one at a time.
type proposing struct {
	sync.Mutex
	of     *reading
	byKind map[finding.FixKind]proposed
}

type proposed struct {
	offline.Proposal
	err error
}

func (s *server) proposal(r *reading, kind finding.FixKind) proposed {
	s.made.Lock()
	defer s.made.Unlock()
	if s.made.of != r {
		s.made.of, s.made.byKind = r, map[finding.FixKind]proposed{}
	}
	p, known := s.made.byKind[kind]
	if !known {
		all, _, err := offline.Propose(s.ctx, []offline.Item{r.item}, offline.ProposeOptions{Kinds: []optimization.Kind{optimization.Kind(kind)},
			Ignores: r.ignores, Regime: r.regime, Propose: s.Propose})
		if p.err = err; err == nil {
			p.Proposal, p.err = all[0], all[0].Error
		}
		s.made.byKind[kind] = p
	}
	return p
}

// fix proposes what clears a finding. What it returns makes the edit, in the loop.
func (s *server) fix(r *reading, one wanted) func() (any, error) {
	var why error
	for _, kind := range one.Kinds {
		p := s.proposal(r, kind)
		if p.err != nil {
			why = p.err
			continue
		}
		keys := keysFor(p.Previews[0], one.findingData)
		if len(keys) == 0 {
			why = reasonFor(p.Previews[0], one.findingData)
			continue
		}
		with, err := p.With(keys)
		if err != nil {
			why = err
			continue
		}
		return func() (any, error) { return s.edit(r, with.Before, with.After) }
	}
	if why == nil {
		why = errors.New("nothing is proposed for this finding")
	}
	return func() (any, error) { return nil, why }
}

// keysFor returns the proposed changes of a finding's object; of one about the model, those that are written by default.
func keysFor(p optimization.Preview, f findingData) (keys []string) {
	if f.Type == finding.ModelObject {
		if p.Kind == optimization.AIDataSchema {
			return p.RecommendedKeys
		}
	}
	for _, c := range p.Changes {
		if f.Type == finding.ModelObject || strings.EqualFold(c.Table, f.Table) && strings.EqualFold(c.Object, f.Object) {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// reasonFor says why a preview has no change for a finding's object.
func reasonFor(p optimization.Preview, f findingData) error {
	if p.NothingToDo != nil {
		return errors.New(*p.NothingToDo)
	}
	for _, skip := range p.Skipped {
		if name := f.Object; name != "" && strings.Contains(skip.Key, name) || name == "" && strings.Contains(skip.Key, f.Table) {
			return errors.New(skip.Message)
		}
	}
	return errors.New("nothing is proposed for this finding, because only a person can say it: " +
		cmp.Or(rulehelp.Fix(f.Rule), "rule "+f.Rule+" is a team's own"))
}

// workspaceEdit is a change of files that the editor makes.
type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []any                 `json:"documentChanges,omitempty"`
	Annotations     map[string]annotation `json:"changeAnnotations,omitempty"`
	// annotation is that of the changes that are added next; "" for none.
	annotation string
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
	// Annotation names one of the workspaceEdit.
	Annotation string `json:"annotationId,omitempty"`
}

type documentEdit struct {
	Document struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	} `json:"textDocument"`
	Edits []textEdit `json:"edits"`
}

type createFile struct {
	Kind    string `json:"kind"`
	URI     string `json:"uri"`
	Options struct {
		IgnoreIfExists bool `json:"ignoreIfExists"`
	} `json:"options"`
}

// add adds changes of a file to an edit; created is true for a file that is not there yet.
func (s *server) add(w *workspaceEdit, at string, created bool, edits ...textEdit) error {
	can := s.client.Workspace.WorkspaceEdit
	uri := uriOf(at)
	var version *int
	if d := s.open[at]; d != nil {
		uri, version = d.uri, &d.version
	}
	if created {
		if !can.DocumentChanges || !slices.Contains(can.ResourceOperations, "create") {
			return fmt.Errorf("this editor cannot create %s as a part of a change; readiness apply writes it", filepath.Base(at))
		}
		c := createFile{Kind: "create", URI: uri}
		c.Options.IgnoreIfExists = true
		w.DocumentChanges = append(w.DocumentChanges, c)
	}
	for n := range edits {
		edits[n].Annotation = w.annotation
	}
	if can.DocumentChanges {
		e := documentEdit{Edits: edits}
		e.Document.URI, e.Document.Version = uri, version
		w.DocumentChanges = append(w.DocumentChanges, e)
		return nil
	}
	if w.Changes == nil {
		w.Changes = map[string][]textEdit{}
	}
	w.Changes[uri] = append(w.Changes[uri], edits...)
	return nil
}

// edit returns the change that makes one definition of a reading another. It refuses if a file is not as it was read.
func (s *server) edit(r *reading, before, after definition.Definition) (*workspaceEdit, error) {
	for part := range r.broken {
		was, _ := before.Part(part)
		if now, _ := after.Part(part); string(was) != string(now) {
			return nil, fmt.Errorf("%s cannot be read now; mend it first", part)
		}
	}
	w := &workspaceEdit{}
	return w, s.editIn(w, r.dir, before, after)
}

// editIn adds the change that makes one definition of the item in a folder another.
func (s *server) editIn(w *workspaceEdit, dir string, before, after definition.Definition) error {
	for _, p := range after.Parts {
		was, there := before.Part(p.Path)
		if there && string(was) == string(p.Data) {
			continue
		}
		at := filepath.Join(dir, filepath.FromSlash(p.Path))
		if d := s.open[at]; d != nil && d.src != strings.TrimPrefix(string(was), textfile.Mark) {
			return fmt.Errorf("%s was changed meanwhile; try again", p.Path)
		}
		if !utf8.Valid(p.Data) || !utf8.Valid(was) {
			return fmt.Errorf("%s is not UTF-8", p.Path)
		}
		edits := differences(newText(string(was)), strings.TrimPrefix(string(p.Data), textfile.Mark))
		if err := s.add(w, at, !there, edits...); err != nil {
			return err
		}
	}
	return nil
}

// differences returns the changes of lines in which two texts differ: line by line if both have as many, else as one.
func differences(was text, now string) (all []textEdit) {
	after := newText(now)
	if len(was.lines) != len(after.lines) {
		return []textEdit{difference(was, now)}
	}
	for n := range was.lines {
		from, to := was.line(n)
		a, b := after.line(n)
		if was.src[from:to] != now[a:b] {
			all = append(all, textEdit{Range: was.span(from, to), NewText: now[a:b]})
		}
	}
	return all
}

// difference returns the change of the lines in which two texts differ.
func difference(was text, now string) textEdit {
	from, end := 0, 0
	for from < min(len(was.src), len(now)) && was.src[from] == now[from] {
		from++
	}
	from = strings.LastIndexByte(was.src[:from], '\n') + 1
	for end < min(len(was.src), len(now))-from && was.src[len(was.src)-1-end] == now[len(now)-1-end] {
		end++
	}
	begins := func(s string) bool { return len(s) == 0 || s[len(s)-1] == '\n' }
	if !begins(was.src[:len(was.src)-end]) || !begins(now[:len(now)-end]) { // whole lines, so that neither a character nor CRLF is torn
		tail := was.src[len(was.src)-end:]
		if n := strings.IndexByte(tail, '\n'); n >= 0 {
			end -= n + 1
		} else {
			end = 0
		}
	}
	return textEdit{Range: was.span(from, len(was.src)-end), NewText: now[from : len(now)-end]}
}

// accept returns the change of the ignore file that accepts a finding.
func (s *server) accept(f findingData, reason string) (*workspaceEdit, error) {
	at := s.ignoreFile()
	var src string
	there := true
	if d := s.open[at]; d != nil {
		src = d.src
	} else {
		data, err := os.ReadFile(at) //nolint:gosec // the person's own file
		if there = !errors.Is(err, fs.ErrNotExist); there && err != nil {
			return nil, err
		}
		src = string(data)
	}
	t := newText(src)
	now, err := ignore.With(t.src, f.Rule, finding.Key{Table: f.Table, ObjectName: f.Object}, reason, s.ownRules()...)
	if err != nil {
		return nil, err
	}
	w := &workspaceEdit{}
	return w, s.add(w, at, !there, difference(t, now))
}

// ownRules returns the ids of the team's rules, which are those of every model.
func (s *server) ownRules() []string {
	for _, m := range s.models {
		if m.last != nil {
			return offline.OwnRules(m.last.regime)
		}
	}
	return nil
}

// execute does what an action or a person asks for by a command.
func (s *server) execute(m message) (any, error) {
	p, err := decode[struct {
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	}](m)
	if err != nil {
		return nil, err
	}
	argument := func(n int, into any) error {
		if n >= len(p.Arguments) || json.Unmarshal(p.Arguments[n], into) != nil {
			return refuse(invalidParams, "%s needs another argument %d", p.Command, n+1)
		}
		return nil
	}
	switch p.Command {
	case "readiness.rule":
		var rule string
		if err := argument(0, &rule); err != nil {
			return nil, err
		}
		return nil, s.explain(rule)
	case "readiness.ignore":
		var f wanted
		var reason string
		if err := errors.Join(argument(0, &f), argument(1, &reason)); err != nil {
			return nil, err
		}
		w, err := s.accept(f.findingData, reason)
		if err == nil {
			s.request("workspace/applyEdit", map[string]any{"label": "Ignore " + f.Rule, "edit": w})
		}
		return nil, err
	case "readiness.next", "readiness.showNext", "readiness.findings":
		var uri string
		minutes := 30
		if len(p.Arguments) > 1 {
			if err := argument(1, &minutes); err != nil {
				return nil, err
			}
		}
		if len(p.Arguments) > 0 {
			if err := argument(0, &uri); err != nil {
				return nil, err
			}
		}
		r := s.chosen(uri)
		switch {
		case r == nil:
			return nil, errors.New("no model is open")
		case p.Command == "readiness.next":
			return r.next(minutes), nil
		case p.Command == "readiness.showNext":
			lines := []string{fmt.Sprintf("What to do first in %d minutes:", minutes)}
			for _, one := range r.next(minutes) {
				lines = append(lines, fmt.Sprintf("%+.1f (%s) %s", one.Points, one.Effort, one.What))
			}
			s.notify("window/showMessage", map[string]any{"type": 3, "message": strings.Join(lines, "\n")})
			return nil, nil
		}
		return r.groups(), nil
	}
	return nil, refuse(invalidParams, "there is no command %q", p.Command)
}

// chosen returns the model of a file, or of the folder that a score names; without an address the one that was read last.
func (s *server) chosen(uri string) (r *reading) {
	if r, _, _ := s.at(uri); r != nil || uri == "" && len(s.models) != 1 {
		return r
	}
	for _, m := range s.models {
		if at, _ := pathOf(uri); m.last != nil && (uri == "" || at == m.item.Dir()) {
			return m.last
		}
	}
	return nil
}

// explain shows the page of a rule or, without its address, why the rule is and how to satisfy it.
func (s *server) explain(rule string) error {
	for _, m := range s.models {
		if m.last == nil {
			continue
		}
		if own := m.last.result.Result.OwnRule(rule); own != nil {
			s.notify("window/showMessage", map[string]any{"type": 3, "message": show.Printable(strings.Join(strings.Fields(fmt.Sprintf("%s: %s. %s %s (%s:%d)",
				rule, own.Title, own.Why, own.Fix, own.File, own.Line)), " "))})
			return nil
		}
	}
	e, known := explained.Rule(rule)
	if !known {
		return refuse(invalidParams, "there is no rule %q", rule)
	}
	if page := rulehelp.Page(rule); page != "" && s.client.Window.ShowDocument != nil {
		s.request("window/showDocument", map[string]any{"uri": page, "external": true})
		return nil
	}
	s.notify("window/showMessage", map[string]any{"type": 3, "message": fmt.Sprintf("%s: %s. %s", rule, e.Title, rulehelp.Help(rule))})
	return nil
}

// request asks the client for something whose answer does not matter.
func (s *server) request(method string, params any) {
	s.requests++
	id, _ := json.Marshal(fmt.Sprint("readiness-", s.requests))
	if body, err := json.Marshal(params); err == nil {
		s.send(message{ID: id, Method: method, Params: body})
	}
}

// step is something to do next.
type step struct {
	What   string   `json:"what"`
	Points float64  `json:"points"`
	Effort string   `json:"effort"`
	Rules  []string `json:"rules"`
	// Command proposes the changes, if that is how.
	Command string `json:"command,omitempty"`
}

// next returns what to do first in some minutes.
func (r *reading) next(minutes int) []step {
	all := []step{}
	for _, one := range (report.Listing{Minutes: max(minutes, 0)}).First(r.result) {
		all = append(all, step{one.What, one.Gain, string(one.Effort), one.Rules, one.Command})
	}
	return all
}

// group holds the findings of a rule.
type group struct {
	Rule     string  `json:"rule"`
	Title    string  `json:"title"`
	Effort   string  `json:"effort"`
	Points   float64 `json:"points"`
	Findings []spot  `json:"findings"`
}

type spot struct {
	Object string `json:"object"`
	URI    string `json:"uri"`
	Line   int    `json:"line"`
}

// groups returns the findings by rule, what to do first at the beginning.
func (r *reading) groups() []group {
	all := []group{}
	for _, g := range (report.Listing{}).Groups(r.result, r.result.Findings) {
		one := group{Rule: g.Rule, Title: show.Printable(g.Title()), Effort: string(g.Effort()), Points: g.Points}
		for _, f := range g.Findings[:min(len(g.Findings), maxDiagnostics)] {
			one.Findings = append(one.Findings, spot{report.ObjectOf(f), uriOf(r.abs(f.File)), f.Line - 1})
		}
		all = append(all, one)
	}
	return all
}

// lenses shows the score where the model is declared.
func (s *server) lenses(m message) (any, error) {
	p, err := decode[place](m)
	if err != nil {
		return nil, err
	}
	title, _, is := s.scoreIn(p.Document.URI)
	if !is {
		return []any{}, nil
	}
	return []any{map[string]any{"range": span{}, "command": command{Title: title, Command: "readiness.showNext", Arguments: []any{p.Document.URI}}}}, nil
}

// hints shows the score in the line where the model is declared, in editors without lenses.
func (s *server) hints(m message) (any, error) {
	p, err := decode[struct {
		Document named `json:"textDocument"`
		Range    span  `json:"range"`
	}](m)
	if err != nil {
		return nil, err
	}
	title, now, is := s.scoreIn(p.Document.URI)
	if !is || s.client.TextDocument.CodeLens != nil || p.Range.Start.Line > 0 {
		return []any{}, nil
	}
	_, end := now.line(0)
	return []any{map[string]any{"position": now.position(end), "label": title, "paddingLeft": true}}, nil
}

// scoreIn returns the score that is shown in a file, and the file's text; false if none is.
func (s *server) scoreIn(uri string) (title string, now text, is bool) {
	r, part, now := s.at(uri)
	name := strings.ToLower(filepath.Base(part))
	if r == nil || name != "model.tmdl" && !strings.HasSuffix(name, ".bim") {
		return "", now, false
	}
	return "Readiness: " + strings.TrimSuffix(report.ScoreLine(r.result), " An estimate, not measured."), now, true
}
