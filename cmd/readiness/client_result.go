package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"readiness/client"
	"readiness/internal/optional"
)

// operationResult is the result of an operation, ready to print. shortfall is an error if a part of the requested work
// was not done.
type operationResult struct {
	show      func(*sheet)
	shortfall error
}

// readResult decodes the result of an operation of the given type.
func readResult(operationType string, body []byte) (operationResult, error) {
	switch operationType {
	case "AssessSemanticModel", "AssessDataAgent":
		return read(body, assessmentTable, nil)
	case "AssessSemanticModels":
		return read(body, assessmentsTable, func(b client.BulkAssessment) error {
			return shortfall(b.Failed, len(b.Value), "semantic models were not assessed")
		})
	case "PreviewOptimization":
		return read(body, previewTable, nil)
	case "PreviewOptimizations":
		return read(body, bundlePreviewTable, nil)
	case "ApplyOptimization", "RevertOptimization":
		return read(body, recordTable, nil)
	case "ApplyOptimizations", "RevertOptimizations":
		return read(body, bundleTable, func(b client.BundleApply) error {
			failed := 0
			for _, k := range b.Kinds {
				if k.Standing == client.BundleApplyKindStandingFailed || k.Standing == client.BundleApplyKindStandingRefused {
					failed++
				}
			}
			return shortfall(failed, len(b.Kinds), "kinds failed or were refused")
		})
	case "GenerateBenchmarkQuestions", "SaveBenchmarkQuestions":
		return read(body, questionsTable, nil)
	case "RunBenchmark":
		return read(body, benchmarkTable, nil)
	case "RunAbTest":
		return read(body, abResultTable, nil)
	case "AddPixies", "RemovePixies":
		return pixiesResult(body)
	}
	return operationResult{show: func(s *sheet) { s.say("%s has succeeded; --json prints its result", printable(operationType)) }}, nil
}

// read decodes a result that show prints and short checks.
func read[T any](body []byte, table func(*sheet, T), short func(T) error) (operationResult, error) {
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		return operationResult{}, err
	}
	result := operationResult{show: func(s *sheet) { table(s, v) }}
	if short != nil {
		result.shortfall = short(v)
	}
	return result, nil
}

func shortfall(failed, all int, what string) error {
	if failed == 0 {
		return nil
	}
	return partly("%d of %d %s", failed, all, what)
}

// maxRows bounds the rows that a table shows.
const maxRows = 10

// scored is the part of an assessment's document that is printed.
type scored struct {
	Report struct {
		Dimensions []struct {
			Name   string   `json:"name"`
			Weight float64  `json:"weight"`
			Score  *float64 `json:"score"`
		} `json:"dimensions"`
		Findings []struct {
			Severity string   `json:"severity"`
			RuleIDs  []string `json:"rule_ids"`
			Impact   float64  `json:"impact"`
			Message  string   `json:"message"`
		} `json:"findings"`
	} `json:"report"`
}

// assessmentTable prints the assessment of one semantic model or data agent.
func assessmentTable(s *sheet, a struct {
	client.Assessment
	DataAgentName *string `json:"dataAgentName"`
},
) {
	s.say("%s: score %s of 100, %s as a data agent reads it, %s findings, rules of %s",
		printable(optional.Text(a.SemanticModelName)+optional.Text(a.DataAgentName)),
		number(a.Score), number(a.ScoreDataAgent), count(a.FindingsCount), printable(a.Regime.ID))
	if a.Stored.Reason != nil {
		s.say("It was not stored: %s", printable(*a.Stored.Reason))
	}
	var r scored
	if json.Unmarshal(a.Document, &r) != nil {
		return // a document of another schema: print only the score
	}
	s.rows("DIMENSION", "WEIGHT", "SCORE")
	for _, d := range r.Report.Dimensions {
		s.row(d.Name, number(&d.Weight), number(d.Score))
	}
	if len(r.Report.Findings) == 0 {
		return
	}
	s.rows("SEVERITY", "POINTS", "RULES", "WHAT TO DO")
	for _, f := range r.Report.Findings[:min(len(r.Report.Findings), maxRows)] {
		s.row(f.Severity, fmt.Sprintf("%.1f", f.Impact), strings.Join(f.RuleIDs, " "), f.Message)
	}
	s.more(len(r.Report.Findings) - maxRows)
}

func assessmentsTable(s *sheet, b client.BulkAssessment) {
	s.rows("SEMANTIC MODEL", "OUTCOME", "SCORE", "AS AGENT", "FINDINGS", "WHY")
	for _, r := range b.Value {
		s.row(orID(r.SemanticModelName, r.SemanticModelID), string(r.Outcome), number(r.Score), number(r.ScoreDataAgent),
			count(r.FindingsCount), failure(r.Error))
	}
	acrossTable(s, b)
}

func previewTable(s *sheet, p client.Preview) {
	s.say("%s of %s: %d changes, score %s now and %s after", p.Kind, printable(p.SemanticModelName), len(p.Changes), number(p.ScoreNow),
		number(p.ScoreAfter))
	for _, said := range []*string{p.NothingToDo, p.Message} {
		if said != nil {
			s.say("%s", printable(*said))
		}
	}
	for _, w := range p.Warnings {
		s.say("Warning: %s", printable(w))
	}
	for _, d := range p.DimensionsThatFall {
		s.say("%s would fall from %.1f to %.1f, as it would judge %d objects, not %d", printable(d.Name), d.ScoreNow, d.ScoreAfter,
			d.JudgedAfter, d.JudgedNow)
	}
	if len(p.Changes) > 0 {
		s.rows("KEY", "PROPERTY", "NOW", "PROPOSED")
		for _, c := range p.Changes[:min(len(p.Changes), maxRows)] {
			s.row(c.Key, c.Property, short(optional.Text(c.Current)), short(c.Proposed))
		}
		s.more(len(p.Changes) - maxRows)
	}
	originLines(s, p)
	skippedTable(s, withoutQuestions(p))
	wordsTable(s, p.NeedsYourWords)
	if len(p.Changes) == 0 {
		return
	}
	s.say("Expires %s; write it with\n  readiness client apply %s%s", moment(&p.ExpiresAtUtc), printable(p.PreviewID), s.profile)
}

// originLines prints which AI wrote texts of a preview, how many of its texts were dropped, and which changes need a
// review.
func originLines(s *sheet, p client.Preview) {
	wrote := map[string]bool{}
	for _, c := range p.Changes {
		if o := c.Origin; o != nil && !wrote[o.PromptVersion] {
			wrote[o.PromptVersion] = true
			s.say("Texts by %s %s, prompt %s", printable(o.Provider), printable(optional.Text(o.Model)), printable(o.PromptVersion))
		}
		if c.ReviewRequired != nil {
			s.say("Review %s: %s", printable(c.Key), printable(*c.ReviewRequired))
		}
	}
	if p.Flagged != nil {
		s.say("%d texts of the AI provider were dropped:", *p.Flagged)
	}
}

// withoutQuestions returns the skipped objects that wordsTable does not list.
func withoutQuestions(p client.Preview) []client.SkippedObject {
	asked := map[string]bool{}
	for _, n := range p.NeedsYourWords {
		asked[n.Table+"|"+n.Object] = true
	}
	return slices.DeleteFunc(slices.Clone(p.Skipped), func(o client.SkippedObject) bool { return asked[o.Key] })
}

// wordsTable prints the questions that only a person can answer.
func wordsTable(s *sheet, needed []client.NeededWords) {
	if len(needed) == 0 {
		return
	}
	s.rows("NEEDS YOUR WORDS", "QUESTION")
	for _, n := range needed[:min(len(needed), maxRows)] {
		key := n.Table + "|" + n.Object
		if key == "|" {
			key = "the model"
		}
		s.row(key, n.Question)
	}
	s.more(len(needed) - maxRows)
}

func bundlePreviewTable(s *sheet, b client.BundlePreview) {
	s.rows("KIND", "STANDING", "PREVIEW", "WHY")
	for _, k := range b.Kinds {
		s.row(string(k.Kind), string(k.Standing), optional.Text(k.PreviewID), because(k.Reason, k.Message))
	}
	s.say("Expires %s; show a preview with readiness client operations show --result PREVIEW; write all with\n  readiness "+
		"client apply %s%s", moment(&b.ExpiresAtUtc), printable(b.PreviewID), s.profile)
}

func recordTable(s *sheet, r client.ApplyRecord) {
	did := "written"
	if r.Reverts != nil {
		did = "reverted"
	}
	s.say("%s: %d %s, %d skipped", r.Kind, len(r.Applied), did, len(r.Skipped))
	if len(r.Applied) > 0 {
		s.rows("KEY", "PROPERTY", "BEFORE", "WRITTEN")
		for _, o := range r.Applied[:min(len(r.Applied), maxRows)] {
			s.row(o.Key, o.Property, short(optional.Text(o.Previous)), short(optional.Text(o.Written)))
		}
		s.more(len(r.Applied) - maxRows)
	}
	skippedTable(s, r.Skipped)
	switch {
	case r.Standing == client.RecordStandingReverted:
		s.say("Reverted by operation %s", printable(optional.Text(r.RevertedByOperationID)))
	case r.Reverts == nil && r.ExpiresAtUtc != nil:
		s.say("Until %s, undo it with\n  readiness client revert %s%s", moment(r.ExpiresAtUtc), printable(r.RevertOperationID), s.profile)
	}
}

func skippedTable(s *sheet, skipped []client.SkippedObject) {
	if len(skipped) == 0 {
		return
	}
	s.rows("SKIPPED", "WHY")
	for _, o := range skipped[:min(len(skipped), maxRows)] {
		s.row(o.Key, because(&o.Reason, &o.Message))
	}
	s.more(len(skipped) - maxRows)
}

func bundleTable(s *sheet, b client.BundleApply) {
	s.rows("KIND", "STANDING", "OPERATION", "WHY")
	written := false
	for _, k := range b.Kinds {
		s.row(string(k.Kind), string(k.Standing), optional.Text(k.OperationID), because(k.ErrorCode, k.Message))
		written = written || k.RevertOperationID != nil
	}
	if b.Reverts == nil && written && b.Standing == client.RecordStandingApplied {
		s.say("Undo it with\n  readiness client revert %s%s", printable(b.RevertOperationID), s.profile)
	}
}

// pixiesResult decodes the result of one report, or of several.
func pixiesResult(body []byte) (operationResult, error) {
	var many client.BulkPixiesResult
	if err := json.Unmarshal(body, &many); err != nil {
		return operationResult{}, err
	}
	if many.Value == nil {
		return read(body, func(s *sheet, r client.PixiesResultRow) { pixiesTable(s, []client.PixiesResultRow{r}) }, nil)
	}
	return read(body, func(s *sheet, b client.BulkPixiesResult) { pixiesTable(s, b.Value) }, func(b client.BulkPixiesResult) error {
		return shortfall(b.Failed, len(b.Value), "reports were not changed")
	})
}

func pixiesTable(s *sheet, rows []client.PixiesResultRow) {
	s.rows("REPORT", "OUTCOME", "PAGES", "VISUALS", "TRACKED ITEM", "WHY")
	for _, r := range rows {
		s.row(orID(r.ReportName, r.ReportID), string(r.Outcome), count(r.PagesTracked), count(r.VisualsTracked), yes(r.TrackedItem),
			failure(r.Error))
	}
}
