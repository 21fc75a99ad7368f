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

// december2026 is the regime of docs/regime.md H. Everything else is as in
// november2026.
var december2026 = Regime{
	ID:      RegimeID,
	reading: model.Inferred,
	dimensions: []dimension{
		{id: "descriptions", name: "Descriptions", modelWeight: 14, agentWeight: 14, rules: descriptions.December2026},
		{id: "naming", name: "Naming", modelWeight: 14, agentWeight: 12, rules: naming.December2026},
		{id: "measures", name: "Measures", modelWeight: 15, agentWeight: 14, rules: measures.December2026},
		{id: "types", name: "Types & summarization", modelWeight: 7, agentWeight: 5, rules: datatypes.December2026},
		{id: "relationships", name: "Relationships / star schema", modelWeight: 15, agentWeight: 13, rules: relationships.December2026},
		{id: "visibility", name: "Visibility (AI data schema)", modelWeight: 14, agentWeight: 16, rules: visibility.December2026},
		{id: "instructions", name: "AI instructions & verified answers", modelWeight: 13, agentWeight: 15,
			rules: instructions.December2026},
		{id: "synonyms", name: "Synonyms", modelWeight: 3, agentWeight: 2, rules: synonyms.December2026},
		{id: "time", name: "Time / date table", modelWeight: 5, agentWeight: 4, rules: dates.December2026, applies: dates.HasTime},
		{id: "agent", name: "Agent configuration", agentWeight: 5},
	},
	agent: agents.December2026,
	caps:  []limit{withoutMeasure, withoutRelationship, brokenModel, brokenDAX},
}
