package explained

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"readiness/definition"
	"readiness/definition/dataagent"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// Example is a small definition that shows when a rule fails or passes: of a semantic
// model, and for a rule about data agents also of an agent whose sources are this model.
type Example struct {
	Parts []ExamplePart
	// Views are the views in reports by table and field; nil if usage is unknown.
	Views map[string]map[string]int64
}

// ExamplePart is a part of a definition.
type ExamplePart struct {
	Path, Text string
	// Times is how often the text is repeated, with {n} counting from 1; 0 means once.
	Times int
}

// The paths of the parts of examples.
const (
	// ModelPart is the path of an example's TMDL.
	ModelPart        = "definition/model.tmdl"
	instructionsPart = "Copilot/Instructions/instructions.md"
	schemaPart       = "Copilot/schema.json"
	settingsPart     = "definition.pbism"
	agentFolder      = "Files/Config/"
	stageFolder      = agentFolder + "published/"
)

// tmdl is an example of a model, with further parts.
func tmdl(text string, more ...ExamplePart) Example {
	return Example{Parts: append([]ExamplePart{{Path: ModelPart, Text: strings.TrimPrefix(text, "\n")}}, more...)}
}

// partOf is another part of an example.
func partOf(path, text string) ExamplePart {
	return ExamplePart{Path: path, Text: strings.TrimPrefix(text, "\n")}
}

// Assess assesses the example by a regime. It fails if a part cannot be read.
func (e Example) Assess(r *readiness.Regime, o readiness.Options) (readiness.Result, error) {
	d := e.definition()
	m, err := semanticmodel.Read(d)
	if err != nil {
		return readiness.Result{}, err
	}
	o.Usage = e.Views
	if !e.isAgent() {
		return r.Assess(m, o), nil
	}
	a, err := dataagent.Read(d)
	if err != nil {
		return readiness.Result{}, err
	}
	config := readiness.Agent{Instructions: a.Published.Instructions, Description: a.PublishedDescription}
	var sources []readiness.Source
	for _, s := range a.Published.Sources {
		one := readiness.Source{ID: folderOf(s.Path), Name: s.DisplayName, Tables: s.SelectedTables()}
		if s.Type == dataagent.SemanticModel {
			one.Model = m
		}
		sources = append(sources, one)
	}
	return r.AssessAgent(config, sources, o), nil
}

func (e Example) isAgent() bool {
	return slices.ContainsFunc(e.Parts, func(p ExamplePart) bool { return strings.HasPrefix(p.Path, agentFolder) })
}

// definition returns the parts, and those that every data agent has.
func (e Example) definition() definition.Definition {
	var parts []definition.Part
	for _, p := range e.Parts {
		var text strings.Builder
		for n := range max(p.Times, 1) {
			text.WriteString(strings.ReplaceAll(p.Text, "{n}", strconv.Itoa(n+1)))
		}
		parts = append(parts, definition.Part{Path: p.Path, Data: []byte(text.String())})
	}
	if !e.isAgent() {
		return definition.New(parts...)
	}
	for _, name := range []string{"data_agent.json", "published/stage_config.json"} {
		if !slices.ContainsFunc(e.Parts, func(p ExamplePart) bool { return p.Path == agentFolder+name }) {
			parts = append(parts, definition.Part{Path: agentFolder + name, Data: []byte("{}")})
		}
	}
	return definition.New(parts...)
}

// folderOf returns the name of the folder that a part is in.
func folderOf(part string) string {
	folders := strings.Split(part, "/")
	return folders[len(folders)-2]
}

// Finding returns the finding of one rule alone in the example, or an error if there is
// none.
func (e Example) Finding(r *readiness.Regime, ruleID string) (readiness.Finding, error) {
	result, err := e.Assess(r, readiness.Options{Ignore: func(rule string, _ finding.Key) bool { return rule != ruleID }})
	if err != nil {
		return readiness.Finding{}, err
	}
	if len(result.Findings) == 0 {
		return readiness.Finding{}, fmt.Errorf("the example has no finding of %s", ruleID)
	}
	return result.Findings[0], nil
}
