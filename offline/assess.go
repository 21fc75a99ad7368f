package offline

import (
	"cmp"
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
	"golang.org/x/sync/errgroup"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/semanticmodel"
	"readiness/definition/tmdl"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
)

// Assessment is the result of assessing items, ordered by shown path.
type Assessment struct {
	Regime string
	// Rules are the rules of the regime.
	Rules []readiness.PublishedRule
	Items []Assessed
	// Across compares the semantic models with each other; nil if fewer than two could be read.
	Across *Across
	// Warnings concern files, ignore files and the baseline.
	Warnings []Warning
	// MinSeverity is the lowest reported severity. Baseline is the file whose findings are not reported again.
	MinSeverity finding.Severity
	Baseline    string
}

// Assessed is the assessment of one item.
type Assessed struct {
	Type  item.Type
	Path  string // relative to the root
	Name  string
	Error error // why the item could not be assessed; then the fields below are zero, except At
	// At is the position of the error, as far as it is known.
	At Place
	// DefinitionHash is the hash of the definition.
	DefinitionHash string
	Result         readiness.Result
	// Leaving is what of a semantic model leaves with Q&A; nil for another item, and with AssessOptions.ModelOnly.
	Leaving *LeavingQnA
	// ScoreDataAgent is the score for use by a data agent.
	ScoreDataAgent *int
	// Findings are the reported findings; Ignored are those that an ignore file or annotation accepts. Assessment.All has them.
	Findings []Finding
	Ignored  []Ignored
	// Known counts the findings that the baseline contains; Lesser counts those below MinSeverity.
	Known, Lesser int
	// Since is the comparison with the baseline; nil without one.
	Since *Compared
	// Evidence is what evaluations measured.
	Evidence []Evidence

	packed *packed
	lost   map[string]float64 // if it is packed
}

// Place is a line of a file. Line counts from 1.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Finding is a finding with its place.
type Finding struct {
	readiness.Finding
	Place
}

// Ignored is a finding that is ignored for its object, with the reason.
type Ignored struct {
	Finding
	Reason string
}

// AssessOptions configures Assess; the zero value is valid.
type AssessOptions struct {
	Ignores  *Ignores
	Baseline *Baseline
	// Regime is the scoring regime; nil means the current one.
	Regime      *readiness.Regime
	MinSeverity finding.Severity // "" means low
	// ModelOnly leaves out ScoreDataAgent of semantic models, which takes a third of the time, and Leaving.
	ModelOnly bool
	// Memory makes repeated assessments of one semantic model faster.
	Memory *model.Memory
	// Jobs is how many items are assessed at once; 0 means one per processor.
	Jobs int
	// Progress is called with the number of finished items and the total. Calls do not overlap.
	Progress func(done, total int)
}

// Severities lists the severities in ascending order.
var Severities = []finding.Severity{finding.Low, finding.Medium, finding.High}

// AtLeast reports whether s is at least as severe as least.
func AtLeast(s, least finding.Severity) bool {
	return slices.Index(Severities, s) >= slices.Index(Severities, least)
}

// Assess assesses the items without usage. An item that cannot be read gets an error and does
// not affect the others. Only the findings are kept in memory. The returned error is the context's.
func Assess(ctx context.Context, items []Item, o AssessOptions) (*Assessment, error) {
	o.MinSeverity = cmp.Or(o.MinSeverity, finding.Low)
	o.Regime = cmp.Or(o.Regime, readiness.Current())
	a := &Assessment{Regime: o.Regime.ID, Rules: o.Regime.Rules(), Items: make([]Assessed, len(items)), MinSeverity: o.MinSeverity}
	if o.Baseline != nil {
		a.Baseline = o.Baseline.File
	}
	s := &assessor{o: o, items: items, byID: map[uuid.UUID]Item{}, compares: comparesModels(items), gone: o.Baseline.gone(items)}
	for _, i := range items {
		if _, twice := s.byID[i.LogicalID]; !twice && i.Type == item.SemanticModel {
			s.byID[i.LogicalID] = i
		}
	}
	notes := make([]note, len(items))
	var kept atomic.Int64
	err := each(ctx, len(items), o.Jobs, o.Progress, func(n int) {
		a.Items[n], notes[n] = s.assess(ctx, items[n])
		if size := int64(a.Items[n].findings()); kept.Add(size)-size > looseFindings {
			a.Items[n].pack()
		}
		notes[n].unread = a.Items[n].Error != nil
	})
	if err != nil {
		return nil, err
	}
	a.Warnings = slices.Concat(o.Baseline.strangers(a.Items), s.o.Ignores.warnings(notes), OwnWarnings(a.Items))
	a.Across = across(notes)
	return a, nil
}

// each calls do for 0 to n-1, up to jobs at once, until the context ends.
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

// assessor assesses an item with access to the other items.
type assessor struct {
	o     AssessOptions
	items []Item
	byID  map[uuid.UUID]Item
	// compares is true if models are compared with each other.
	compares bool
	gone     []*earlier // of the baseline
}

// material is a semantic model that was read.
type material struct {
	m  *semanticmodel.Model
	at *places
}

func (s *assessor) assess(ctx context.Context, i Item) (a Assessed, n note) {
	a = Assessed{Type: i.Type, Path: i.Shown, Name: i.Name}
	defer func() {
		if fault := recover(); fault != nil {
			err := fmt.Errorf("a bug in this program prevented the assessment: %v", fault)
			a, n = Assessed{Type: i.Type, Path: i.Shown, Name: i.Name, Error: err, At: Place{i.Shown, 1}}, s.o.Ignores.newNote()
		}
	}()
	n = s.o.Ignores.newNote()
	d, pending, err := i.Definition(ctx)
	n.warnings = append(n.warnings, pending...)
	if err != nil {
		a.Error, a.At = readable(err), Place{i.Shown, 1}
		return a, n
	}
	a.DefinitionHash = d.Hash()
	if i.Type == item.DataAgent {
		err = s.agent(ctx, i, d, &a, &n)
	} else {
		err = s.model(ctx, i, d, &a, &n)
	}
	if err != nil {
		part, line := PartOf(newPlaces(i, d, nil).model.File, err)
		a = Assessed{Type: i.Type, Path: i.Shown, Name: i.Name, DefinitionHash: a.DefinitionHash, Error: err,
			At: Place{path.Join(i.Folder(), part), line}}
	}
	return a, n
}

// PartOf returns the part and the line that an error of reading names; the given part if it names none.
func PartOf(part string, err error) (in string, line int) {
	if syntax, ok := errors.AsType[*tmdl.SyntaxError](err); ok {
		part, line = syntax.File, syntax.Line
	}
	if json, ok := errors.AsType[*jsonpart.Error](err); ok {
		part, line = json.File, json.Line
	}
	return part, max(line, 1)
}

func (s *assessor) model(ctx context.Context, i Item, d definition.Definition, a *Assessed, n *note) error {
	m, err := i.read(d)
	if err != nil {
		return err
	}
	at := newPlaces(i, d, m)
	n.warnings = append(n.warnings, faultsOf(i, m)...)
	g := s.o.Ignores.ofModel(i, n, material{m, at}, s.o.Regime)
	memory := cmp.Or(s.o.Memory, &model.Memory{})
	var agent errgroup.Group
	defer func() { _ = agent.Wait() }()
	if !s.o.ModelOnly {
		agent.Go(func() error {
			return faultless("assessment", func() error {
				o := g.options()
				o.WithoutFindings, o.Memory = true, memory
				a.ScoreDataAgent = s.o.Regime.AssessAsAgent(m, o).Score
				return nil
			})
		})
	}
	s.score(a, n, g, func(o readiness.Options) readiness.Result {
		o.Done, o.Memory = ctx.Done(), memory
		return s.o.Regime.Assess(m, o)
	}, at.of)
	if !s.o.ModelOnly {
		if a.Leaving = new(leaving(d, m)); a.Leaving.Format.Linguistic() {
			n.warnings = append(n.warnings, a.Leaving.search(ctx, i)...)
		}
	}
	if s.compares {
		n.traced = trace(i, m, at)
	}
	return agent.Wait()
}

// faultless calls do. A fault of it is an error, as one in a goroutine would end the program.
func faultless(what string, do func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a bug in this program prevented the %s: %v", what, fault)
		}
	}()
	return do()
}

// maxNotices bounds the warnings per model about what Power BI would refuse. What cannot be understood is always named,
// as rules could not judge it.
const maxNotices = 20

// faultsOf returns warnings about what cannot be understood in the model's files, and what Power BI would refuse there.
// These are not findings and do not affect the score.
func faultsOf(i Item, m *semanticmodel.Model) []Warning {
	var all []Warning
	for k, one := range m.Faults() {
		w := Warning{path.Join(i.Folder(), one.File), max(one.Line, 1), one.Column, one.Message}
		if k-len(m.Unread) == maxNotices {
			w.Column, w.Message = 0, fmt.Sprintf("Power BI would refuse %d more places of this model", len(m.Notices)-maxNotices)
			return append(all, w)
		}
		all = append(all, w)
	}
	return all
}

// inPoints rounds to the precision of scores, which is equal on every machine.
func inPoints(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// score fills in the findings of an assessment and, with a second assessment of only what is ignored, the ignored ones.
func (s *assessor) score(a *Assessed, n *note, g ignoring, assess func(readiness.Options) readiness.Result,
	of func(readiness.Finding) (string, int)) {
	place := func(f readiness.Finding) Finding {
		file, line := of(f)
		f.Impact = inPoints(f.Impact)
		return Finding{f, Place{file, line}}
	}
	a.Result = assess(g.options())
	before := s.o.Baseline.of(a, s.gone)
	var unchanged []Finding
	for _, f := range a.Result.Findings {
		switch {
		case !AtLeast(f.Severity, s.o.MinSeverity):
			a.Lesser++
		case before.knows(f):
			a.Known++
			unchanged = append(unchanged, place(f))
		default:
			a.Findings = append(a.Findings, place(f))
		}
	}
	for _, f := range g.ignored(n, assess) {
		one := place(f.Finding.Finding)
		one.Impact = 0 // an ignored finding costs nothing
		a.Ignored = append(a.Ignored, Ignored{one, f.Reason})
	}
	a.Since = s.o.Baseline.since(a, before, s.o, unchanged)
}
