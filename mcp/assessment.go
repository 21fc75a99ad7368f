package mcp

import (
	"maps"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
)

// ModelRow is a model in a list, or a workspace that contains models.
type ModelRow struct {
	ID   string `json:"id"` // for a SemanticModel, the model of other tools; for a Workspace, the within of list_models
	Name string `json:"name"`
	Type string `json:"type"` // SemanticModel or Workspace
}

// Assessment is a complete assessment of a model.
type Assessment struct {
	ID, Model             string
	Regime                string
	Score, ScoreDataAgent *int
	Caps                  []string
	// Own are a team's own rules.
	Own        []readiness.OwnOutcome
	Dimensions []readiness.Dimension
	Findings   []Finding
	// Warnings are about the files of the model.
	Warnings []string
}

// Finding is a finding with its place, which models of a service lack.
type Finding struct {
	readiness.Finding
	File string
	Line int
	// Own is the rule, if a team wrote it.
	Own *readiness.OwnRule
}

// AssessmentSummary is an assessment without its findings.
type AssessmentSummary struct {
	AssessmentID   string         `json:"assessmentId"` // for list_findings and compare
	Model          string         `json:"model"`
	Regime         string         `json:"regime"`
	Score          *int           `json:"score,omitempty"` // 0 to 100; absent if nothing can be scored
	Band           string         `json:"band,omitempty"`
	ScoreDataAgent *int           `json:"scoreDataAgent,omitempty"` // the score as a data agent reads the model
	Dimensions     []DimensionRow `json:"dimensions"`
	Rules          []RuleRow      `json:"rules"` // rules with findings, in the order to mend them: what makes answers wrong, then points per effort
	Findings       int            `json:"findings"`
	High           int            `json:"high"`
	Medium         int            `json:"medium"`
	Low            int            `json:"low"`
	Warnings       []string       `json:"warnings,omitempty"`
}

// DimensionRow is the score of a dimension.
type DimensionRow struct {
	Name  string `json:"name"`
	Score *int   `json:"score,omitempty"`
}

// RuleRow counts the findings of a rule.
type RuleRow struct {
	Rule     string           `json:"rule"`     // for explain and list_findings
	Title    string           `json:"title"`    // what is wrong
	Severity finding.Severity `json:"severity"` // the highest of its findings
	Findings int              `json:"findings"`
	Points   float64          `json:"points"`            // how much of the score the rule costs
	Effort   explained.Effort `json:"effort"`            // minutes, hour or days, to mend all of them
	FixedBy  []string         `json:"fixedBy,omitempty"` // kinds of preview that can resolve the findings; absent if only a person can
}

// FindingRow is a finding in a list.
type FindingRow struct {
	Rules      []string         `json:"rules"`
	Title      string           `json:"title"` // what is wrong, by the first rule
	Severity   finding.Severity `json:"severity"`
	Points     float64          `json:"points"`
	Table      string           `json:"table"`
	Object     string           `json:"object"` // empty for a table, and for the model itself
	ObjectType string           `json:"objectType"`
	Message    string           `json:"message"`
	Evidence   string           `json:"evidence,omitempty"`
	FixedBy    []string         `json:"fixedBy"`
	File       string           `json:"file,omitempty"`
	Line       int              `json:"line,omitempty"`
}

// FindingsOutput is a page of findings.
type FindingsOutput struct {
	Page[FindingRow]
	Nearest []string `json:"nearest,omitempty"` // where there is none: tables and objects with findings that have a name like the one given
}

// maxWarnings bounds the warnings of an output.
const maxWarnings = 5

// result is what the words about rules are taken from.
func (a Assessment) result() readiness.Result { return readiness.Result{Caps: a.Caps, Own: a.Own} }

func (a Assessment) summary() AssessmentSummary {
	s := AssessmentSummary{AssessmentID: a.ID, Model: clip(a.Model, maxText), Regime: a.Regime, Score: a.Score,
		ScoreDataAgent: a.ScoreDataAgent, Findings: len(a.Findings), Dimensions: []DimensionRow{}, Warnings: clipped(a.Warnings)}
	if a.Score != nil {
		s.Band = string(readiness.BandOf(*a.Score))
	}
	for _, d := range a.Dimensions {
		s.Dimensions = append(s.Dimensions, DimensionRow{d.Name, d.Score})
	}
	var found []readiness.Finding
	for _, f := range a.Findings {
		found = append(found, f.Finding)
		switch f.Severity {
		case finding.High:
			s.High++
		case finding.Medium:
			s.Medium++
		case finding.Low:
			s.Low++
		}
	}
	s.Rules = []RuleRow{}
	for _, t := range explained.Tasks(a.result(), found) { // a finding of several rules is counted once
		s.Rules = append(s.Rules, RuleRow{t.Rule, clip(t.Fault(), maxText), t.Severity, t.Count, rounded(t.Points),
			t.Effort(), kindsOf(t.Kinds)})
	}
	return s
}

// about returns the findings of a rule and about an object; empty names select all.
func (a Assessment) about(rule, table, object string) []Finding {
	if rule == "" && table == "" && object == "" {
		return a.Findings
	}
	var found []Finding
	for _, f := range a.Findings {
		if rule != "" && !slices.Contains(f.RuleIDs, rule) || table != "" && !strings.EqualFold(f.Table, table) ||
			object != "" && !strings.EqualFold(f.ObjectName, object) {
			continue
		}
		found = append(found, f)
	}
	return found
}

// like returns, where no finding is about a table and object, the names of such that are like them.
func (a Assessment) like(table, object string) []string {
	tables, objects := map[string]bool{}, map[string]bool{}
	for _, f := range a.Findings {
		tables[f.Table], objects[f.ObjectName] = true, true
	}
	near := Nearest(table, slices.Sorted(maps.Keys(tables)))
	return append(near, Nearest(object, slices.Sorted(maps.Keys(objects)))...)
}

func (f Finding) row() FindingRow {
	object := f.ObjectName
	if f.Entire() {
		object = ""
	}
	title := explained.FaultOfOne(explained.Leading(f.RuleIDs))
	if f.Own != nil {
		title = clip(f.Own.Title, maxText)
	}
	return FindingRow{
		Rules: f.RuleIDs, Title: title, Severity: f.Severity, Points: rounded(f.Impact),
		Table: clip(f.Table, maxName), Object: clip(object, maxName),
		ObjectType: string(f.ObjectType), Message: clip(f.Message, maxText), Evidence: clip(f.Evidence, maxText), FixedBy: kindsOf(f.FixKinds),
		File: clip(f.File, maxText), Line: f.Line,
	}
}

func kindsOf(all []finding.FixKind) []string {
	kinds := []string{}
	for _, k := range all {
		if k != "" {
			kinds = append(kinds, string(k))
		}
	}
	return kinds
}

// rounded returns points with two decimals.
func rounded(points float64) float64 { return float64(int(points*100+0.5)) / 100 }

func clipped(texts []string) []string {
	var all []string
	for _, t := range texts[:min(len(texts), maxWarnings)] {
		all = append(all, clip(t, maxText))
	}
	return all
}
