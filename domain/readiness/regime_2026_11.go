package readiness

// november2026 is the regime of docs/regime.md C.
var november2026 = Regime{
	ID:      "2026-11",
	reading: declaredReading,
	dimensions: []dimension{
		{id: "descriptions", name: "Descriptions", modelWeight: 20, agentWeight: 20, rules: descriptionRules},
		{id: "naming", name: "Naming", modelWeight: 14, agentWeight: 12, rules: namingRules},
		{id: "measures", name: "Measures", modelWeight: 14, agentWeight: 13, rules: measureRules},
		{id: "types", name: "Types & summarization", modelWeight: 8, agentWeight: 6, rules: typeRules},
		{id: "relationships", name: "Relationships / star schema", modelWeight: 14, agentWeight: 12, rules: relationshipRules},
		{id: "visibility", name: "Visibility (AI data schema)", modelWeight: 10, agentWeight: 13, rules: visibilityRules},
		{id: "instructions", name: "AI instructions & verified answers", modelWeight: 10, agentWeight: 12, rules: instructionRules},
		{id: "synonyms", name: "Synonyms", modelWeight: 4, agentWeight: 2, rules: synonymRules},
		{id: "time", name: "Time / date table", modelWeight: 6, agentWeight: 4, rules: timeRules, applies: hasTime},
		{id: "agent", name: "Agent configuration", agentWeight: 6},
	},
	agent: agentRules,
	caps:  []limit{withoutMeasure, withoutRelationship},
}
