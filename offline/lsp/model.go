package lsp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/mention"
	"readiness/definition/semanticmodel"
	"readiness/definition/textfile"
	"readiness/definition/tmdl"
	"readiness/domain/readiness"
	scoring "readiness/domain/readiness/model"
	"readiness/internal/lists"
	"readiness/offline"
)

// model is a semantic model with open files.
type model struct {
	item  offline.Item
	files map[string]bool // the open files, also of reports
	// changes counts what happened to its files; of is what the last assessment saw of that.
	changes, of int
	last        *reading
	memory      *scoring.Memory // of the assessments, which run one at a time
	// published holds what was last told of each file, by address; said what of its findings, by path.
	published map[string]string
	said      map[string]said
}

func (m *model) touch() { m.changes++ }

// reading is a model as it was last read. Nobody changes it, so that anyone may read it.
type reading struct {
	item offline.Item // holds d
	dir  string
	d    definition.Definition // broken parts as they were when they last could be read
	m    *semanticmodel.Model
	// broken are the parts that cannot be read now.
	broken map[string]*fault
	regime *readiness.Regime // that made the result
	result offline.Assessed
	// warnings are about files; their paths are relative to root.
	warnings []offline.Warning
	ignores  *offline.Ignores
	root     string
	reports  map[string][]diagnostic // what is wrong in the open files of reports
	// views is what AI sees, by table and name; index where fields are named. Both are made when they are first asked for.
	views func() map[[2]string]readiness.ExposedObject
	index func() *mention.Index
}

// fault is why a part cannot be read. Line and column count from 1; column is 0 if it is unknown.
type fault struct {
	line, column int
	message      string
	now          text
}

// assessment is the outcome of reading and assessing a model.
type assessment struct {
	of      *model
	changes int
	*reading
	// err is why it could not be assessed, at the place in the part that it names, if it names one.
	err  error
	part string
	at   *fault
}

// schedule lets the models that changed be assessed when nothing is typed for a moment.
func (s *server) schedule() {
	if !s.running {
		s.later.Reset(pause)
	}
}

// assessNext assesses a model that changed, the one that changed most if there are several.
func (s *server) assessNext() {
	var next *model
	for _, one := range s.models {
		if one.changes > one.of && (next == nil || one.changes-one.of > next.changes-next.of) {
			next = one
		}
	}
	if next == nil || s.running || s.state != initialized {
		return
	}
	s.running = true
	texts := map[string]string{}
	for at, d := range s.open {
		if next.files[at] {
			texts[at] = d.src
		}
	}
	changes, last, i, memory := next.changes, next.last, next.item, next.memory
	go func() {
		a, err := guarded(func() (assessment, error) { return s.assess(i, texts, last, memory), nil })
		if err != nil {
			a.err = err
		}
		a.of, a.changes = next, changes
		select {
		case s.assessed <- a:
		case <-s.ctx.Done():
		}
	}()
}

// take publishes what an assessment found.
func (s *server) take(a assessment) {
	s.running = false
	m := a.of
	m.of = a.changes
	if a.reading != nil {
		m.last = a.reading
	}
	if len(m.files) > 0 {
		s.publish(m, &a)
		s.recordRenaming()
		s.tellScore(m)
	}
	s.schedule()
}

// partOf returns the path of a file as a part below dir; false if it is not below.
func partOf(dir, at string) (string, bool) {
	below, err := filepath.Rel(dir, at)
	below = filepath.ToSlash(below)
	return below, err == nil && fs.ValidPath(below)
}

// put returns the definition with other texts in its parts; one that is missing is added. A byte order mark stays.
func put(d definition.Definition, dir string, texts map[string]string) definition.Definition {
	if len(texts) == 0 {
		return d
	}
	d.Parts = slices.Clone(d.Parts)
	for at, src := range texts {
		name, ok := partOf(dir, at)
		if !ok {
			continue
		}
		data := []byte(src)
		n := slices.IndexFunc(d.Parts, func(p definition.Part) bool { return p.Path == name })
		if n < 0 {
			d.Parts = append(d.Parts, definition.Part{Path: name, Data: data})
			continue
		}
		if bytes.HasPrefix(d.Parts[n].Data, []byte(textfile.Mark)) {
			data = append([]byte(textfile.Mark), data...)
		}
		d.Parts[n].Data = data
	}
	slices.SortFunc(d.Parts, func(a, b definition.Part) int { return cmp.Compare(a.Path, b.Path) })
	return d
}

// maxBroken is how many parts of a model are replaced by what could be read.
const maxBroken = 20

// assess reads a model with the open texts and scores it.
func (s *server) assess(i offline.Item, texts map[string]string, last *reading, memory *scoring.Memory) assessment {
	d, _, err := i.Definition(s.ctx)
	if err != nil {
		return assessment{err: err}
	}
	r := &reading{dir: i.Dir(), root: s.root, broken: map[string]*fault{}}
	d = put(d, r.dir, texts)
	for {
		if r.m, err = semanticmodel.Read(d); err == nil {
			break
		}
		part, at := faultOf(d, err)
		var good []byte
		known := false
		if last != nil && r.broken[part] == nil && len(r.broken) < maxBroken {
			good, known = last.d.Part(part)
		}
		if !known {
			return assessment{err: err, part: part, at: at, reading: failed(last, part, at)}
		}
		r.broken[part] = at
		n := slices.IndexFunc(d.Parts, func(p definition.Part) bool { return p.Path == part })
		d.Parts[n].Data = good
	}
	r.d, r.item = d, i.Holding(d, r.m)
	regime, faults := readiness.Current(), []offline.Warning(nil)
	if s.Regime != nil {
		regime, faults = s.Regime(s.root)
	}
	r.ignores, err = s.ignores(regime)
	memory.Next()
	o := offline.AssessOptions{Regime: regime, Ignores: r.ignores, ModelOnly: true, Memory: memory}
	made, assessErr := offline.Assess(s.ctx, []offline.Item{r.item}, o)
	switch {
	case assessErr != nil:
		return assessment{err: assessErr}
	case made.Items[0].Error != nil:
		return assessment{err: made.Items[0].Error}
	}
	r.result, r.warnings, r.regime = made.Items[0], append(faults, made.Warnings...), regime
	if err != nil {
		r.warnings = append(r.warnings, offline.Warning{File: r.result.Path, Line: 1, Message: err.Error()})
	}
	read := r.m
	r.views = sync.OnceValue(func() map[[2]string]readiness.ExposedObject {
		return lists.Index(readiness.Expose(read).Objects(), func(o readiness.ExposedObject) [2]string { return key(o.Table, o.Name) })
	})
	r.index = sync.OnceValue(func() *mention.Index { return mention.Of(d, read) })
	r.reports = map[string][]diagnostic{}
	for at, src := range texts {
		if _, inside := partOf(r.dir, at); !inside {
			r.reports[at] = r.inReport(at, src)
		}
	}
	return assessment{reading: r}
}

// failed returns the last reading with a part that is broken now; nil without one.
func failed(last *reading, part string, at *fault) *reading {
	if last == nil || part == "" {
		return last
	}
	r := *last
	r.broken = map[string]*fault{part: at}
	return &r
}

func key(table, name string) [2]string {
	return [2]string{strings.ToLower(table), strings.ToLower(name)}
}

// faultOf returns the part that an error of reading names, and the place in it; "" if it names none.
func faultOf(d definition.Definition, err error) (part string, at *fault) {
	at = &fault{line: 1, message: err.Error()}
	if e, ok := errors.AsType[*tmdl.SyntaxError](err); ok {
		part, at.line, at.column, at.message = e.File, e.Line, e.Column, e.Message
	}
	if e, ok := errors.AsType[*jsonpart.Error](err); ok {
		part, at.line, at.message = e.File, e.Line, e.Message
	}
	data, ok := d.Part(part)
	if !ok {
		return "", at
	}
	at.now = newText(string(data))
	return part, at
}

// ignores reads the ignore file, if there is one.
func (s *server) ignores(r *readiness.Regime) (*offline.Ignores, error) {
	g, err := offline.ReadIgnores(s.ignoreFile(), offline.OwnRules(r)...)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return g, err
}

// defaultIgnores is where ignored findings are without a name.
const defaultIgnores = "readiness-ignore.yaml"

func (s *server) ignoreFile() string {
	name := cmp.Or(s.IgnoreFile, defaultIgnores)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.root, name)
}

// tellScore tells a client that shows it the score of a model.
func (s *server) tellScore(m *model) {
	if m.last == nil {
		return
	}
	r := m.last
	if s.client.Workspace.CodeLens.Refresh {
		s.request("workspace/codeLens/refresh", nil)
	}
	if s.client.Workspace.InlayHint.Refresh {
		s.request("workspace/inlayHint/refresh", nil)
	}
	s.notify("readiness/score", map[string]any{"uri": uriOf(m.item.Dir()), "model": r.result.Name, "score": r.result.Result.Score,
		"findings": len(r.result.Findings), "broken": len(r.broken)})
}

// text returns a part's text; false if there is no such part.
func (r *reading) text(part string) (text, bool) {
	data, ok := r.d.Part(part)
	return newText(string(data)), ok
}

// abs returns the path of a file that an assessment names.
func (r *reading) abs(file string) string {
	if file = filepath.FromSlash(file); filepath.IsAbs(file) { // one of rules
		return file
	}
	return filepath.Join(r.root, file)
}

// file returns a part's file.
func (r *reading) file(part string) string { return filepath.Join(r.dir, filepath.FromSlash(part)) }

// diagnostic is a remark on a place of a file.
type diagnostic struct {
	Range           span            `json:"range"`
	Severity        int             `json:"severity"`
	Code            string          `json:"code,omitempty"`
	CodeDescription *link           `json:"codeDescription,omitempty"`
	Source          string          `json:"source"`
	Message         string          `json:"message"`
	Data            json.RawMessage `json:"data,omitempty"`
}

type link struct {
	Href string `json:"href"`
}

// maxDiagnostics bounds the remarks on a file.
const maxDiagnostics = 500

// publish tells the client what an assessment found in each file, where that is new; nil takes everything back.
func (s *server) publish(m *model, a *assessment) {
	texts := map[string]string{}
	var found map[string][]*offline.Finding
	var remarks map[string][]diagnostic
	if a != nil {
		found, remarks = s.remarks(m, a)
	}
	now := map[string]said{}
	for at := range remarks {
		uri := uriOf(at)
		if d := s.open[at]; d != nil {
			uri = d.uri
		}
		one := m.said[at]
		if t := m.textAt(at); one.src != t.src || !slices.EqualFunc(one.findings, found[at], sameRemark) {
			one = newSaid(t, found[at])
		}
		one.findings = found[at] // so that those of older assessments are not kept
		if len(found[at]) > 0 {
			now[at] = one
		}
		body, err := json.Marshal(remarks[at])
		if err != nil {
			continue
		}
		texts[uri] = "[" + strings.Trim(strings.TrimSuffix(strings.TrimPrefix(string(body), "["), "]")+","+one.body, ",") + "]"
	}
	m.said = now
	for uri := range m.published {
		if _, still := texts[uri]; !still {
			texts[uri] = "[]"
		}
	}
	for uri, body := range texts {
		if m.published[uri] == body {
			continue
		}
		p := map[string]any{"uri": uri, "diagnostics": json.RawMessage(body)}
		if at, ok := pathOf(uri); ok && s.open[at] != nil && a != nil && a.changes == m.changes {
			p["version"] = s.open[at].version
		}
		s.notify("textDocument/publishDiagnostics", p)
		if m.published[uri] = body; body == "[]" {
			delete(m.published, uri)
		}
	}
}

// source names this program in the editor's list of problems.
const source = "readiness"

// said is what was said of the findings in a file: the elements of a list in JSON.
type said struct {
	src      string
	findings []*offline.Finding
	body     string
}

func newSaid(t text, findings []*offline.Finding) said {
	one := said{src: t.src, findings: findings}
	var all []diagnostic
	for n, f := range findings {
		if n == maxDiagnostics {
			all = append(all, diagnostic{Severity: 3, Source: source, Message: fmt.Sprintf("%d more findings in this file are not shown; "+
				"readiness assess --all lists them", len(findings)-n)})
			break
		}
		all = append(all, findingIn(t, *f))
	}
	if body, err := json.Marshal(all); err == nil && len(all) > 0 {
		one.body = string(body[1 : len(body)-1])
	}
	return one
}

// sameRemark reports whether two findings are shown in the same way on the same text.
func sameRemark(a, b *offline.Finding) bool {
	return a.Line == b.Line && a.Key == b.Key && a.Message == b.Message && a.Evidence == b.Evidence && a.Severity == b.Severity &&
		slices.Equal(a.RuleIDs, b.RuleIDs) && slices.Equal(a.FixKinds, b.FixKinds)
}

// textAt returns the text of a file that findings are about; empty if it is no part that can be read.
func (m *model) textAt(at string) text {
	if m.last != nil {
		if part, ok := partOf(m.last.dir, at); ok {
			t, _ := m.last.text(part)
			return t
		}
	}
	return newText("")
}

// remarks returns the findings in each file, what is worst first, and what else is to be said of it. Every file is in the second.
func (s *server) remarks(m *model, a *assessment) (map[string][]*offline.Finding, map[string][]diagnostic) {
	all := map[string][]diagnostic{}
	r := m.last
	if a.err != nil && (a.part == "" || r == nil) {
		at := slices.Min(slices.Collect(maps.Keys(m.files))) // where someone sees it
		d := diagnostic{Severity: 1, Source: source, Message: "the model cannot be assessed: " + fmt.Sprint(a.err)}
		if a.part != "" {
			at, d.Message = filepath.Join(m.item.Dir(), filepath.FromSlash(a.part)), a.at.message
			d.Range = a.at.place()
		}
		all[at] = append(all[at], d)
	}
	if r == nil {
		return nil, all
	}
	for part, f := range r.broken {
		all[r.file(part)] = append(all[r.file(part)], diagnostic{Range: f.place(), Severity: 1, Source: source, Message: f.message})
	}
	for at, found := range r.reports {
		if m.files[at] && len(found) > 0 {
			all[at] = append(all[at], found...)
		}
	}
	texts := map[string]text{}
	in := func(file string) (at string, t text) {
		at = r.abs(file)
		t, known := texts[at]
		if !known {
			if part, ok := partOf(r.dir, at); ok {
				t, _ = r.text(part)
			} else if data, err := os.ReadFile(at); err == nil && len(data) < 1<<20 { //nolint:gosec // the ignore file, or one of rules
				t = newText(string(data))
			} else {
				t = newText("")
			}
			texts[at] = t
		}
		return at, t
	}
	for _, w := range r.warnings {
		at, t := in(w.File)
		f := fault{line: w.Line, column: w.Column, now: t}
		all[at] = append(all[at], diagnostic{Range: f.place(), Severity: 2, Source: source, Message: w.Message})
	}
	byFile := map[string][]*offline.Finding{}
	for n := range r.result.Findings {
		f := &r.result.Findings[n]
		byFile[f.File] = append(byFile[f.File], f)
	}
	found := map[string][]*offline.Finding{}
	for file, of := range byFile {
		slices.SortStableFunc(of, func(a, b *offline.Finding) int { return cmp.Compare(b.Impact, a.Impact) })
		at := r.abs(file)
		found[at] = of
		if all[at] == nil {
			all[at] = []diagnostic{}
		}
	}
	return found, all
}

// place returns the range of the word at a fault, or of its line.
func (f *fault) place() span {
	from, to := f.now.line(f.line - 1)
	written := f.now.src[from:to]
	if f.column == 0 {
		blank := len(written) - len(strings.TrimLeft(written, " \t"))
		return f.now.span(from+blank, to)
	}
	at := from
	for range f.column - 1 { // columns count characters
		if at < to {
			_, size := firstRune(f.now.src[at:to])
			at += size
		}
	}
	end := at + len(f.now.src[at:to])
	if n := strings.IndexAny(f.now.src[at:to], " \t"); n > 0 {
		end = at + n
	}
	return f.now.span(at, end)
}
