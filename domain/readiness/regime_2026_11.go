package readiness

import (
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rules/agents"
	"readiness/domain/readiness/rules/datatypes"
	"readiness/domain/readiness/rules/dates"
	"readiness/domain/readiness/rules/descriptions"
	"readiness/domain/readiness/rules/instructions"
	"readiness/domain/readiness/rules/measures"
	"readiness/domain/readiness/rules/naming"
	"readiness/domain/readiness/rules/relationships"
	"readiness/domain/readiness/rules/synonyms"
	"readiness/domain/readiness/rules/visibility"
)

// november2026 is the regime of docs/regime.md C.
var november2026 = Regime{
	ID:      "2026-11",
	reading: model.Declared,
	dimensions: []dimension{
		{id: "descriptions", name: "Descriptions", modelWeight: 20, agentWeight: 20, rules: descriptions.November2026},
		{id: "naming", name: "Naming", modelWeight: 14, agentWeight: 12, rules: naming.November2026},
		{id: "measures", name: "Measures", modelWeight: 14, agentWeight: 13, rules: measures.November2026},
		{id: "types", name: "Types & summarization", modelWeight: 8, agentWeight: 6, rules: datatypes.November2026},
		{id: "relationships", name: "Relationships / star schema", modelWeight: 14, agentWeight: 12, rules: relationships.November2026},
		{id: "visibility", name: "Visibility (AI data schema)", modelWeight: 10, agentWeight: 13, rules: visibility.November2026},
		{id: "instructions", name: "AI instructions & verified answers", modelWeight: 10, agentWeight: 12,
			rules: instructions.November2026},
		{id: "synonyms", name: "Synonyms", modelWeight: 4, agentWeight: 2, rules: synonyms.November2026},
		{id: "time", name: "Time / date table", modelWeight: 6, agentWeight: 4, rules: dates.November2026, applies: dates.HasTime},
		{id: "agent", name: "Agent configuration", agentWeight: 6},
	},
	agent: agents.November2026,
	caps:  []limit{withoutMeasure, withoutRelationship},
}
