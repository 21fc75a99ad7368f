// Package agents has the rules that judge the configuration of a data agent.
package agents

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/visibility"
	"readiness/domain/readiness/wording"
)

// Configuration is a data agent as the rules about data agents see it.
type Configuration struct {
	Instructions string
	Description  string // the published one
	Sources      []Source
}

// Source is a data source of an agent.
type Source struct {
	ID, Name string
	Tables   []string        // the names of the selected ones
	Snapshot *model.Snapshot // nil for a source that is not scored
}

// Rule is a rule about a data agent. check reports the source that an object
// belongs to, or -1 for the agent itself.
type Rule struct {
	rule.Rule
	Check check
}

type check func(*Configuration, func(source int, o *model.Object, v rule.Verdict))

// Rules judge the agent's own configuration. No optimization fixes it.
var Rules = []Rule{
	// AGT-01: the agent and the AI data schema agree on the tables. The tables of all
	// configured sources are one population.
	{rule.Rule{ID: "AGT-01", Weight: 3, Severity: finding.Medium, Reads: semanticmodel.Schema}, agreementOnTables},
	// AGT-02: instructions about the model's objects belong to Prep for AI, because the
	// agent's instructions are not passed on.
	{rule.Rule{ID: "AGT-02", Weight: 2, Severity: finding.Medium}, statingAgent(misplacedInstructions)},
	// AGT-03: the agent has a published description.
	{rule.Rule{ID: "AGT-03", Weight: 1, Severity: finding.Low}, statingAgent(agentDescription, "40 characters at least")},
	// AGT-04: no source, of any type, has too many tables.
	{rule.Rule{ID: "AGT-04", Weight: 1, Severity: finding.Low}, statingAgent(selectedTables)},
	// AGT-05: the instructions distinguish several sources, of any type.
	{rule.Rule{ID: "AGT-05", Weight: 1, Severity: finding.Low}, statingAgent(routing)},
	{rule.Rule{ID: "AGT-06", Weight: 1, Severity: finding.Medium}, strayNames},
}

// agentItself returns the pseudo-object of a rule about the entire agent.
func agentItself(ruleID string) *model.Object {
	return &model.Object{Kind: model.OtherKind, ObjectType: finding.DataAgentObject, Index: -1, Name: "#" + ruleID}
}

// shortestMention is the least length, in runes, of a name whose occurrence counts as a
// mention.
const shortestMention = 4

func misplacedInstructions(c *Configuration, say func(int, *model.Object, rule.Verdict)) {
	contains := wording.Finder(strings.ToLower(c.Instructions))
	found := map[string]bool{}
	var names []string
	for _, source := range c.Sources {
		s := source.Snapshot
		if s == nil {
			continue
		}
		for _, o := range s.Objects {
			name := strings.ToLower(o.Label())
			if wording.Length(name) < shortestMention || found[name] {
				continue
			}
			if strings.Contains(name, " ") && contains(name) || contains("["+name+"]") {
				found[name] = true
				names = append(names, o.Label())
			}
		}
	}
	v := rule.Verdict{}
	if n := len(names); n > 0 {
		v = rule.Fails(min(1, float64(n)/3), "move what its instructions say about objects of its semantic models to the models' AI "+
			"instructions, as it is not passed on", "named: %s", wording.List(names, n))
	}
	say(-1, agentItself("AGT-02"), v)
}

const shortestAgentDescription = 40

func agentDescription(c *Configuration, say func(int, *model.Object, rule.Verdict)) {
	v := rule.Verdict{}
	switch n := wording.Length(c.Description); {
	case n == 0:
		v = rule.Fails(1, "publish a description of what it answers", "no description")
	case n < shortestAgentDescription:
		v = rule.Fails(0.5, "say more in its description: what it answers, for whom", "description of %s", wording.Count(n, "character"))
	}
	say(-1, agentItself("AGT-03"), v)
}

func selectedTables(c *Configuration, say func(int, *model.Object, rule.Verdict)) {
	for i, s := range c.Sources {
		v := rule.Verdict{}
		if n := len(s.Tables); n > visibility.TablesInView {
			v = rule.Fails(1, "select fewer tables: 25 at most", "%s selected", wording.Count(n, "table"))
		}
		say(i, &model.Object{Kind: model.OtherKind, ObjectType: finding.SourceObject, Index: -1, Name: s.Name}, v)
	}
}

func routing(c *Configuration, say func(int, *model.Object, rule.Verdict)) {
	if len(c.Sources) < 2 {
		return
	}
	text := strings.ToLower(c.Instructions)
	var unnamed []string
	for _, s := range c.Sources {
		if !strings.Contains(text, strings.ToLower(s.Name)) {
			unnamed = append(unnamed, s.Name)
		}
	}
	v := rule.Verdict{}
	if len(unnamed) > 0 {
		v = rule.Fails(1, "name each source in the instructions and say which questions it answers", "not named: %s",
			wording.List(unnamed, len(unnamed)))
	}
	say(-1, agentItself("AGT-05"), v)
}

// statingAgent is stating for rules about data agents.
func statingAgent(c check, limits ...string) check {
	return func(config *Configuration, say func(int, *model.Object, rule.Verdict)) {
		c(config, func(source int, o *model.Object, v rule.Verdict) { say(source, o, v.Stated(limits)) })
	}
}

// agreementOnTables finds a violation of 0.5 in a table that the AI data schema exposes and the agent leaves out, unless the
// agent's instructions name it.
func agreementOnTables(c *Configuration, say func(int, *model.Object, rule.Verdict)) {
	mentions := model.DistinctMentions(model.MentionsIn(model.Recommended(c.Instructions)))
	for i, source := range c.Sources {
		s := source.Snapshot
		if s == nil || !s.Configured {
			continue
		}
		selected, named := model.SelectedBy(source.Tables), tablesOf(s, mentions)
		for _, t := range s.Tables {
			switch exposed := s.Exposed[t.Index]; {
			case selected(t) && exposed:
				say(i, &t.Object, rule.Verdict{})
			case selected(t):
				say(i, &t.Object, rule.Fails(1, "expose it in the AI data schema, or take it out of the agent",
					"selected in the agent, not exposed by the AI data schema"))
			case exposed && named[t.Norm]:
				say(i, &t.Object, rule.Fails(1, "select it in the agent, whose instructions name it, or hide it in the AI data schema, "+
					"which also hides it from Copilot",
					"exposed by the AI data schema, named by the agent's instructions, not selected in the agent"))
			case exposed:
				say(i, &t.Object,
					rule.Fails(0.5, "select it in the agent, or hide it in the AI data schema, which also hides it from Copilot",
						"exposed by the AI data schema, not selected in the agent"))
			}
		}
	}
}

// tablesOf returns the tables, under norm, that mentions name or whose fields they name.
func tablesOf(s *model.Snapshot, mentions []model.Written) map[string]bool {
	named := map[string]bool{}
	for _, w := range mentions {
		if w.Qualified {
			named[w.Table] = true
			continue
		}
		for _, o := range s.Called(w.Field) {
			named[o.Table.Norm] = true
		}
	}
	return named
}

// strayNames judges the names in the agent's instructions: only those of fields that no
// selected table has, and of tables that are not selected, are eligible. Without a
// semantic model no name is judged.
func strayNames(c *Configuration, say func(int, *model.Object, rule.Verdict)) {
	selected := map[string]bool{} // names of tables, and of fields with and without a table, under norm
	var unselected []*model.Table
	scored := false
	for _, source := range c.Sources {
		s := source.Snapshot
		if s == nil {
			continue
		}
		scored = true
		isSelected := model.SelectedBy(source.Tables)
		for _, o := range s.Objects {
			switch {
			case o.Kind == model.TableKind && isSelected(o.Table):
				selected[o.Norm] = true
			case o.Kind == model.TableKind:
				unselected = append(unselected, o.Table)
			case isSelected(o.Table):
				selected["["+o.Norm+"]"] = true
				selected[o.Table.Norm+"["+o.Norm+"]"] = true
			}
		}
	}
	if !scored {
		return
	}
	stray := map[string]string{} // what to write about each name
	for _, w := range model.MentionsIn(c.Instructions) {
		if name := w.Table + "[" + w.Field + "]"; !selected[name] {
			stray[name] = "take " + wording.QuotedText(w.Text) + " out of its instructions, or select the table that has it"
		}
	}
	contains := wording.Finder(strings.ToLower(c.Instructions))
	for _, t := range unselected {
		if name := t.Src.Name; wording.Length(name) >= shortestMention && strings.Contains(name,
			" ") && !selected[t.Norm] && contains(strings.ToLower(name)) {
			stray[t.Norm] = "select table " + wording.Quoted(name) + ", or take its name out of the instructions"
		}
	}
	var names []string
	for name := range stray {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		o := &model.Object{Kind: model.OtherKind, ObjectType: finding.DataAgentObject, Index: -1, Name: name}
		say(-1, o, rule.Fails(1, stray[name], "its instructions name %s, which no selected table is or has", wording.QuotedText(name)))
	}
}
