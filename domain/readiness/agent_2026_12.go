package readiness

import (
	"slices"
	"strings"
)

// decemberAgentRules also judge whether the agent's instructions name what it can see
// (docs/regime.md H.6).
var decemberAgentRules = amended(agentRules,
	agentRule{rule{id: "AGT-01", k: 3, severity: Medium, copilot: true}, agreementOnTables},
	agentRule{rule{id: "AGT-02", k: 2, severity: Medium}, statingAgent(misplacedInstructions)},
	agentRule{rule{id: "AGT-03", k: 1, severity: Low}, statingAgent(agentDescription, "40 characters at least")},
	agentRule{rule{id: "AGT-04", k: 1, severity: Low}, statingAgent(selectedTables)},
	agentRule{rule{id: "AGT-05", k: 1, severity: Low}, statingAgent(routing)},
	agentRule{rule{id: "AGT-06", k: 1, severity: Medium}, strayNames},
)

// statingAgent is stating for rules about data agents.
func statingAgent(c agentCheck, limits ...string) agentCheck {
	return func(config *configuration, say func(int, *object, verdict)) {
		c(config, func(source int, o *object, v verdict) { say(source, o, v.stated(limits)) })
	}
}

// agreementOnTables finds half a fault in a table that the AI data schema exposes and the agent leaves out, unless the
// agent's instructions name it (docs/regime-precision.md P18).
func agreementOnTables(c *configuration, say func(int, *object, verdict)) {
	mentions := distinctMentions(mentionsIn(recommended(c.Instructions)))
	for i, s := range c.snapshots {
		if s == nil || !s.configured {
			continue
		}
		selected, named := selectedBy(c.sources[i].Tables), s.tablesOf(mentions)
		for _, t := range s.tables {
			switch exposed := s.exposed[t.index]; {
			case selected(t) && exposed:
				say(i, &t.object, verdict{})
			case selected(t):
				say(i, &t.object, fails(1, "expose it in the AI data schema, or take it out of the agent",
					"selected in the agent, not exposed by the AI data schema"))
			case exposed && named[t.norm]:
				say(i, &t.object, fails(1, "select it in the agent, whose instructions name it, or hide it in the AI data schema, "+
					"which also hides it from Copilot",
					"exposed by the AI data schema, named by the agent's instructions, not selected in the agent"))
			case exposed:
				say(i, &t.object, fails(0.5, "select it in the agent, or hide it in the AI data schema, which also hides it from Copilot",
					"exposed by the AI data schema, not selected in the agent"))
			}
		}
	}
}

// tablesOf returns the tables, under norm, that mentions name or whose fields they name.
func (s *snapshot) tablesOf(mentions []written) map[string]bool {
	named := map[string]bool{}
	for _, w := range mentions {
		if w.qualified {
			named[w.table] = true
			continue
		}
		for _, o := range s.called(w.field) {
			named[o.table.norm] = true
		}
	}
	return named
}

// strayNames judges the names in the agent's instructions: only those of fields that no
// selected table has, and of tables that are not selected, are eligible. Without a
// semantic model no name is judged.
func strayNames(c *configuration, say func(int, *object, verdict)) {
	selected := map[string]bool{} // names of tables, and of fields with and without a table, under norm
	var unselected []*table
	scored := false
	for i, s := range c.snapshots {
		if s == nil {
			continue
		}
		scored = true
		isSelected := selectedBy(c.sources[i].Tables)
		for _, o := range s.objects {
			switch {
			case o.kind == tableKind && isSelected(o.table):
				selected[o.norm] = true
			case o.kind == tableKind:
				unselected = append(unselected, o.table)
			case isSelected(o.table):
				selected["["+o.norm+"]"] = true
				selected[o.table.norm+"["+o.norm+"]"] = true
			}
		}
	}
	if !scored {
		return
	}
	stray := map[string]string{} // what to write about each name
	for _, w := range mentionsIn(c.Instructions) {
		if name := w.table + "[" + w.field + "]"; !selected[name] {
			stray[name] = "take " + quotedText(w.text) + " out of its instructions, or select the table that has it"
		}
	}
	contains := finder(strings.ToLower(c.Instructions))
	for _, t := range unselected {
		if name := t.src.Name; length(name) >= shortestMention && strings.Contains(name,
			" ") && !selected[t.norm] && contains(strings.ToLower(name)) {
			stray[t.norm] = "select table " + quoted(name) + ", or take its name out of the instructions"
		}
	}
	var names []string
	for name := range stray {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		o := &object{kind: otherKind, objectType: DataAgentObject, index: -1, name: name}
		say(-1, o, fails(1, stray[name], "its instructions name %s, which no selected table is or has", quotedText(name)))
	}
}
