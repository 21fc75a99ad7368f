// Package evaluate runs DAX queries over small tables of values, so that result sets of
// sample data can be compared where no analysis engine runs. It knows the functions and
// forms that its tests show. Everything else it refuses by name and position; it never
// guesses. Row-level security does not apply, and calculation groups are not evaluated.
package evaluate

import (
	"fmt"
	"strings"
	"time"

	"readiness/definition/dax"
)

// Engine names this evaluator in results.
const Engine = "embedded"

// Options bounds a query. A bound that is 0 has its default.
type Options struct {
	// Today is the day that TODAY returns; when it is zero, TODAY is refused.
	Today time.Time
	// MaxRows is how many rows a result may have. The default is 100,000.
	MaxRows int
	// MaxSteps bounds the work: rows examined and expressions evaluated. The default
	// is 100 million, a few seconds.
	MaxSteps int
	// Stop is called from time to time; the query ends with the error it returns.
	Stop func() error
}

// The defaults of Options, and bounds that are fixed.
const (
	defaultRows  = 100_000
	defaultSteps = 100_000_000
	// maxCells is how many values an intermediate table may hold.
	maxCells = 2_000_000
	// maxDepth is how deep evaluations may nest, measures included.
	maxDepth = 400
	// maxText is how long a text may be, in bytes.
	maxText = 1 << 16
	// maxQuery is how long a query may be, in bytes.
	maxQuery = 1 << 18
)

// Result is a table: the values of each row are in the order of Columns.
type Result struct {
	// Engine is the constant Engine.
	Engine string
	// Columns are named as in a result of DAX: Table[Column], or [Name].
	Columns []string
	Rows    [][]Value
}

// Refusal says why a query was not evaluated.
type Refusal struct {
	// Limit is true when the query exceeds a bound of Options.
	Limit bool
	// In is the measure, column or table whose expression is refused, "" for the query.
	In string
	// Line and Column are where, from 1; Column counts characters.
	Line, Column int
	Reason       string
}

// Error implements error.
func (r *Refusal) Error() string {
	in := ""
	if r.In != "" {
		in = r.In + ", "
	}
	return fmt.Sprintf("%sline %d, column %d: %s", in, r.Line, r.Column, r.Reason)
}

// Query evaluates a query that has one EVALUATE. The error is a *Refusal, or the one that
// Options.Stop returned.
func (m *Model) Query(text string, o Options) (result Result, err error) {
	s := newSession(m, o)
	defer s.caught(&err, func() { result = Result{} })
	return s.query(text), nil
}

// session evaluates one query. Its methods stop by a panic with a *Refusal, or with a
// stopped, which caught turns into an error.
type session struct {
	model *Model
	Options
	steps, nextStop int
	depth           int
	sources         []source
	at              *dax.Node // the last one entered, in the last source
	resolved        map[*dax.Node]resolved
	parsed          map[*measure]*dax.Node
	calling         map[*measure]bool
	defined         map[string]*measure
	relations       map[string]*relations
	scalars         map[string]scalarFunction
	tables          map[string]tableFunction
	// simple refuses whatever depends on relationships: they do not exist yet when
	// calculated tables and columns are evaluated. related then permits RELATED.
	simple, related bool
}

// source is a text whose expressions are being evaluated.
type source struct{ in, text string }

type stopped struct{ err error }

func newSession(m *Model, o Options) *session {
	if o.MaxRows <= 0 {
		o.MaxRows = defaultRows
	}
	if o.MaxSteps <= 0 {
		o.MaxSteps = defaultSteps
	}
	return &session{
		model: m, Options: o, resolved: map[*dax.Node]resolved{}, parsed: map[*measure]*dax.Node{}, calling: map[*measure]bool{},
		defined: map[string]*measure{}, relations: map[string]*relations{},
		scalars: scalarFunctions(), tables: tableFunctions(),
	}
}

// caught is deferred: it sets err when the session stopped, and calls clear.
func (s *session) caught(err *error, clear func()) {
	switch r := recover().(type) {
	case nil:
		return
	case *Refusal:
		*err = r
	case stopped:
		*err = r.err
	default:
		panic(r)
	}
	clear()
}

// refuse stops the session because of a node; nil stands for the last one entered.
func (s *session) refuse(n *dax.Node, format string, args ...any) {
	if n == nil {
		n = s.at
	}
	at := 0
	if n != nil {
		at = n.At
	}
	s.refuseAt(at, format, args...)
}

func (s *session) refuseAt(at int, format string, args ...any) {
	r := &Refusal{Line: 1, Column: 1, Reason: fmt.Sprintf(format, args...)}
	if len(s.sources) > 0 {
		from := s.sources[len(s.sources)-1]
		before := from.text[:min(at, len(from.text))]
		r.In = from.in
		r.Line = 1 + strings.Count(before, "\n")
		r.Column = 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	}
	panic(r)
}

// exceeded stops the session at a limit.
func (s *session) exceeded(n *dax.Node, format string, args ...any) {
	defer func() {
		r := recover()
		if refusal, ok := r.(*Refusal); ok {
			refusal.Limit = true
		}
		panic(r)
	}()
	s.refuse(n, format, args...)
}

// stopEvery is after how many steps Stop is called.
const stopEvery = 1 << 16

// spend counts work, and stops the session when it is too much.
func (s *session) spend(n *dax.Node, steps int) {
	s.steps += steps
	if s.steps > s.MaxSteps {
		s.exceeded(n, "evaluating it takes more than %d steps", s.MaxSteps)
	}
	if s.steps >= s.nextStop && s.Stop != nil {
		s.nextStop = s.steps + stopEvery
		if err := s.Stop(); err != nil {
			panic(stopped{err})
		}
	}
}

func (s *session) query(text string) Result {
	if len(text) > maxQuery {
		s.exceeded(nil, "a query may have %d bytes; it has %d", maxQuery, len(text))
	}
	s.sources = []source{{text: text}}
	q, at, ok := dax.ParseQuery(text)
	switch {
	case !ok:
		s.refuseAt(at, "it cannot be read from here on")
	case len(q.Evaluated) > 1:
		s.refuse(q.Evaluated[1].Table, "a query may have one EVALUATE")
	case len(q.Evaluated[0].StartAt) > 0:
		s.refuse(q.Evaluated[0].StartAt[0], "START AT is not known")
	}
	sc := scope{context: &context{relations: s.model.relations}}
	sc = s.define(sc, q.Defined)
	e := q.Evaluated[0]
	t := s.table(sc, e.Table)
	if t.len() > s.MaxRows {
		s.exceeded(e.Table, "its result has %d rows; a result may have %d", t.len(), s.MaxRows)
	}
	order := s.ordered(sc, t, e.Order)
	r := Result{Engine: Engine, Columns: t.names(), Rows: make([][]Value, 0, len(order))}
	for _, row := range order {
		values := make([]Value, len(t.columns))
		for i := range values {
			values[i] = t.value(row, i)
		}
		r.Rows = append(r.Rows, values)
	}
	return r
}

// define adds the measures and variables of DEFINE.
func (s *session) define(sc scope, all []dax.Defined) scope {
	for _, d := range all {
		switch d.Kind {
		case "MEASURE":
			m := &measure{name: d.Reference.Name, in: s.sources[0]}
			s.parsed[m] = d.Value
			s.defined[folded(m.name)] = m
		case "VAR":
			sc = s.declare(sc, d.Reference.Name, d.Value)
		default:
			s.refuseAt(d.At, "DEFINE %s is not known", d.Kind)
		}
	}
	return sc
}
