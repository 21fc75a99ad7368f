package offline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
)

// ProposeOptions are what a proposal is made by.
type ProposeOptions struct {
	// Kinds are those that are proposed; all when there are none.
	Kinds []optimization.Kind
	// Keys choose among the proposed changes; nil takes those that the service
	// writes by itself: all, of the AI data schema the recommended ones.
	Keys []string
	// Propose asks the AI provider.
	Propose func(context.Context, proposal.Ask) (proposal.Answer, error)
	// Jobs and Progress are those of AssessOptions.
	Jobs     int
	Progress func(done, total int)
}

// Proposal is what is proposed for a semantic model, and what writing the chosen
// of it comes to.
type Proposal struct {
	Item
	// Error is why nothing is proposed; all below is zero then.
	Error error
	// Previews are those of the kinds, in the order in which they are written.
	Previews []optimization.Preview
	// Applies are what is written. ScoreNow and ScoreAfter are the scores without
	// and with all of them.
	Applies              []Apply
	ScoreNow, ScoreAfter *int

	before, after definition.Definition
}

// Apply is what is written of one kind, as the service records it: each write with
// what puts it back.
type Apply struct {
	Kind     optimization.Kind            `json:"kind"`
	Writes   []optimization.Write         `json:"writes"`
	Intended []optimization.WriteIntended `json:"intended"`
}

// Changes is how many objects are written.
func (p Proposal) Changes() int {
	n := 0
	for _, a := range p.Applies {
		for _, i := range a.Intended {
			n += len(i.Undo)
		}
	}
	return n
}

// Propose makes the previews of the semantic models among the items. Every kind is
// proposed for the model as it is, and written behind the kinds before it, as a
// bundle of the service does. Nothing is written to disk.
func Propose(ctx context.Context, items []Item, o ProposeOptions) ([]Proposal, error) {
	if len(o.Kinds) == 0 {
		o.Kinds = optimization.Kinds()
	}
	items = models(items)
	if len(items) == 0 {
		return nil, errors.New("there is no semantic model; data agents are assessed alone")
	}
	all := make([]Proposal, len(items))
	err := each(ctx, len(items), o.Jobs, o.Progress, func(n int) { all[n] = propose(ctx, items[n], o) })
	if err != nil {
		return nil, err
	}
	return all, unknownKeys(all, o.Keys)
}

// unknownKeys refuses keys that no preview has, so that a misspelled one is seen.
func unknownKeys(all []Proposal, keys []string) error {
	for _, key := range keys {
		known := slices.ContainsFunc(all, func(p Proposal) bool {
			return slices.ContainsFunc(p.Previews, func(one optimization.Preview) bool {
				return slices.ContainsFunc(one.Changes, func(c optimization.Change) bool { return c.Key == key })
			})
		})
		if !known {
			return fmt.Errorf("no change has the key %q; preview --format json lists those there are", key)
		}
	}
	return nil
}

func propose(ctx context.Context, i Item, o ProposeOptions) (p Proposal) {
	defer func() {
		if fault := recover(); fault != nil {
			p = Proposal{Item: i, Error: fmt.Errorf("a fault of this program kept anything from being proposed: %v", fault)}
		}
	}()
	p.Item = i
	if err := p.compose(ctx, o); err != nil {
		return Proposal{Item: i, Error: told(err)}
	}
	return p
}

// compose makes the previews and what they come to.
func (p *Proposal) compose(ctx context.Context, o ProposeOptions) error {
	d, err := p.definition(ctx)
	if err != nil {
		return err
	}
	m, err := semanticmodel.Read(d)
	if err != nil {
		return err
	}
	now := readiness.Assess(m, readiness.Options{})
	p.before, p.after, p.ScoreNow, p.ScoreAfter = d, d, now.Score, now.Score
	asking := optimization.Asking{Propose: func(ask proposal.Ask) (proposal.Answer, error) { return o.Propose(ctx, ask) }}
	for _, kind := range optimization.Kinds() {
		if !slices.Contains(o.Kinds, kind) {
			continue
		}
		one := optimization.Preview{Kind: kind, SemanticModelName: p.Name, Changes: []optimization.Change{}, Skipped: []optimization.Skip{}}
		asking.Targets = optimization.TargetsOf(kind, now.Findings)
		if kind.FromFindings() && len(asking.Targets) == 0 {
			one.Nothing(now.Score)
		} else if err := one.Compose(d, m, asking); err != nil {
			return err
		}
		p.Previews = append(p.Previews, one)
		if err := p.apply(one, o.Keys); err != nil {
			return err
		}
	}
	if p.Changes() == 0 {
		return nil
	}
	after, err := semanticmodel.Read(p.after)
	if err != nil {
		return err
	}
	p.ScoreAfter = readiness.Assess(after, readiness.Options{}).Score
	return nil
}

// apply writes the chosen changes of a preview into what the model is to be.
func (p *Proposal) apply(preview optimization.Preview, chosen []string) error {
	writes, err := choose(preview, chosen)
	if err != nil || len(writes) == 0 {
		return err
	}
	a := Apply{Kind: preview.Kind, Writes: writes}
	work := optimization.Work{Kind: a.Kind, Writes: writes, Progress: make([]optimization.Progress, len(writes))}
	for n, w := range writes {
		plan, err := planned(work, n, p.after)
		if err != nil {
			return err
		}
		changes := make([]rewrite.Change, len(plan.Objects))
		for i, o := range plan.Objects {
			changes[i] = rewrite.Change{Target: o.Target(), Value: *o.Written}
		}
		changed, undo := p.after, []rewrite.Undo(nil)
		if len(changes) > 0 {
			if changed, undo, err = rewrite.Write(p.after, changes); err != nil {
				return fmt.Errorf("the definition cannot hold what is proposed of type %s: %w", w.Type, err)
			}
		}
		a.Intended = append(a.Intended, optimization.WriteIntended{
			Write: n, Undo: undo, Skipped: plan.Skipped, DefinitionHash: p.after.Hash(), WrittenHash: changed.Hash(),
		})
		p.after = changed
	}
	p.Applies = append(p.Applies, a)
	return nil
}

// choose are the writes of the preview's changes: of the chosen keys that it has, or
// those that are written by themselves.
func choose(preview optimization.Preview, chosen []string) ([]optimization.Write, error) {
	var r optimization.ApplyRequest
	if chosen != nil {
		var own []string
		for _, c := range preview.Changes {
			if slices.Contains(chosen, c.Key) {
				own = append(own, c.Key)
			}
		}
		r.Keys = &own
		if len(own) == 0 {
			return nil, nil
		}
	}
	if len(preview.Changes) == 0 || chosen == nil && preview.Kind == optimization.AIDataSchema && len(preview.RecommendedKeys) == 0 {
		return nil, nil
	}
	return r.Select(preview)
}

// planned holds a write against the definition, as the service does before it
// writes.
func planned(work optimization.Work, write int, d definition.Definition) (optimization.Plan, error) {
	objects := work.Writes[write].Objects
	targets := make([]rewrite.Target, len(objects))
	for i, o := range objects {
		targets[i] = o.Target()
	}
	values, err := rewrite.Values(d, targets)
	if err != nil {
		return optimization.Plan{}, domain.Refuse(domain.ItemNotReadable, "the definition cannot be read: %s", err)
	}
	return work.Plan(write, optimization.Now{Values: values, Hash: d.Hash()})
}
