package optimization

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

// Propose asks the account's AI provider for proposals.
type Propose func(proposal.Ask) (proposal.Answer, error)

// Asking holds what a preview is composed from, in addition to the model.
type Asking struct {
	// Targets are the targets from the latest assessment; nil for a kind that needs
	// none.
	Targets []Targets
	Propose Propose
	// Usage is the number of views by table and field; nil without usage.
	Usage map[string]map[string]int64
	// Captions are what the model's reports call its fields.
	Captions []proposal.Caption
	// Ignore is readiness.Options.Ignore, for the scores; nil ignores nothing.
	Ignore func(ruleID string, key finding.Key) bool
	// Regime makes the scores; nil means the current one.
	Regime *readiness.Regime
	// Now is the assessment of the model with Usage and Ignore; nil if it is not at hand.
	Now *readiness.Result
	// Memory is shared by the previews of one model; nil means one for this preview.
	Memory *Memory
	// Agent is the person's access to the agent permission when the account's AI
	// provider is a data agent; "" when it is not.
	Agent item.Access
	// SameTypes keeps to the types of change of Targets, for which writes are reserved.
	SameTypes bool
	// Effective leaves out field defaults that would only say what the platform does anyway.
	Effective bool
	// AgentPermission is the platform vendor's name of that permission.
	AgentPermission string
}

// none is the only field default that is ever proposed.
const none = "none"

// Nothing completes a preview for which the latest assessment has no objects. It needs
// neither the model nor a provider. score is the score of that assessment.
func (p *Preview) Nothing(score *int) {
	why := "the latest assessment found no description to write"
	if p.Kind == Properties {
		why = "the latest assessment found no measure to put into a display folder and no field default to change"
	}
	p.NothingToDo, p.ScoreNow, p.ScoreAfter = &why, score, score
}

// Compose completes a preview with the changes proposed for the model of the
// definition, and the scores without and with all of them.
func (p *Preview) Compose(d definition.Definition, m *semanticmodel.Model, a Asking) error {
	score, err := p.Propose(d, m, a)
	if err != nil {
		return err
	}
	return score()
}

// Propose is Compose without the scores and what depends on them, which score fills in. The scores of several previews of a model
// may be computed at once, also while another one asks with the same Memory.
func (p *Preview) Propose(d definition.Definition, m *semanticmodel.Model, a Asking) (score func() error, err error) {
	p.Changes, p.Skipped = []Change{}, []Skip{}
	p.warnOf(m)
	by := cmp.Or(a.Regime, readiness.Current())
	a.Memory = cmp.Or(a.Memory, &Memory{})
	done := func() error { return nil }
	if p.leftAlone(d, m, by, a) {
		return done, nil
	}
	asked, err := a.targets(p.Kind, m, by)
	if err != nil {
		return nil, err
	}
	if len(asked) == 0 {
		p.Nothing(a.now(m, by).Score)
		return done, nil
	}
	var noSynonyms error
	if p.Kind == AIDataSchema {
		if noSynonyms = rewrite.Kept(d, m, rewrite.Synonyms); noSynonyms == nil {
			asked = append(asked, Targets{Type: proposal.Synonyms})
		}
	}
	more := 0
	for _, t := range asked {
		if t.Type == proposal.Description {
			t = t.withItemColumns(m)
		}
		left, err := p.ask(d, m, t, a)
		if err != nil {
			return nil, err
		}
		more += left
	}
	return func() error { return p.complete(d, m, by, a, more, noSynonyms) }, nil
}

// complete fills in the scores and what depends on them. more is how many objects are left for another preview, noSynonyms why no
// synonyms are proposed.
func (p *Preview) complete(d definition.Definition, m *semanticmodel.Model, by *readiness.Regime, a Asking, more int, noSynonyms error) error {
	p.UsageInProposal = a.Usage != nil
	options := readiness.Options{Usage: a.Usage, Ignore: a.Ignore, Memory: &a.Memory.Assessed}
	now := a.now(m, by)
	if p.Kind == AIInstructions {
		most := proposal.MaxInstructions
		p.MaxLength = &most
	}
	if err := p.score(d, by, now, options); err != nil {
		return err
	}
	if p.Kind == Properties {
		p.ExistingFolders = foldersOf(m)
	}
	if p.Kind == AIDataSchema {
		p.RecommendedKeys = []string{}
		for _, c := range p.Changes {
			if c.Recommended {
				p.RecommendedKeys = append(p.RecommendedKeys, c.Key)
			}
		}
	}
	p.explain(a, more)
	if noSynonyms != nil {
		p.Skipped = append(p.Skipped, Skip{SynonymsKey, string(proposal.NothingProposed),
			"no synonyms are proposed: " + noSynonyms.Error()})
	}
	return nil
}

// now returns the assessment of the model, without findings unless it is at hand.
func (a Asking) now(m *semanticmodel.Model, by *readiness.Regime) readiness.Result {
	if a.Now != nil {
		return *a.Now
	}
	return by.Assess(m, readiness.Options{Usage: a.Usage, Ignore: a.Ignore, WithoutFindings: true, Memory: &a.Memory.Assessed})
}

// leftAlone completes a preview of what would be written where the platform shows nothing, or over something that cannot
// be understood. It reports whether that is so.
func (p *Preview) leftAlone(d definition.Definition, m *semanticmodel.Model, by *readiness.Regime, a Asking) bool {
	score := func() *int { return a.now(m, by).Score }
	if m.Copilot.NotVisible && (p.Kind == AIInstructions || p.Kind == AIDataSchema) {
		p.notShown(score())
		return true
	}
	if why := rewrite.Unread(d, m, propertyOf(p.Kind.Types()[0])); why != nil {
		p.leave(why.Error(), score())
		return true
	}
	return false
}

// targets returns what to propose for: the targets of the assessment, and those that come
// with the fields that an AI data schema would show.
func (a Asking) targets(k Kind, m *semanticmodel.Model, by *readiness.Regime) ([]Targets, error) {
	if !k.FromFindings() {
		return []Targets{{Type: k.Types()[0]}}, nil
	}
	if a.Agent != "" {
		return a.Targets, nil // a data agent chooses no schema
	}
	schema, err := a.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: m, Usage: a.Usage, Memory: &a.Memory.Memory})
	if err != nil {
		return nil, err
	}
	more := a.Memory.toBeShown(k, m, schema.Proposals, by, readiness.Options{Usage: a.Usage, Ignore: a.Ignore})
	if a.SameTypes {
		more = slices.DeleteFunc(more, func(t Targets) bool {
			return !slices.ContainsFunc(a.Targets, func(known Targets) bool { return known.Type == t.Type })
		})
	}
	return joined(a.Targets, more), nil
}

// ask adds the proposals for the targets. It returns how many objects are left for another
// preview.
func (p *Preview) ask(d definition.Definition, m *semanticmodel.Model, t Targets, a Asking) (left int, err error) {
	present := p.present(d, m, t)
	var answer proposal.Answer
	switch {
	case t.Type == proposal.SummarizeBy:
		effective, unsummarized := a.effective(m, present)
		for _, o := range effective {
			answer.Proposals = append(answer.Proposals, proposal.Proposal{
				Object: o, Value: none, Reason: "a total of its values has no meaning", Recommended: true,
			})
		}
		p.leaveUnsummarized(unsummarized)
	case len(present) == 0 && p.Kind.FromFindings():
		return 0, nil
	default:
		ask := proposal.Ask{Type: t.Type, Model: m, Objects: present, Usage: a.Usage, Captions: a.Captions, Memory: &a.Memory.Memory}
		if t.Type == proposal.Description {
			ask.Limit = MaxDescriptions
		}
		if answer, err = a.Propose(ask); err != nil {
			return 0, err
		}
		if over := len(answer.Proposals) - ask.Limit; ask.Limit > 0 && over > 0 {
			answer.Proposals, answer.More = answer.Proposals[:ask.Limit], answer.More+over
		}
		p.Provider = &answer.Provider
		if w := answer.Warning; w != "" && !slices.Contains(p.Warnings, w) {
			p.Warnings = append(p.Warnings, w)
		}
		if answer, err = p.screened(d, m, t.Type, answer); err != nil {
			return 0, err
		}
	}
	p.take(d, m, t.Type, answer, a)
	return answer.More, nil
}

// effective returns the columns whose default would change how they are summarized, if only these are asked for, and how many others are
// not summarized: the platform summarizes no text, date or truth value unless a default says so. A number that is counted stays so, as
// does what a person let be counted: that is right for identifiers.
func (a Asking) effective(m *semanticmodel.Model, objects []proposal.Object) (all []proposal.Object, unsummarized int) {
	if !a.Effective {
		return objects, 0
	}
	idle, counted := map[proposal.Object]bool{}, map[proposal.Object]bool{}
	for i := range m.Tables {
		for _, c := range m.Tables[i].Columns {
			summarizes := c.SummarizeBy != "" && !strings.EqualFold(c.SummarizeBy, "default")
			counts := strings.EqualFold(c.SummarizeBy, "count") || strings.EqualFold(c.SummarizeBy, "distinctCount")
			o := proposal.Object{Table: m.Tables[i].Name, Name: c.Name, Type: proposal.Column}
			switch c.DataType {
			case semanticmodel.String, semanticmodel.DateTime, semanticmodel.Boolean, "":
				idle[o], counted[o] = !summarizes, counts && c.Annotations["SummarizationSetBy"] == "User"
			default:
				counted[o] = counts || isFlag(wording.Words(c.Name)) // the sum of 0 and 1 is a count
			}
		}
	}
	for _, o := range objects {
		switch {
		case idle[o]:
			unsummarized++
		case !counted[o]:
			all = append(all, o)
		}
	}
	return all, unsummarized
}

// isFlag reports whether the words of a number's name say that it is 0 or 1.
func isFlag(words []string) bool {
	last := wording.LastWord(words)
	return len(words) > 0 && (words[0] == "is" || words[0] == "has" || last == "flag" || last == "flags")
}

// leaveUnsummarized says how many columns keep their default, and why.
func (p *Preview) leaveUnsummarized(columns int) {
	if columns > 0 {
		p.Skipped = append(p.Skipped, Skip{string(p.Kind), string(proposal.NothingProposed),
			fmt.Sprintf("%d text, date or true/false columns have no default summarization, and need none: the platform summarizes none of "+
				"them (rule TYP-01)", columns)})
	}
}

// present returns the targets that the model still has; it skips the others.
func (p *Preview) present(d definition.Definition, m *semanticmodel.Model, t Targets) []proposal.Object {
	if len(t.Objects) == 0 {
		return nil
	}
	values := rewrite.ValuesOf(d, m, targets(t.Type, t.Objects))
	var present []proposal.Object
	for i, o := range t.Objects {
		if values[i].Found {
			present = append(present, o)
			continue
		}
		p.skip(t.Type, proposal.Skip{Object: o, Reason: proposal.NothingProposed,
			Message: "the semantic model no longer has this object of its latest assessment; assess it again"})
	}
	return present
}

func targets(t proposal.Type, objects []proposal.Object) []rewrite.Target {
	return lists.Map(objects, func(o proposal.Object) rewrite.Target {
		return rewrite.Target{Property: propertyOf(t), Table: o.Table, Name: o.Name}
	})
}

func (p *Preview) skip(t proposal.Type, s proposal.Skip) {
	key := KeyFor(t, s.Object)
	if s.Object.Type == proposal.Model {
		key = string(p.Kind)
	}
	p.Skipped = append(p.Skipped, Skip{key, string(s.Reason), s.Message})
}

// take turns proposals into changes. It skips proposals that would change nothing or
// cannot be written.
func (p *Preview) take(d definition.Definition, m *semanticmodel.Model, t proposal.Type, answer proposal.Answer, a Asking) {
	for _, s := range answer.Skipped {
		if a.withoutAgent() {
			s.Reason, s.Message = proposal.PermissionRequired,
				"the account's AI provider is a data agent, and "+a.AgentPermission+" is not granted"
		}
		p.skip(t, s)
	}
	objects := lists.Map(answer.Proposals, func(one proposal.Proposal) proposal.Object { return one.Object })
	values := rewrite.ValuesOf(d, m, targets(t, objects))
	taken := make(map[string]bool, len(p.Changes)+len(objects))
	for _, c := range p.Changes {
		taken[c.Key] = true
	}
	entries := map[entry]bool{}
	for i, one := range answer.Proposals {
		key, why := KeyFor(t, one.Object), ""
		in := entryOf(one.Object)
		switch text := rewrite.CheckText(propertyOf(t), one.Value); {
		case !values[i].Found:
			why = "the semantic model has no such object"
		case taken[key]:
			why = "another object of the semantic model has the same key"
		case t.Change() == proposal.AIDataSchema && entries[in]:
			why = "the AI data schema does not distinguish it from another object whose name differs only in white space or letter case"
		case text != "":
			why = "what was proposed cannot be written: " + text
		case values[i].Text != nil && *values[i].Text == one.Value:
			why = "it already has the proposed value"
		case values[i].Text != nil && len(*values[i].Text) > maxReplaced:
			why = fmt.Sprintf("its current text is longer than the %d bytes that are kept for a revert; shorten it first", maxReplaced)
		}
		if why != "" {
			p.skip(t, proposal.Skip{Object: one.Object, Reason: proposal.NothingProposed, Message: why})
			continue
		}
		taken[key], entries[in] = true, true
		p.Changes = append(p.Changes, Change{
			Key: key, Type: t.Change(), Table: one.Table, Object: one.Name, ObjectType: one.Type, Property: propertyOf(t),
			Current: values[i].Text, Proposed: one.Value, Reason: one.Reason, Recommended: one.Recommended || t.Change() != proposal.AIDataSchema,
			Origin: one.Origin, ReviewRequired: one.Review,
		})
	}
	if !a.withoutAgent() {
		p.question(d, m, t, answer.Questions)
	}
}

// question adds questions. An answer has a key unless a change has it, or the text that it replaces cannot be kept for a revert.
func (p *Preview) question(d definition.Definition, m *semanticmodel.Model, t proposal.Type, questions []proposal.Question) {
	objects := lists.Map(questions, func(q proposal.Question) proposal.Object { return q.Object })
	values := rewrite.ValuesOf(d, m, targets(t, objects))
	taken := lists.SetOf(p.Changes, func(c Change) string { return c.Key })
	for i, q := range questions {
		n := NeededWords{Table: q.Table, Object: q.Name, ObjectType: q.Type, Question: q.Text}
		v, key := values[i], KeyFor(t, q.Object)
		replaceable := v.Text == nil || len(*v.Text) <= maxReplaced
		if v.Found && replaceable && (!taken[key] || q.Type == proposal.Model) {
			n.Key, n.Type, n.Current = key, t, v.Text
			taken[key] = true
		}
		p.NeedsYourWords = append(p.NeedsYourWords, n)
	}
}

// entry identifies an object in the AI data schema, which ignores letter case, white
// space and Unicode normal form of names.
type entry struct{ table, name string }

func entryOf(o proposal.Object) entry { return entry{proposal.Fold(o.Table), proposal.Fold(o.Name)} }

// maxReplaced is the maximum size of a replaced text in bytes, because the log keeps
// the text until a revert.
const maxReplaced = 64 << 10

// withoutAgent reports whether the provider is a data agent that may not be asked as
// the person.
func (a Asking) withoutAgent() bool { return a.Agent != "" && a.Agent != item.Granted }

// explain says why the preview is empty or incomplete.
func (p *Preview) explain(a Asking, more int) {
	if a.Agent != "" {
		p.AgentAccess = &a.Agent
	}
	denied := slices.ContainsFunc(p.Skipped, func(s Skip) bool { return s.Reason == string(proposal.PermissionRequired) })
	switch {
	case denied:
		reason := string(proposal.PermissionRequired)
		message := "The account's AI provider is a data agent, and " + a.AgentPermission +
			" is not granted, so nothing is proposed for the objects it would answer for. It does not mean that they need nothing."
		p.Reason, p.Message = &reason, &message
	case more > 0:
		message := fmt.Sprintf("A preview holds at most %d changes, those that matter most; %d more objects can be previewed once these "+
			"are written.", MaxDescriptions, more)
		p.Message = &message
	}
	if len(p.Changes) == 0 && !denied {
		why := nothing[p.Kind]
		if len(p.Skipped) == 1 {
			why += ": " + p.Skipped[0].Message
		}
		p.NothingToDo = &why
	}
}

var nothing = map[Kind]string{
	AIInstructions: "nothing is proposed for the AI instructions",
	Descriptions:   "no description is proposed",
	Properties:     "no display folder and no field default is proposed",
	AIDataSchema:   "nothing is proposed for the AI data schema",
}

// score sets the scores: now is the assessment of the definition, and that of a copy with
// every change is computed. It skips changes that the definition cannot represent.
func (p *Preview) score(d definition.Definition, by *readiness.Regime, now readiness.Result, o readiness.Options) error {
	o.WithoutFindings = true
	p.ScoreNow, p.ScoreAfter = now.Score, now.Score
	if len(p.Changes) == 0 {
		return nil
	}
	changed, err := p.withEverything(d)
	if err != nil || len(p.Changes) == 0 {
		return err
	}
	then := by.Assess(changed, o)
	p.ScoreAfter, p.DimensionsThatFall, p.Dimensions = then.Score, Falling(now, then), Scored(now, then)
	return nil
}

// withEverything returns the model with every change. It skips changes that the
// definition cannot represent.
func (p *Preview) withEverything(d definition.Definition) (*semanticmodel.Model, error) {
	changes := lists.Map(p.Changes, func(c Change) rewrite.Change { return rewrite.Change{Target: c.Target(), Value: c.Proposed} })
	_, after, _, err := rewrite.WriteAndRead(d, changes)
	if err == nil {
		return after, nil
	}
	wrong := map[rewrite.Target]error{}
	unwritable(d, changes, wrong)
	p.Changes = slices.DeleteFunc(p.Changes, func(c Change) bool {
		why, ok := wrong[c.Target()]
		if ok {
			p.Skipped = append(p.Skipped, Skip{c.Key, string(proposal.NothingProposed),
				"the definition cannot represent the proposal: " + why.Error()})
		}
		return ok
	})
	changes = slices.DeleteFunc(changes, func(c rewrite.Change) bool { return wrong[c.Target] != nil })
	_, after, _, err = rewrite.WriteAndRead(d, changes)
	if err != nil {
		err = domain.Refuse(domain.OptimizationFailed, "the definition cannot represent all proposals together: %s", err)
	}
	return after, err
}

// unwritable finds the changes that cannot be written, by bisection.
func unwritable(d definition.Definition, changes []rewrite.Change, wrong map[rewrite.Target]error) {
	_, _, err := rewrite.Write(d, changes)
	switch {
	case err == nil:
	case len(changes) == 1:
		wrong[changes[0].Target] = err
	default:
		unwritable(d, changes[:len(changes)/2], wrong)
		unwritable(d, changes[len(changes)/2:], wrong)
	}
}

// Proposed returns the event of an unattended apply that writes every change of the
// preview that needs no review. hash is the hash of the preview's document.
func (p Preview) Proposed(hash string) (Proposed, error) {
	writable, withheld := p.Unattended()
	writes, err := ApplyPreview{}.Select(writable)
	skipped := slices.Concat(p.Skipped, withheld)
	if p.NothingToDo != nil && len(skipped) == 0 {
		skipped = []Skip{{Reason: string(proposal.NothingProposed), Message: *p.NothingToDo}}
	}
	return Proposed{DocumentHash: hash, Writes: writes, Skipped: skipped}, err
}
