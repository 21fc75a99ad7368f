package explained

import (
	"encoding/json"
	"strconv"
	"strings"
)

// agentsExplained explains domain/readiness/rules/agents.
var agentsExplained = map[string]Explanation{
	"AGT-01": {
		Name: "AgentTablesAgree", Title: "A data agent and the AI data schema agree on the tables",
		What: "Judges, over all semantic models with an AI data schema that are sources of the agent, the tables that the agent " +
			"selected or that the model exposes. It fails if the table is selected and not exposed. It fails by half if the table is " +
			"exposed and not selected, unless the agent's instructions name it or one of its fields; then it fails in full.",
		Why:    "The two choices contradict each other, and each hides tables without a word.",
		Source: from("both-selections"),
		Fails: tmdl(agentModel, partOf(schemaPart, agentSchema), sourceOf("Sales", "Sales", "Customer"), stageOf(
			"Answer with one number and one sentence.")),
		Passes: tmdl(agentModel, partOf(schemaPart, agentSchema), sourceOf("Sales", "Sales"), stageOf(
			"Answer with one number and one sentence.")),
		Fix: "Select in the agent the tables that the AI data schema exposes, and no others. To hide a table in the AI data schema " +
			"also hides it from the platform's assistant.",
	},
	"AGT-02": {
		Name: "AgentInstructionsPlaced", Title: "A data agent's instructions do not describe objects of its models",
		What: "Judges the agent. The violation is the number of different tables, columns and measures of its models that its " +
			"instructions mention, divided by 3, at most 1. A mention is a name of at least 4 characters that has a space, or that " +
			"stands in brackets.",
		Why:    "What the agent's instructions say about a model has no effect on its queries.",
		Source: from("agent-instructions"),
		Fails: tmdl(agentModel, sourceOf("Sales", "Sales", "Customer"), stageOf(
			"Answer with one number and one sentence. Revenue means [Net Sales].")),
		Passes: tmdl(agentModel, sourceOf("Sales", "Sales", "Customer"), stageOf(
			"Answer with one number and one sentence.")),
		Fix: "Move these sentences to the AI instructions of the models.",
	},
	"AGT-03": {
		Name: "AgentDescribed", Title: "A data agent has a published description",
		What:   "Judges the agent. It fails if the published description is blank, and by half if it has fewer than 40 characters.",
		Why:    "People and other agents choose an agent by its description.",
		Source: nothingSaysSo.and("The description is what those who may use the agent see of it."),
		Fails:  tmdl(agentModel, sourceOf("Sales", "Sales", "Customer"), publishedAs("Sales agent")),
		Passes: tmdl(agentModel, sourceOf("Sales", "Sales", "Customer"), publishedAs(
			"Answers questions of regional managers about sales and customers.")),
		Fix: "Publish a description of at least 40 characters that says which questions the agent answers, and for whom.",
	},
	"AGT-04": {
		Name: "AgentTablesFew", Title: "A data agent selects 25 tables of a source at most",
		What:   "Judges each source of the agent, of any type. It fails if more than 25 tables of it are selected.",
		Why:    "The more tables an agent has to choose from, the more often it takes a wrong one.",
		Source: from("both-selections"),
		Fails:  tmdl(agentModel, sourceOf("Sales", numbered(26)...)),
		Passes: tmdl(agentModel, sourceOf("Sales", numbered(25)...)),
		Fix:    "Select only the tables that questions are about, or split the agent.",
	},
	"AGT-05": {
		Name: "AgentRoutes", Title: "A data agent's instructions distinguish its sources",
		What: "Judges an agent with at least two sources, of any type. It fails if its instructions do not contain the names of all of " +
			"them, in any letter case.",
		Why:    "An agent first chooses the source of an answer. Names alone do not say which questions belong to which.",
		Source: from("agent-instructions"),
		Fails: tmdl(agentModel, sourceOf("Sales", "Sales"), sourceOf("Customers", "Customer"), stageOf(
			"Answer with one number and one sentence.")),
		Passes: tmdl(agentModel, sourceOf("Sales", "Sales"), sourceOf("Customers", "Customer"), stageOf(
			"Use Sales for amounts and periods, and Customers for addresses and segments.")),
		Fix: "Name each source in the instructions and say which questions it answers.",
	},
	"AGT-06": {
		Name: "AgentNamesExist", Title: "A data agent's instructions name what the agent sees",
		What: "Judges names in the agent's instructions; only those at fault are counted. It fails for a field in brackets that no " +
			"selected table of any scored source has, and for the name of a table that is not selected, if it has a space and at least " +
			"4 characters.",
		Why:    "The instructions send the agent to something that it cannot read.",
		Source: from("agent-instructions"),
		Fails: tmdl(agentModel, sourceOf("Sales", "Sales"), stageOf(
			"Offer to list the customers by Customer[City].")),
		Passes: tmdl(agentModel, sourceOf("Sales", "Sales", "Customer"), stageOf(
			"Offer to list the customers by Customer[City].")),
		Fix: "Select the table, correct the name, or take it out of the instructions.",
	},
}

const (
	agentModel = `table Sales

	measure 'Net Sales' = SUM(Sales[Amount])

	column Amount
		dataType: decimal

table Customer

	column City
		dataType: string
`
	agentSchema = `{
  "tables": [
    {"name": "Sales", "visibility": "Visible", "columns": [{"name": "Amount", "visibility": "Visible"}]},
    {"name": "Customer", "visibility": "Hidden"}
  ]
}
`
)

// sourceOf is a source of an example's agent, with its selected tables.
func sourceOf(name string, tables ...string) ExamplePart {
	var elements []string
	for _, t := range tables {
		elements = append(elements, `    {"type": "semantic_model.table", "display_name": `+inJSON(t)+`, "is_selected": true}`)
	}
	return ExamplePart{Path: stageFolder + "semantic_model-" + name + "/datasource.json", Text: "{\n  \"type\": \"semantic_model\",\n" +
		"  \"displayName\": " + inJSON(name) + ",\n  \"elements\": [\n" + strings.Join(elements, ",\n") + "\n  ]\n}\n"}
}

// stageOf has the instructions of an example's agent.
func stageOf(instructions string) ExamplePart {
	return ExamplePart{Path: stageFolder + "stage_config.json", Text: "{\n  \"aiInstructions\": " + inJSON(instructions) + "\n}\n"}
}

// publishedAs has the description of an example's agent.
func publishedAs(description string) ExamplePart {
	return ExamplePart{Path: agentFolder + "publish_info.json", Text: "{\n  \"description\": " + inJSON(description) + "\n}\n"}
}

func inJSON(s string) string {
	text, _ := json.Marshal(s) // a string cannot fail
	return string(text)
}

func numbered(n int) (names []string) {
	for i := range n {
		names = append(names, "Subject "+strconv.Itoa(i+1))
	}
	return names
}
