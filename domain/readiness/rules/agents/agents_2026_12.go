package agents

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// December2026 are the rules of 2026-12: they also judge whether the agent's instructions name what it can see
// (docs/regime.md H.6).
var December2026 = rule.Amended(November2026,
	Rule{rule.Rule{ID: "AGT-01", Weight: 3, Severity: finding.Medium, Reads: semanticmodel.Schema}, agreementOnTables},
	Rule{rule.Rule{ID: "AGT-02", Weight: 2, Severity: finding.Medium}, statingAgent(misplacedInstructions)},
	Rule{rule.Rule{ID: "AGT-03", Weight: 1, Severity: finding.Low}, statingAgent(agentDescription, "40 characters at least")},
	Rule{rule.Rule{ID: "AGT-04", Weight: 1, Severity: finding.Low}, statingAgent(selectedTables)},
	Rule{rule.Rule{ID: "AGT-05", Weight: 1, Severity: finding.Low}, statingAgent(routing)},
	Rule{rule.Rule{ID: "AGT-06", Weight: 1, Severity: finding.Medium}, strayNames},
)

// statingAgent is stating for rules about data agents.
func statingAgent(c check, limits ...string) check {
	return func(config *Configuration, say func(int, *model.Object, rule.Verdict)) {
		c(config, func(source int, o *model.Object, v rule.Verdict) { say(source, o, v.Stated(limits)) })
	}
}

// agreementOnTables finds a violation of 0.5 in a table that the AI data schema exposes and the agent leaves out, unless the
// agent's instructions name it (docs/regime-precision.md P18).
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
