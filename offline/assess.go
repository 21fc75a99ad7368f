package offline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/semanticmodel"
	"readiness/definition/tmdl"
	"readiness/domain/item"
	"readiness/domain/readiness"
)

// Assessment is what an assessment of items found, in the order of what is shown
// of them.
type Assessment struct {
	Regime string
	Items  []Assessed
	// Warnings are about files, what is ignored, and what is known.
	Warnings []Warning
	// MinSeverity is the least severity that is told, Baseline what is not told
	// because it is known.
	MinSeverity readiness.Severity
	Baseline    string
}

// Assessed is an item as it was assessed.
type Assessed struct {
	Type  item.Type
	Path  string // shown
	Name  string
	Error error // why it could not be; all below is zero then
	// At is where the error is, as far as it can be told.
	At     Place
	Result readiness.Result
	// ScoreDataAgent is the score as a data agent reads the item.
	ScoreDataAgent *int
	// Findings are those that are told, Ignored those that a person ignores.
	Findings []Finding
	Ignored  []Ignored
	// Known and Lesser are how many more there are that the baseline holds, or
	// whose severity is less than asked for.
	Known, Lesser int
}

// Place is a line of a file. Line is from 1.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Finding is a finding with its place.
type Finding struct {
	readiness.Finding
	Place
}

// Ignored is a finding of rules that are ignored for its object, and why.
type Ignored struct {
	Finding
	Reason string
}

// AssessOptions are what an assessment may be told; the zero value is fine.
type AssessOptions struct {
	Ignores     *Ignores
	Baseline    *Baseline
	MinSeverity readiness.Severity // low when ""
	// Jobs is how many items are assessed at once; as many as there are
	// processors when 0.
	Jobs int
	// Progress is told how many of all are done, by one caller at a time.
	Progress func(done, total int)
}

// severities are those there are, the least first.
var severities = []readiness.Severity{readiness.Low, readiness.Medium, readiness.High}

// atLeast reports whether a severity is no less than another.
func atLeast(s, least readiness.Severity) bool {
	return slices.Index(severities, s) >= slices.Index(severities, least)
}

// Assess assesses the items by the current regime, without usage. An item that
// cannot be read says so and fails no other; the error is the context's. Of each
// only the findings are kept in memory.
func Assess(ctx context.Context, items []Item, o AssessOptions) (*Assessment, error) {
	if o.MinSeverity == "" {
		o.MinSeverity = readiness.Low
	}
	a := &Assessment{Regime: readiness.Current().ID, Items: make([]Assessed, len(items)), MinSeverity: o.MinSeverity}
	if o.Baseline != nil {
		a.Baseline = o.Baseline.File
	}
	s := &assessor{o: o, items: items, byID: map[uuid.UUID]Item{}}
	for _, i := range items {
		if _, twice := s.byID[i.LogicalID]; !twice && i.Type == item.SemanticModel {
			s.byID[i.LogicalID] = i
		}
	}
	notes := make([]note, len(items))
	err := each(ctx, len(items), o.Jobs, o.Progress, func(n int) {
		a.Items[n], notes[n] = s.assess(ctx, items[n])
		notes[n].unread = a.Items[n].Error != nil
	})
	if err != nil {
		return nil, err
	}
	a.Warnings = append(o.Baseline.strangers(items), s.o.Ignores.warnings(notes)...)
	return a, nil
}

// each calls do for 0 to n-1, some at once, until the context ends.
func each(ctx context.Context, n, jobs int, progress func(done, total int), do func(int)) error {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var mu sync.Mutex
	done := 0
	var all sync.WaitGroup
	for range min(jobs, n) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
				mu.Lock()
				if done++; progress != nil {
					progress(done, n)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return ctx.Err()
}

// assessor assesses items among others.
type assessor struct {
	o     AssessOptions
	items []Item
	byID  map[uuid.UUID]Item
}

// material is an item that was read.
type material struct {
	m  *semanticmodel.Model
	at *places
}

func (s *assessor) assess(ctx context.Context, i Item) (a Assessed, n note) {
	a = Assessed{Type: i.Type, Path: i.Shown, Name: i.Name}
	defer func() {
		if fault := recover(); fault != nil {
			err := fmt.Errorf("a fault of this program kept it from being assessed: %v", fault)
			a, n = Assessed{Type: i.Type, Path: i.Shown, Name: i.Name, Error: err, At: Place{i.Shown, 1}}, s.o.Ignores.newNote()
		}
	}()
	n = s.o.Ignores.newNote()
	d, pending, err := i.definition(ctx)
	n.warnings = append(n.warnings, pending...)
	if err != nil {
		a.Error, a.At = told(err), Place{i.Shown, 1}
		return a, n
	}
	if i.Type == item.DataAgent {
		err = s.agent(ctx, i, d, &a, &n)
	} else {
		err = s.model(i, d, &a, &n)
	}
	if err != nil {
		a.Error, a.At = err, placeOf(i, newPlaces(i, d, nil).model.File, err)
	}
	return a, n
}

// placeOf is where an error of reading says that it is.
func placeOf(i Item, part string, err error) Place {
	line := 1
	if syntax, ok := errors.AsType[*tmdl.SyntaxError](err); ok {
		part, line = syntax.File, syntax.Line
	}
	if json, ok := errors.AsType[*jsonpart.Error](err); ok {
		part, line = json.File, json.Line
	}
	return Place{path.Join(i.folder(), part), max(line, 1)}
}

func (s *assessor) model(i Item, d definition.Definition, a *Assessed, n *note) error {
	m, err := semanticmodel.Read(d)
	if err != nil {
		return err
	}
	at := newPlaces(i, d, m)
	n.warnings = append(n.warnings, refusedByPowerBI(i, m)...)
	g := s.o.Ignores.ofModel(i, n, material{m, at})
	s.score(a, n, g, func(o readiness.Options) readiness.Result { return readiness.Assess(m, o) }, at.of)
	scoreOnly := g.options()
	scoreOnly.WithoutFindings = true
	a.ScoreDataAgent = readiness.AssessAsAgent(m, scoreOnly).Score
	return nil
}

// maxNotices is how many places of a model are told of that Power BI would refuse.
const maxNotices = 20

// refusedByPowerBI are warnings of what Power BI would refuse in the model's files.
// They are no findings: the score is of what the model says.
func refusedByPowerBI(i Item, m *semanticmodel.Model) []Warning {
	var all []Warning
	for k, one := range m.Notices {
		w := Warning{path.Join(i.folder(), one.File), max(one.Line, 1), one.Message}
		if k == maxNotices {
			w.Message = fmt.Sprintf("Power BI would refuse %d more places of this model", len(m.Notices)-k)
			return append(all, w)
		}
		all = append(all, w)
	}
	return all
}

// score fills in what an assessment finds, and, by one of only what is ignored,
// what it does not.
func (s *assessor) score(a *Assessed, n *note, g ignoring, assess func(readiness.Options) readiness.Result, of func(readiness.Finding) (string, int)) {
	place := func(f readiness.Finding) Finding {
		file, line := of(f)
		f.Impact = math.Round(f.Impact*1e4) / 1e4 // as far as scores are told, and the same on every machine
		return Finding{f, Place{file, line}}
	}
	a.Result = assess(g.options())
	for _, f := range a.Result.Findings {
		switch {
		case !atLeast(f.Severity, s.o.MinSeverity):
			a.Lesser++
		case s.o.Baseline.knows(a.Path, f):
			a.Known++
		default:
			a.Findings = append(a.Findings, place(f))
		}
	}
	for _, f := range g.ignored(n, assess) {
		one := place(f.Finding.Finding)
		one.Impact = 0 // it costs nothing
		a.Ignored = append(a.Ignored, Ignored{one, f.Reason})
	}
}
