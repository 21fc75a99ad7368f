package readiness

import (
	"strings"
)

// configuration is a data agent as the rules about data agents see it.
type configuration struct {
	Agent
	sources   []Source
	snapshots []*snapshot // of each source; nil for a source that is not scored
}

// agentRule is a rule about a data agent. check reports the source that an object
// belongs to, or -1 for the agent itself.
type agentRule struct {
	rule
	check agentCheck
}

type agentCheck func(*configuration, func(source int, o *object, v verdict))

// agentRules judge the agent's own configuration. No optimization fixes it (docs/regime.md C.6
// (5), C.9 (23)).
var agentRules = []agentRule{
	// AGT-01: the agent and the AI data schema agree on the tables. The tables of all
	// configured sources are one population.
	{rule{id: "AGT-01", k: 3, severity: Medium}, tableAgreement},
	// AGT-02: instructions about the model's objects belong to Prep for AI, because the
	// agent's instructions are not passed on.
	{rule{id: "AGT-02", k: 2, severity: Medium}, misplacedInstructions},
	// AGT-03: the agent has a published description.
	{rule{id: "AGT-03", k: 1, severity: Low}, agentDescription},
	// AGT-04: no source, of any type, has too many tables.
	{rule{id: "AGT-04", k: 1, severity: Low}, selectedTables},
	// AGT-05: the instructions distinguish several sources, of any type.
	{rule{id: "AGT-05", k: 1, severity: Low}, routing},
}

func (c *configuration) judge(rules []agentRule, o Options) part {
	p := part{n: 1}
	for i := range rules {
		r := &rules[i]
		j := judgement{rule: &r.rule}
		r.check(c, func(source int, object *object, v verdict) {
			f := failing{verdict: v, object: object, weight: 1, source: source}
			if source >= 0 {
				f.id = c.sources[source].ID
			}
			j.add(f, o)
		})
		p.judgements = append(p.judgements, j)
	}
	return p
}

// agentItself returns the pseudo-object of a rule about the entire agent.
func agentItself(ruleID string) *object {
	return &object{kind: otherKind, objectType: DataAgentObject, index: -1, name: "#" + ruleID}
}

func tableAgreement(c *configuration, say func(int, *object, verdict)) {
	for i, s := range c.snapshots {
		if s == nil || !s.configured {
			continue
		}
		selected := selectedBy(c.sources[i].Tables)
		for _, t := range s.tables {
			switch exposed := s.exposed[t.index]; {
			case selected(t) && exposed:
				say(i, &t.object, verdict{})
			case selected(t):
				say(i, &t.object, fails(1, "expose it in the AI data schema, or take it out of the agent",
					"selected in the agent, not exposed by the AI data schema"))
			case exposed:
				say(i, &t.object, fails(1, "select it in the agent, or hide it in the AI data schema",
					"exposed by the AI data schema, not selected in the agent"))
			}
		}
	}
}

// shortestMention is the least length, in runes, of a name whose occurrence counts as a
// mention.
const shortestMention = 4

func misplacedInstructions(c *configuration, say func(int, *object, verdict)) {
	contains := finder(strings.ToLower(c.Instructions))
	found := map[string]bool{}
	var names []string
	for _, s := range c.snapshots {
		if s == nil {
			continue
		}
		for _, o := range s.objects {
			name := strings.ToLower(o.label())
			if length(name) < shortestMention || found[name] {
				continue
			}
			if strings.Contains(name, " ") && contains(name) || contains("["+name+"]") {
				found[name] = true
				names = append(names, o.label())
			}
		}
	}
	v := verdict{}
	if n := len(names); n > 0 {
		v = fails(min(1, float64(n)/3), "move what its instructions say about objects of its semantic models to the models' AI "+
			"instructions, as it is not passed on", "named: %s", list(names, n))
	}
	say(-1, agentItself("AGT-02"), v)
}

const shortestAgentDescription = 40

func agentDescription(c *configuration, say func(int, *object, verdict)) {
	v := verdict{}
	switch n := length(c.Description); {
	case n == 0:
		v = fails(1, "publish a description of what it answers", "no description")
	case n < shortestAgentDescription:
		v = fails(0.5, "say more in its description: what it answers, for whom", "description of %s", count(n, "character"))
	}
	say(-1, agentItself("AGT-03"), v)
}

func selectedTables(c *configuration, say func(int, *object, verdict)) {
	for i, s := range c.sources {
		v := verdict{}
		if n := len(s.Tables); n > tablesInView {
			v = fails(1, "select fewer tables: 25 at most", "%s selected", count(n, "table"))
		}
		say(i, &object{kind: otherKind, objectType: SourceObject, index: -1, name: s.Name}, v)
	}
}

func routing(c *configuration, say func(int, *object, verdict)) {
	if len(c.sources) < 2 {
		return
	}
	text := strings.ToLower(c.Instructions)
	var unnamed []string
	for _, s := range c.sources {
		if !strings.Contains(text, strings.ToLower(s.Name)) {
			unnamed = append(unnamed, s.Name)
		}
	}
	v := verdict{}
	if len(unnamed) > 0 {
		v = fails(1, "name each source in the instructions and say which questions it answers", "not named: %s",
			list(unnamed, len(unnamed)))
	}
	say(-1, agentItself("AGT-05"), v)
}
