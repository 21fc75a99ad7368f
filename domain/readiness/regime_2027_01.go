package readiness

import (
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

// january2027 is the regime of docs/regime.md.
var january2027 = Regime{
	ID: RegimeID,
	dimensions: []dimension{
		{id: "descriptions", name: "Descriptions", modelWeight: 14, agentWeight: 14, rules: descriptions.Rules},
		{id: "naming", name: "Naming", modelWeight: 14, agentWeight: 12, rules: naming.Rules},
		{id: "measures", name: "Measures", modelWeight: 15, agentWeight: 14, rules: measures.Rules},
		{id: "types", name: "Types & summarization", modelWeight: 7, agentWeight: 5, rules: datatypes.Rules},
		{id: "relationships", name: "Relationships / star schema", modelWeight: 15, agentWeight: 13, rules: relationships.Rules},
		{id: "visibility", name: "Visibility (AI data schema)", modelWeight: 14, agentWeight: 16, rules: visibility.Rules},
		{id: "instructions", name: "AI instructions & verified answers", modelWeight: 13, agentWeight: 15,
			rules: instructions.Rules},
		{id: "synonyms", name: "Synonyms", modelWeight: 3, agentWeight: 2, rules: synonyms.Rules},
		{id: "time", name: "Time / date table", modelWeight: 5, agentWeight: 4, rules: dates.Rules, applies: dates.HasTime},
		{id: "agent", name: "Agent configuration", agentWeight: 5},
	},
	agent: agents.Rules,
	caps:  []limit{withoutMeasure, withoutRelationship, brokenModel, brokenDAX},
}
