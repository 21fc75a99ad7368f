package readiness

import (
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/agents"
)

func judgeAgent(c *agents.Configuration, rules []agents.Rule, o Options) part {
	p := part{n: 1}
	for i := range rules {
		r := &rules[i]
		j := judgement{Rule: &r.Rule}
		r.Check(c, func(source int, object *model.Object, v rule.Verdict) {
			f := failing{Verdict: v, Object: object, weight: 1, source: source}
			if source >= 0 {
				f.id = c.Sources[source].ID
			}
			j.add(f, o)
		})
		p.judgements = append(p.judgements, j)
	}
	return p
}
