package offline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/internal/indentedjson"
	"readiness/internal/lists"
)

// jsonFormat identifies the output of WriteJSON; it changes if readers must change.
const jsonFormat = "readiness-assessment/1"

// document is an assessment in JSON. Findings, dimensions and caps have the format of the document that the service
// stores.
type document struct {
	Format      string           `json:"format"`
	Regime      string           `json:"regime"`
	MinSeverity finding.Severity `json:"min_severity"`
	Baseline    string           `json:"baseline,omitempty"`
	Items       []documentItem   `json:"items"`
	// Across is null if fewer than two semantic models could be read.
	Across   *Across   `json:"across_models"`
	Warnings []Warning `json:"warnings"`
}

type documentItem struct {
	Type           item.Type             `json:"type"`
	Path           string                `json:"path"`
	Name           string                `json:"name"`
	Error          *documentError        `json:"error"`
	Score          *int                  `json:"overall_score"`
	Band           *readiness.Band       `json:"band"`
	ScoreDataAgent *int                  `json:"score_data_agent"`
	Caps           []string              `json:"caps"`
	Dimensions     []readiness.Dimension `json:"dimensions"`
	Model          readiness.Counts      `json:"model"`
	// Leaving is what leaves with Q&A; absent for a data agent.
	Leaving *LeavingQnA `json:"leaving_qna,omitempty"`
	// Tasks are the findings by rule, what to do first at the beginning.
	Tasks    []documentTask    `json:"tasks"`
	Findings []Finding         `json:"findings"`
	Ignored  []documentIgnored `json:"ignored"`
	// Own says how a team's own rules ended; absent without any.
	Own []readiness.OwnOutcome `json:"own_rules,omitempty"`
	// NotAssessable are rules that could not judge; absent if there are none.
	NotAssessable []readiness.NotAssessable `json:"not_assessable,omitempty"`
	// Known counts findings in the baseline; Lesser counts findings below the reported severity.
	Known    int               `json:"known"`
	Lesser   int               `json:"lesser"`
	Baseline *documentCompared `json:"baseline,omitempty"`
	// DefinitionHash is the hash of the definition; absent if it could not be read.
	DefinitionHash string `json:"definition_hash,omitempty"`
	// Evidence is what was measured; absent without any.
	Evidence []Evidence `json:"evidence,omitempty"`
}

// documentTask is the findings of a rule, as something to do. The impacts of its findings add up to Points; Gain is by how much
// the score rises without them, which is less while another cause limits it.
type documentTask struct {
	Rule     string            `json:"rule"`
	Title    string            `json:"title"`
	Findings int               `json:"findings"`
	Severity finding.Severity  `json:"severity"`
	Points   float64           `json:"points"`
	Gain     float64           `json:"gain"`
	Effort   explained.Effort  `json:"effort"`
	Minutes  int               `json:"minutes"`
	FixKinds []finding.FixKind `json:"fix_kinds"`
}

// documentCompared is the comparison of an item with the baseline. The new findings are those of the item.
type documentCompared struct {
	Found      bool `json:"found"`
	Comparable bool `json:"comparable"`
	// Was is the item's path in the baseline; absent if it is the same.
	Was string `json:"was,omitempty"`
	// Score and ScoreDataAgent are those of the baseline.
	Score          *int `json:"overall_score"`
	ScoreDataAgent *int `json:"score_data_agent"`
	Counts         struct {
		New       int `json:"new"`
		Fixed     int `json:"fixed"`
		Unchanged int `json:"unchanged"`
	} `json:"counts"`
	Fixed     []documentFixed `json:"fixed"`
	Unchanged []Finding       `json:"unchanged"`
}

// documentFixed identifies a finding that is gone.
type documentFixed struct {
	Dimension string `json:"dimension"`
	finding.Key
	RuleIDs []string `json:"rule_ids"`
}

type documentError struct {
	Message string `json:"message"`
	Place
}

type documentIgnored struct {
	Finding
	Reason string `json:"reason"`
}

// WriteJSON writes an assessment as JSON, which ReadBaseline can read.
func WriteJSON(w io.Writer, a *Assessment) error {
	d := document{Format: jsonFormat, Regime: a.Regime, MinSeverity: a.MinSeverity, Baseline: a.Baseline, Items: []documentItem{},
		Across: a.Across, Warnings: a.Warnings}
	if d.Warnings == nil {
		d.Warnings = []Warning{}
	}
	return WriteStreamed(w, d, "\n  \"items\": ", func(yield func(any) bool) {
		for _, i := range a.All() {
			if !yield(documentItemOf(i)) {
				return
			}
		}
	})
}

func documentItemOf(i Assessed) documentItem {
	one := documentItem{
		Type: i.Type, Path: i.Path, Name: i.Name, Score: i.Result.Score, ScoreDataAgent: i.ScoreDataAgent, Caps: i.Result.Caps,
		Dimensions: i.Result.Dimensions, Model: i.Result.Model, Findings: i.Findings, Ignored: []documentIgnored{}, Known: i.Known,
		Lesser: i.Lesser, NotAssessable: i.Result.NotAssessable, Own: i.Result.Own, DefinitionHash: i.DefinitionHash, Evidence: i.Evidence,
		Leaving: i.Leaving,
	}
	found := lists.Map(i.Findings, func(f Finding) readiness.Finding { return f.Finding })
	one.Tasks = []documentTask{}
	for _, t := range explained.Tasks(i.Result, found) {
		one.Tasks = append(one.Tasks, documentTask{t.Rule, t.Fault(), t.Count, t.Severity, inPoints(t.Points),
			inPoints(explained.Gain(i.Result, t)), t.Effort(), t.Minutes(), append([]finding.FixKind{}, t.Kinds...)})
	}
	if i.Result.Score != nil {
		one.Band = new(readiness.BandOf(*i.Result.Score))
	}
	if i.Since != nil {
		one.Baseline = documentComparedOf(i)
	}
	if i.Error != nil {
		one.Error = &documentError{i.Error.Error(), i.At}
		one.Caps, one.Dimensions = []string{}, []readiness.Dimension{}
	}
	if one.Findings == nil {
		one.Findings = []Finding{}
	}
	for _, g := range i.Ignored {
		one.Ignored = append(one.Ignored, documentIgnored(g))
	}
	return one
}

func documentComparedOf(i Assessed) *documentCompared {
	s := i.Since
	c := &documentCompared{Found: s.Found, Comparable: s.Comparable, Was: s.Was, Score: s.Score, ScoreDataAgent: s.ScoreDataAgent,
		Fixed: []documentFixed{}, Unchanged: s.Unchanged}
	if c.Unchanged == nil {
		c.Unchanged = []Finding{}
	}
	for _, f := range s.Fixed {
		c.Fixed = append(c.Fixed, documentFixed{f.Dimension, f.Key, f.RuleIDs})
	}
	c.Counts.New, c.Counts.Fixed, c.Counts.Unchanged = len(i.Findings), len(c.Fixed), len(c.Unchanged)
	return c
}

// WriteStreamed writes v as indentedjson.Write does, but encodes the elements of one list one by one, so that a large report
// is never completely in memory. member is the list's name with the line break and indentation before it; the list must
// be empty in v.
func WriteStreamed(w io.Writer, v any, member string, elements iter.Seq[any]) error {
	var frame bytes.Buffer
	if err := indentedjson.Write(&frame, v); err != nil {
		return err
	}
	// No text in v can match, because quotes in texts are escaped.
	before, after, ok := bytes.Cut(frame.Bytes(), []byte(member+"[]"))
	if !ok {
		return fmt.Errorf("offline: there is no empty list %s", member)
	}
	out := bufio.NewWriter(w)
	indent := member[:strings.IndexByte(member, '"')] + "  "
	_, _ = out.Write(before) // Flush returns write errors
	_, _ = out.WriteString(member + "[")
	var one bytes.Buffer
	e := json.NewEncoder(&one)
	e.SetEscapeHTML(false)
	e.SetIndent(indent[1:], "  ")
	separator := ""
	for element := range elements {
		one.Reset()
		if err := e.Encode(element); err != nil {
			return err
		}
		_, _ = out.WriteString(separator + indent)
		_, _ = out.Write(bytes.TrimSuffix(one.Bytes(), []byte("\n")))
		separator = ","
	}
	if separator != "" {
		_, _ = out.WriteString(indent[:len(indent)-2])
	}
	_, _ = out.WriteString("]")
	_, _ = out.Write(after)
	return out.Flush()
}
