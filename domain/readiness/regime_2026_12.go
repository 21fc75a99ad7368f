package readiness

// december2026 is the regime of docs/regime.md H. What it does not change is as in
// november2026.
var december2026 = Regime{
	ID:      RegimeID,
	reading: inferredReading,
	dimensions: []dimension{
		{id: "descriptions", name: "Descriptions", modelWeight: 14, agentWeight: 14, rules: decemberDescriptionRules},
		{id: "naming", name: "Naming", modelWeight: 14, agentWeight: 12, rules: decemberNamingRules},
		{id: "measures", name: "Measures", modelWeight: 15, agentWeight: 14, rules: decemberMeasureRules},
		{id: "types", name: "Types & summarization", modelWeight: 7, agentWeight: 5, rules: decemberTypeRules},
		{id: "relationships", name: "Relationships / star schema", modelWeight: 15, agentWeight: 13, rules: decemberRelationshipRules},
		{id: "visibility", name: "Visibility (AI data schema)", modelWeight: 14, agentWeight: 16, rules: decemberVisibilityRules},
		{id: "instructions", name: "AI instructions & verified answers", modelWeight: 13, agentWeight: 15, rules: decemberInstructionRules},
		{id: "synonyms", name: "Synonyms", modelWeight: 3, agentWeight: 2, rules: decemberSynonymRules},
		{id: "time", name: "Time / date table", modelWeight: 5, agentWeight: 4, rules: decemberTimeRules, applies: hasTime},
		{id: "agent", name: "Agent configuration", agentWeight: 5},
	},
	agent: decemberAgentRules,
	caps:  []limit{withoutMeasure, withoutRelationship, brokenModel, brokenDAX},
}
