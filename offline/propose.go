package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/internal/lists"
)

// ProposeOptions configures Propose.
type ProposeOptions struct {
	// Kinds are the kinds to propose; empty means all that a model can hold. If a model cannot hold a listed kind, that
	// is an error.
	Kinds []optimization.Kind
	// Keys select proposed changes. Nil selects what the service writes by default: all changes, and of the AI data
	// schema the recommended ones; of a model with more than MaxRecommended of them those that are worth most, unless All is set.
	Keys []string
	All  bool
	// Ignores are accepted findings, in addition to those in the models' annotations. Nothing is proposed for them.
	Ignores *Ignores
	// Regime makes the scores and the findings; nil means the current one.
	Regime *readiness.Regime
	// Words are texts by persons, which take the place of proposed ones.
	Words Words
	// Propose calls the AI provider.
	Propose func(context.Context, proposal.Ask) (proposal.Answer, error)
	// Jobs and Progress are as in AssessOptions.
	Jobs     int
	Progress func(done, total int)
}

// MaxRecommended is how many changes a person can be expected to review.
const MaxRecommended = 150

// Proposal is what is proposed for a semantic model, and the definition after writing the selected changes.
type Proposal struct {
	Item
	// Error is why nothing is proposed; then the fields below are zero.
	Error error
	// Previews are in the order in which the kinds are written.
	Previews []optimization.Preview
	// Applies are the writes. ScoreNow and ScoreAfter are the scores without and with all of them.
	Applies              []Apply
	ScoreNow, ScoreAfter *int
	// DimensionsThatFall are the dimensions that score lower with all of them.
	DimensionsThatFall []optimization.FallingDimension
	// LeftOut counts the changes beyond MaxRecommended, which only All writes.
	LeftOut int
	// Ignored counts the ignored findings that the requested kinds could clear. The scores exclude ignored findings.
	Ignored int

	Before, After definition.Definition
}

// Apply is what is written of one kind, in the service's format: each write with its undo.
type Apply struct {
	Kind     optimization.Kind            `json:"kind"`
	Writes   []optimization.Write         `json:"writes"`
	Intended []optimization.WriteIntended `json:"intended"`
}

// Changes returns how many objects are written.
func (p Proposal) Changes() int {
	n := 0
	for _, a := range p.Applies {
		for _, i := range a.Intended {
			n += len(i.Undo)
		}
	}
	return n
}

// Propose makes the previews of the semantic models among the items. Every kind is proposed for the current model and
// written after the kinds before it, as in a bundle of the service. Nothing is proposed for ignored findings. Propose
// writes nothing to disk. The warnings are those of Assess about ignored findings.
func Propose(ctx context.Context, items []Item, o ProposeOptions) ([]Proposal, []Warning, error) {
	o.Regime = cmp.Or(o.Regime, readiness.Current())
	optimized := models(items)
	if len(optimized) == 0 {
		return nil, nil, errors.New("there is no semantic model; data agents can only be assessed")
	}
	all := make([]Proposal, len(optimized))
	notes := make([]note, len(optimized))
	err := each(ctx, len(optimized), o.Jobs, o.Progress, func(n int) {
		notes[n] = o.Ignores.newNote()
		all[n] = propose(ctx, optimized[n], o, &notes[n])
		notes[n].unread = all[n].Error != nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(optimized) < len(items) { // only an assessment knows what an agent's ignores match
		notes = append(notes, o.Ignores.newNote())
		notes[len(notes)-1].unread = true
	}
	return all, o.Ignores.warnings(notes), unknownKeys(all, o.Keys)
}

// unknownKeys returns an error if no preview has one of the keys, so that typing errors are noticed.
func unknownKeys(all []Proposal, keys []string) error {
	for _, key := range keys {
		known := slices.ContainsFunc(all, func(p Proposal) bool {
			return slices.ContainsFunc(p.Previews, func(one optimization.Preview) bool {
				return slices.ContainsFunc(one.Changes, func(c optimization.Change) bool { return c.Key == key })
			})
		})
		if !known {
			return fmt.Errorf("no change has the key %q; preview --format json lists the keys", key)
		}
	}
	return nil
}

func propose(ctx context.Context, i Item, o ProposeOptions, n *note) (p Proposal) {
	defer func() {
		if fault := recover(); fault != nil {
			p = Proposal{Item: i, Error: fmt.Errorf("a bug in this program prevented the proposal: %v", fault)}
		}
	}()
	p.Item = i
	if err := p.compose(ctx, o, n); err != nil {
		return Proposal{Item: i, Error: readable(err)}
	}
	return p
}

// compose makes the previews and the resulting definition.
func (p *Proposal) compose(ctx context.Context, o ProposeOptions, n *note) error {
	d, pending, err := p.Definition(ctx)
	n.warnings = append(n.warnings, pending...)
	if err != nil {
		return err
	}
	m, err := semanticmodel.Read(d)
	if err != nil {
		return err
	}
	n.warnings = append(n.warnings, faultsOf(p.Item, m)...)
	g := o.Ignores.ofModel(p.Item, n, material{m, newPlaces(p.Item, d, m)}, o.Regime)
	by := o.Regime
	memory := &optimization.Memory{}
	assess := func(o readiness.Options) readiness.Result {
		o.Memory = &memory.Assessed
		return by.Assess(m, o)
	}
	now, ignored := assess(g.options()), g.ignored(n, assess)
	p.Before, p.After, p.ScoreNow, p.ScoreAfter = d, d, now.Score, now.Score
	words := o.Words[p.Shown]
	from := proposing{d, m, now, by, g.options().Ignore, byPerson(o.Propose, words, o.Kinds), nil, memory}
	if len(o.Kinds) == 0 || slices.Contains(o.Kinds, optimization.AIDataSchema) {
		from.captions = p.captions(ctx, n)
	}
	var leftOut []string // kinds that the model cannot hold
	var previews []*optimization.Preview
	var why error
	scoring := errgroup.Group{} // of kinds before the one that is proposed
	scoring.SetLimit(cmp.Or(max(o.Jobs, 0), runtime.GOMAXPROCS(0)))
	defer func() { _ = scoring.Wait() }()
	for _, kind := range optimization.Kinds() {
		if len(o.Kinds) > 0 && !slices.Contains(o.Kinds, kind) {
			continue
		}
		noPlace := rewrite.Kept(d, m, keptAs[kind])
		if noPlace != nil && len(o.Kinds) > 0 {
			return fmt.Errorf("%s cannot be written: %w", kind, noPlace)
		}
		left := leftAlone(kind, now.Findings, ignored)
		p.Ignored += left.count()
		if noPlace != nil {
			leftOut, why = append(leftOut, string(kind)), noPlace
		}
		one := &optimization.Preview{Kind: kind, SemanticModelName: p.Name, Changes: []optimization.Change{}, Skipped: []optimization.Skip{}}
		score, err := from.preview(ctx, one, left, noPlace)
		if err != nil {
			return err
		}
		previews = append(previews, one)
		scoring.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return faultless("proposal", score)
		})
	}
	if err := scoring.Wait(); err != nil {
		return err
	}
	var writable []optimization.Preview
	for _, preview := range previews {
		one := *preview
		p.Previews = append(p.Previews, one)
		if o.Keys == nil {
			one = p.reviewed(one, n)
		}
		writable = append(writable, one)
	}
	if o.Keys == nil && !o.All {
		writable, p.LeftOut = worthMost(writable, now.Findings, words)
	}
	for _, key := range p.Unused(words) {
		n.warnings = append(n.warnings, Warning{p.Shown, 1, 0, fmt.Sprintf("the answer for %s is not written: no question asks about it, it has this "+
			"text already, or a description cannot hold the text", key)})
	}
	after := m
	for _, one := range writable {
		if after, err = p.apply(after, one, o.Keys, nil); err != nil {
			return err
		}
	}
	if len(leftOut) > 0 {
		n.warnings = append(n.warnings, Warning{p.Shown, 1, 0, fmt.Sprintf("%s skipped: %s", strings.Join(leftOut, " and "), why)})
	}
	if p.Changes() == 0 {
		return nil
	}
	options := g.options()
	options.WithoutFindings, options.Memory = true, &memory.Assessed
	then := by.Assess(after, options)
	p.ScoreAfter, p.DimensionsThatFall = then.Score, optimization.Falling(now, then)
	return nil
}

// proposing is what all previews of a model are made from: its definition, its assessment without what is ignored, and
// the AI provider.
type proposing struct {
	d      definition.Definition
	m      *semanticmodel.Model
	now    readiness.Result
	regime *readiness.Regime
	ignore func(rule string, key finding.Key) bool
	ask    func(context.Context, proposal.Ask) (proposal.Answer, error)
	// captions are what the model's reports call its fields.
	captions []proposal.Caption
	memory   *optimization.Memory
}

// preview fills the preview of one kind, except what score fills in. It proposes nothing for what is left alone. noPlace is why the
// model cannot hold the kind; nil if it can.
func (f proposing) preview(ctx context.Context, one *optimization.Preview, left leftBe, noPlace error) (score func() error, err error) {
	asking := optimization.Asking{Targets: optimization.TargetsOf(one.Kind, f.now.Findings), Captions: f.captions, Ignore: f.ignore,
		Regime: f.regime, Effective: true, Now: &f.now, Memory: f.memory}
	asking.Propose = func(ask proposal.Ask) (proposal.Answer, error) {
		answer, err := f.ask(ctx, ask)
		answer.Proposals = slices.DeleteFunc(answer.Proposals, func(one proposal.Proposal) bool {
			if ask.Type == proposal.Synonyms { // ignored by the rule that asks for them, not with a visibility
				return f.ignore != nil && f.ignore("SYN-01", finding.Key{Table: one.Table, ObjectName: one.Name})
			}
			return left.object(one)
		})
		return answer, err
	}
	switch {
	case noPlace != nil:
		one.NothingToDo, one.ScoreNow, one.ScoreAfter = new(noPlace.Error()), f.now.Score, f.now.Score
	case left.all:
		why := fmt.Sprintf("all findings that it would clear are ignored: %s", left.ignored[0].Reason)
		one.NothingToDo, one.ScoreNow, one.ScoreAfter = &why, f.now.Score, f.now.Score
	default:
		return one.Propose(f.d, f.m, asking)
	}
	return func() error { return nil }, nil
}

// keptAs maps kinds that not every model can hold to the property that they write.
var keptAs = map[optimization.Kind]rewrite.Property{optimization.AIInstructions: rewrite.Instructions,
	optimization.AIDataSchema: rewrite.Visibility}

// leftBe is what a kind leaves unchanged because it is ignored.
type leftBe struct {
	ignored []Ignored
	// all is true if the kind has nothing else to clear.
	all bool
	// objects are the objects that have nothing else for the kind to clear.
	objects map[object]bool
}

// leftAlone returns the ignored findings that a kind could clear. An object that also has a reported finding of that
// kind is not left alone.
func leftAlone(kind optimization.Kind, reported []readiness.Finding, ignored []Ignored) leftBe {
	clears := func(f readiness.Finding) bool { return slices.Contains(f.FixKinds, finding.FixKind(kind)) }
	keyOf := func(f readiness.Finding) object { return newObject("", f.Table, f.ObjectName) }
	left := leftBe{objects: map[object]bool{}}
	for _, f := range ignored {
		if clears(f.Finding.Finding) {
			left.ignored = append(left.ignored, f)
			left.objects[keyOf(f.Finding.Finding)] = true
		}
	}
	left.all = len(left.ignored) > 0
	for _, f := range reported {
		if clears(f) {
			left.all = false
			delete(left.objects, keyOf(f))
		}
	}
	return left
}

// count returns the number of ignored findings that have an effect. It excludes objects with other findings, and the
// model itself.
func (l leftBe) count() int {
	return lists.Count(l.ignored, func(f Ignored) bool {
		return l.all || f.ObjectType != finding.ModelObject && l.objects[newObject("", f.Table, f.ObjectName)]
	})
}

// object reports whether a proposal is for an object that is left alone.
func (l leftBe) object(one proposal.Proposal) bool {
	return l.objects[newObject("", one.Table, one.Name)]
}

// With returns the proposal so that some of the proposed changes are written, by their keys. Its scores stay as they were.
func (p Proposal) With(keys []string) (Proposal, error) { return p.WithOwn(keys, nil) }

// WithOwn is With, with other texts than the proposed ones for some of the keys.
func (p Proposal) WithOwn(keys []string, own map[string]string) (Proposal, error) {
	p.Applies, p.After = nil, p.Before
	m, err := semanticmodel.Read(p.Before)
	if err != nil {
		return p, err
	}
	chosen := append([]string{}, keys...) // nil would select the defaults
	for _, one := range p.Previews {
		if m, err = p.apply(m, one, chosen, own); err != nil {
			return p, err
		}
	}
	return p, nil
}

// apply writes the selected changes of a preview to p.After, which was read as m, and returns what it reads as then.
func (p *Proposal) apply(m *semanticmodel.Model, preview optimization.Preview, chosen []string, own map[string]string) (*semanticmodel.Model, error) {
	writes, err := choose(preview, chosen, own)
	if err != nil || len(writes) == 0 {
		return m, err
	}
	a := Apply{Kind: preview.Kind, Writes: writes}
	work := optimization.Work{Kind: a.Kind, Writes: writes, Progress: make([]optimization.Progress, len(writes))}
	for n, w := range writes {
		plan, err := plannedFor(work, n, p.After, m)
		if err != nil {
			return nil, err
		}
		changes := lists.Map(plan.Objects, func(o optimization.Object) rewrite.Change {
			return rewrite.Change{Target: o.Target(), Value: *o.Written}
		})
		changed, undo := p.After, []rewrite.Undo(nil)
		if len(changes) > 0 {
			if changed, m, undo, err = rewrite.WriteAndRead(p.After, changes); err != nil {
				return nil, fmt.Errorf("the definition cannot hold the proposed changes of type %s: %w", w.Type, err)
			}
		}
		a.Intended = append(a.Intended, optimization.WriteIntended{
			Write: n, Undo: undo, Skipped: plan.Skipped, DefinitionHash: p.After.Hash(), WrittenHash: changed.Hash(),
		})
		p.After = changed
	}
	p.Applies = append(p.Applies, a)
	return m, nil
}

// reviewed returns the preview without the changes that a person must review first, and warns about them. Naming their
// keys is the review.
func (p *Proposal) reviewed(preview optimization.Preview, n *note) optimization.Preview {
	writable, withheld := preview.Unattended()
	for _, s := range withheld {
		n.warnings = append(n.warnings, Warning{p.Shown, 1, 0, fmt.Sprintf("%s is not written: %s; read it in preview "+
			"--format json, and write it with --key %q", s.Key, s.Message, s.Key)})
	}
	return writable
}

// worthMost keeps the MaxRecommended changes of the previews whose findings cost the most points, and counts the others that would be
// written by default. A person's words are always kept. The changes of a kind share the points of findings about the model. Of equal ones the
// first are kept: previews are in the order in which kinds are written.
func worthMost(previews []optimization.Preview, findings []readiness.Finding, words map[string]string) (kept []optimization.Preview, leftOut int) {
	type fixed struct {
		kind          optimization.Kind
		table, object string
	}
	points, shared := map[fixed]float64{}, map[optimization.Kind]float64{}
	for _, f := range findings {
		for _, of := range f.FixKinds {
			if kind := optimization.Kind(of); f.ObjectType == finding.ModelObject {
				shared[kind] += f.Impact
			} else {
				points[fixed{kind, f.Table, f.ObjectName}] += f.Impact
			}
		}
	}
	type change struct {
		kind optimization.Kind
		key  string
	}
	worth := map[change]float64{}
	var all []change
	for _, one := range previews {
		byDefault := one.Changes
		if one.Kind == optimization.AIDataSchema {
			byDefault = lists.Where(one.Changes, func(c optimization.Change) bool { return slices.Contains(one.RecommendedKeys, c.Key) })
		}
		for _, c := range byDefault {
			of := change{one.Kind, c.Key}
			all = append(all, of)
			worth[of] = points[fixed{one.Kind, c.Table, c.Object}] + shared[one.Kind]/float64(len(byDefault))
			if _, said := words[c.Key]; said && c.Type == proposal.Description {
				worth[of] += 100 // more than a score has
			}
		}
	}
	if leftOut = len(all) - MaxRecommended; leftOut <= 0 {
		return previews, 0
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(worth[b], worth[a]) })
	for _, c := range all[MaxRecommended:] {
		delete(worth, c)
	}
	isKept := func(kind optimization.Kind, key string) bool {
		_, is := worth[change{kind, key}]
		return is
	}
	for _, one := range previews {
		one.Changes = lists.Where(one.Changes, func(c optimization.Change) bool { return isKept(one.Kind, c.Key) })
		one.RecommendedKeys = lists.Where(one.RecommendedKeys, func(key string) bool { return isKept(one.Kind, key) })
		kept = append(kept, one)
	}
	return kept, leftOut
}

// choose returns the writes for the selected keys of the preview, or for its default changes; own has texts for some of the keys.
func choose(preview optimization.Preview, chosen []string, own map[string]string) ([]optimization.Write, error) {
	r := optimization.ApplyPreview{Values: map[string]string{}}
	if chosen != nil {
		var keys []string
		for _, c := range preview.Changes {
			if slices.Contains(chosen, c.Key) {
				keys = append(keys, c.Key)
				if text, is := own[c.Key]; is {
					r.Values[c.Key] = text
				}
			}
		}
		r.Keys = &keys
		if len(keys) == 0 {
			return nil, nil
		}
	}
	if len(preview.Changes) == 0 || chosen == nil && preview.Kind == optimization.AIDataSchema && len(preview.RecommendedKeys) == 0 {
		return nil, nil
	}
	return r.Select(preview)
}

// planned plans a write against the definition, as the service does before it writes.
func planned(work optimization.Work, write int, d definition.Definition) (optimization.Plan, error) {
	m, err := semanticmodel.Read(d)
	if err != nil {
		return optimization.Plan{}, domain.Refuse(domain.ItemNotReadable, "the definition cannot be read: %s", err)
	}
	return plannedFor(work, write, d, m)
}

// plannedFor is planned with a definition that was read as m.
func plannedFor(work optimization.Work, write int, d definition.Definition, m *semanticmodel.Model) (optimization.Plan, error) {
	values := rewrite.ValuesOf(d, m, lists.Map(work.Writes[write].Objects, optimization.Object.Target))
	return work.Plan(write, optimization.Now{Values: values, Hash: d.Hash()})
}
