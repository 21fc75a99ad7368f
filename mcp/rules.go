package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/internal/lists"
)

// ExplainInput names a rule, and optionally findings of it.
type ExplainInput struct {
	Rule         string `json:"rule" jsonschema:"the id of a rule, such as DSC-02"`
	Model        string `json:"model,omitempty" jsonschema:"the model whose findings to show; with assessmentId"`
	AssessmentID string `json:"assessmentId,omitempty" jsonschema:"from assess"`
	Table        string `json:"table,omitempty" jsonschema:"only findings about this table and its objects"`
	Object       string `json:"object,omitempty" jsonschema:"only findings about the object with this name"`
}

// Explanation explains a rule, in the words of this program.
type Explanation struct {
	Rule      string           `json:"rule"`
	Title     string           `json:"title"`
	Dimension string           `json:"dimension"`
	Severity  finding.Severity `json:"severity"`
	What      string           `json:"what"`
	Why       string           `json:"why"`
	Source    string           `json:"source"`
	Fix       string           `json:"fix"`
	Effort    explained.Effort `json:"effort"`  // minutes, hour or days, for one object by hand
	FixedBy   []string         `json:"fixedBy"` // kinds of preview that can resolve its findings
	Fails     string           `json:"exampleThatFails"`
	Passes    string           `json:"exampleThatPasses"`
	// Findings is the first page of the findings that were asked for.
	Findings *Page[FindingRow] `json:"findings,omitempty"`
}

func explainRule(ctx context.Context, m Models, in ExplainInput) (result[Explanation], error) {
	id := strings.ToUpper(in.Rule)
	var a Assessment
	var err error
	if in.AssessmentID != "" {
		if a, err = m.Assessment(ctx, in.Model, in.AssessmentID); err != nil {
			return result[Explanation]{}, err
		}
	}
	r := a.result()
	var e Explanation
	if own := r.OwnRule(id); own != nil {
		e = ownExplanation(own)
	} else if e, err = explanation(id); err != nil {
		return result[Explanation]{}, err
	}
	if in.AssessmentID != "" {
		page, err := pageAs(a.about(id, in.Table, in.Object), "", Finding.row)
		if err != nil {
			return result[Explanation]{}, err
		}
		e.Findings = &page
	}
	return result[Explanation]{summary: fmt.Sprintf("%s: %s.", id, e.Title), data: e}, nil
}

// ownExplanation is that of a rule that a team wrote: their words, as far as there are any.
func ownExplanation(o *readiness.OwnRule) Explanation {
	return Explanation{Rule: o.ID, Title: clip(o.Title, maxText), Dimension: cmp.Or(o.Dimension, "outside of the score"), Severity: o.Severity,
		Why: clip(o.Why, maxReason), Source: fmt.Sprintf("A rule of the team (%s, line %d).", clip(o.File, maxName), o.Line),
		Fix: clip(o.Fix, maxReason), Effort: explained.Effort(o.Effort), FixedBy: []string{}}
}

func explanation(id string) (Explanation, error) {
	text, known := explained.Rule(id)
	if !known {
		return Explanation{}, Unknown("There is no rule with this id. The resource readiness://rules lists all rules.", id,
			lists.Map(readiness.Current().Rules(), func(r readiness.PublishedRule) string { return r.ID }))
	}
	e := Explanation{Rule: id, Title: text.Title, What: text.What, Why: text.Why, Source: text.Source.String(), Fix: text.Fix,
		Effort: explained.EffortOf(id), FixedBy: []string{},
		Fails: example(text.Fails), Passes: example(text.Passes)}
	for _, r := range readiness.Current().Rules() {
		if r.ID == id {
			e.Dimension, e.Severity = r.DimensionName, r.Severity
			for _, k := range r.FixKinds {
				if k != "" {
					e.FixedBy = append(e.FixedBy, string(k))
				}
			}
		}
	}
	return e, nil
}

// maxExample bounds the definition of an example, in characters.
const maxExample = 2000

func example(e explained.Example) string {
	var b strings.Builder
	for _, p := range e.Parts {
		fmt.Fprintf(&b, "%s:\n%s\n", p.Path, p.Text)
		if p.Times > 1 {
			fmt.Fprintf(&b, "(%d times, with {n} from 1)\n", p.Times)
		}
	}
	return clip(b.String(), maxExample)
}

// rulesURI is the address of the list of rules; a rule's address follows it.
const rulesURI = "readiness://rules"

// addRules adds the rules as resources. They contain no text of a model.
func addRules(s *sdk.Server) {
	s.AddResource(&sdk.Resource{URI: rulesURI, Name: "rules", Title: "All rules", MIMEType: "text/markdown",
		Description: "The rules, with what each requires. readiness://rules/RULE explains one."},
		func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			var b strings.Builder
			fmt.Fprintf(&b, "# Rules of %s\n\n", readiness.RegimeID)
			for _, rule := range readiness.Current().Rules() {
				text, _ := explained.Rule(rule.ID)
				fmt.Fprintf(&b, "- %s (%s, %s): %s\n", rule.ID, rule.DimensionName, rule.Severity, text.Title)
			}
			return markdown(r.Params.URI, b.String()), nil
		})
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: rulesURI + "/{rule}", Name: "rule", Title: "A rule", MIMEType: "text/markdown",
		Description: "What a rule judges, why, examples, and how to satisfy it."},
		func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id, _ := strings.CutPrefix(r.Params.URI, rulesURI+"/")
			e, err := explanation(strings.ToUpper(id))
			if err != nil {
				return nil, sdk.ResourceNotFoundError(r.Params.URI)
			}
			return markdown(r.Params.URI, fmt.Sprintf("# %s: %s\n\n%s (%s)\n\n%s\n\n%s\n\n%s\n\n## Fix\n\n%s\n\n## Fails\n\n```\n%s```\n\n"+
					"## Passes\n\n```\n%s```\n", e.Rule, e.Title, e.Dimension, e.Severity, e.What, e.Why, e.Source, e.Fix,
					e.Fails, e.Passes)),
				nil
		})
}

func markdown(uri, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "text/markdown", Text: text}}}
}
