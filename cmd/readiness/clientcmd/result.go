package clientcmd

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/internal/lists"
	"readiness/internal/optional"
)

// operationResult is the result of an operation, ready to print. shortfall is an error if a part of the requested work
// was not done.
type operationResult struct {
	show      func(*sheet.Sheet)
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
			failed := lists.Count(b.Kinds, func(k client.BundleApplyKind) bool {
				return k.Standing == client.BundleApplyKindStandingFailed || k.Standing == client.BundleApplyKindStandingRefused
			})
			return shortfall(failed, len(b.Kinds), "kinds failed or were refused")
		})
	case "GenerateBenchmarkQuestions", "SaveBenchmarkQuestions":
		return read(body, questionsTable, nil)
	case "ListViewAsOf":
		return read(body, viewRows, nil)
	case "RunBenchmark":
		return read(body, benchmarkTable, nil)
	case "RunAbTest":
		return read(body, abResultTable, nil)
	case "AddPixies", "RemovePixies":
		return pixiesResult(body)
	}
	return operationResult{show: func(s *sheet.Sheet) {
		s.Say("%s has succeeded; --json prints its result", cli.Printable(operationType))
	}}, nil
}

// read decodes a result that show prints and short checks.
func read[T any](body []byte, table func(*sheet.Sheet, T), short func(T) error) (operationResult, error) {
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		return operationResult{}, err
	}
	result := operationResult{show: func(s *sheet.Sheet) { table(s, v) }}
	if short != nil {
		result.shortfall = short(v)
	}
	return result, nil
}

func shortfall(failed, all int, what string) error {
	if failed == 0 {
		return nil
	}
	return cli.Partly("%d of %d %s", failed, all, what)
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
func assessmentTable(s *sheet.Sheet, a struct {
	client.Assessment
	DataAgentName *string `json:"dataAgentName"`
},
) {
	s.Say("%s: score %s of 100, %s as a data agent reads it, %s findings, rules of %s",
		cli.Printable(optional.Text(a.SemanticModelName)+optional.Text(a.DataAgentName)),
		sheet.Number(a.Score), sheet.Number(a.ScoreDataAgent), sheet.Count(a.FindingsCount), cli.Printable(a.Regime.ID))
	if a.Regime.Outdated {
		s.Say("These are not the rules of today: assess anew for a score that compares with others")
	}
	if e := a.Evidence; e != nil {
		state := "this definition"
		if e.Outdated {
			state = "another state of the model"
		}
		s.Say("Measured of %s: %d %% of %d questions answered right (95 %%: %d to %d %%) by %s, %s", state, e.Score, e.Questions, e.Low, e.High,
			cli.Printable(e.Answerer), sheet.Moment(&e.FinishedAtUtc))
	} else if a.SemanticModelName != nil {
		s.Say("The score is an estimate: no benchmark run measured this model")
	}
	if a.Stored.Reason != nil {
		s.Say("It was not stored: %s", cli.Printable(*a.Stored.Reason))
	}
	for _, n := range a.NotAssessable {
		of := ""
		if n.SourceModelID != nil {
			of = " of source " + cli.Printable(*n.SourceModelID)
		}
		s.Say("The score%s lacks the rules %s: %s", of, cli.Printable(strings.Join(n.RuleIds, ", ")), cli.Printable(n.Why))
	}
	var r scored
	if json.Unmarshal(a.Document, &r) != nil {
		return // a document of another schema: print only the score
	}
	s.Rows("DIMENSION", "WEIGHT", "SCORE")
	for _, d := range r.Report.Dimensions {
		s.Row(d.Name, sheet.Number(&d.Weight), sheet.Number(d.Score))
	}
	if len(r.Report.Findings) == 0 {
		return
	}
	s.Rows("SEVERITY", "POINTS", "RULES", "WHAT TO DO")
	for _, f := range r.Report.Findings[:min(len(r.Report.Findings), maxRows)] {
		s.Row(f.Severity, fmt.Sprintf("%.1f", f.Impact), strings.Join(f.RuleIDs, " "), f.Message)
	}
	s.More(len(r.Report.Findings) - maxRows)
}

func assessmentsTable(s *sheet.Sheet, b client.BulkAssessment) {
	s.Rows("SEMANTIC MODEL", "OUTCOME", "SCORE", "AS AGENT", "FINDINGS", "WHY")
	incomplete := 0
	for _, r := range b.Value {
		if r.ScoreComplete != nil && !*r.ScoreComplete {
			incomplete++
		}
		s.Row(sheet.OrID(r.SemanticModelName, r.SemanticModelID), string(r.Outcome), sheet.Number(r.Score), sheet.Number(r.ScoreDataAgent),
			sheet.Count(r.FindingsCount), sheet.Failure(r.Error))
	}
	if incomplete > 0 {
		s.Say("%d scores lack the rules about parts that the platform does not show; they compare only with scores that lack the same",
			incomplete)
	}
	acrossTable(s, b)
}

func previewTable(s *sheet.Sheet, p client.Preview) {
	s.Say("%s of %s: %d changes, score %s now and %s after", p.Kind, cli.Printable(p.SemanticModelName), len(p.Changes),
		sheet.Number(p.ScoreNow), sheet.Number(p.ScoreAfter))
	for _, said := range []*string{p.NothingToDo, p.Message} {
		if said != nil {
			s.Say("%s", cli.Printable(*said))
		}
	}
	for _, w := range p.Warnings {
		s.Say("Warning: %s", cli.Printable(w))
	}
	for _, d := range p.DimensionsThatFall {
		s.Say("%s would fall from %.1f to %.1f, as it would judge %d objects, not %d", cli.Printable(d.Name), d.ScoreNow, d.ScoreAfter,
			d.JudgedAfter, d.JudgedNow)
	}
	if len(p.Changes) > 0 {
		s.Rows("KEY", "PROPERTY", "NOW", "PROPOSED")
		for _, c := range p.Changes[:min(len(p.Changes), maxRows)] {
			s.Row(c.Key, c.Property, sheet.Short(optional.Text(c.Current)), sheet.Short(c.Proposed))
		}
		s.More(len(p.Changes) - maxRows)
	}
	originLines(s, p)
	skippedTable(s, withoutQuestions(p))
	wordsTable(s, p.NeedsYourWords)
	if len(p.Changes) == 0 {
		return
	}
	s.Say("Expires %s; write it with\n  readiness client apply %s%s", sheet.Moment(&p.ExpiresAtUtc), cli.Printable(p.PreviewID), s.Profile)
}

// originLines prints which AI wrote texts of a preview, how many of its texts were dropped, and which changes need a
// review.
func originLines(s *sheet.Sheet, p client.Preview) {
	wrote := map[string]bool{}
	for _, c := range p.Changes {
		if o := c.Origin; o != nil && !wrote[o.PromptVersion] {
			wrote[o.PromptVersion] = true
			s.Say("Texts by %s %s, prompt %s", cli.Printable(o.Provider), cli.Printable(optional.Text(o.Model)),
				cli.Printable(o.PromptVersion))
		}
		if c.ReviewRequired != nil {
			s.Say("Review %s: %s", cli.Printable(c.Key), cli.Printable(*c.ReviewRequired))
		}
	}
	if p.Flagged != nil {
		s.Say("%d texts of the AI provider were dropped:", *p.Flagged)
	}
}

// withoutQuestions returns the skipped objects that wordsTable does not list.
func withoutQuestions(p client.Preview) []client.SkippedObject {
	asked := lists.SetOf(p.NeedsYourWords, func(n client.NeededWords) string { return n.Table + "|" + n.Object })
	return slices.DeleteFunc(slices.Clone(p.Skipped), func(o client.SkippedObject) bool { return asked[o.Key] })
}

// wordsTable prints the questions that only a person can answer.
func wordsTable(s *sheet.Sheet, needed []client.NeededWords) {
	if len(needed) == 0 {
		return
	}
	s.Rows("NEEDS YOUR WORDS", "QUESTION")
	for _, n := range needed[:min(len(needed), maxRows)] {
		key := n.Table + "|" + n.Object
		if key == "|" {
			key = "the model"
		}
		s.Row(key, n.Question)
	}
	s.More(len(needed) - maxRows)
}

func bundlePreviewTable(s *sheet.Sheet, b client.BundlePreview) {
	s.Rows("KIND", "STANDING", "PREVIEW", "WHY")
	for _, k := range b.Kinds {
		s.Row(string(k.Kind), string(k.Standing), optional.Text(k.PreviewID), sheet.Because(k.Reason, k.Message))
	}
	s.Say("Expires %s; show a preview with readiness client operations show --result PREVIEW; write all with\n  readiness "+
		"client apply %s%s", sheet.Moment(&b.ExpiresAtUtc), cli.Printable(b.PreviewID), s.Profile)
}

func recordTable(s *sheet.Sheet, r client.ApplyRecord) {
	did := "written"
	if r.Reverts != nil {
		did = "reverted"
	}
	s.Say("%s: %d %s, %d skipped", r.Kind, len(r.Applied), did, len(r.Skipped))
	if len(r.Applied) > 0 {
		s.Rows("KEY", "PROPERTY", "BEFORE", "WRITTEN")
		for _, o := range r.Applied[:min(len(r.Applied), maxRows)] {
			s.Row(o.Key, o.Property, sheet.Short(optional.Text(o.Previous)), sheet.Short(optional.Text(o.Written)))
		}
		s.More(len(r.Applied) - maxRows)
	}
	skippedTable(s, r.Skipped)
	switch {
	case r.Standing == client.RecordStandingReverted:
		s.Say("Reverted by operation %s", cli.Printable(optional.Text(r.RevertedByOperationID)))
	case r.Reverts == nil && r.ExpiresAtUtc != nil:
		s.Say("Until %s, undo it with\n  readiness client revert %s%s", sheet.Moment(r.ExpiresAtUtc),
			cli.Printable(r.RevertOperationID), s.Profile)
	}
}

func skippedTable(s *sheet.Sheet, skipped []client.SkippedObject) {
	if len(skipped) == 0 {
		return
	}
	s.Rows("SKIPPED", "WHY")
	for _, o := range skipped[:min(len(skipped), maxRows)] {
		s.Row(o.Key, sheet.Because(&o.Reason, &o.Message))
	}
	s.More(len(skipped) - maxRows)
}

func bundleTable(s *sheet.Sheet, b client.BundleApply) {
	s.Rows("KIND", "STANDING", "OPERATION", "WHY")
	written := false
	for _, k := range b.Kinds {
		s.Row(string(k.Kind), string(k.Standing), optional.Text(k.OperationID), sheet.Because(k.ErrorCode, k.Message))
		written = written || k.RevertOperationID != nil
	}
	if b.Reverts == nil && written && b.Standing == client.RecordStandingApplied {
		s.Say("Undo it with\n  readiness client revert %s%s", cli.Printable(b.RevertOperationID), s.Profile)
	}
}

// pixiesResult decodes the result of one report, or of several.
func pixiesResult(body []byte) (operationResult, error) {
	var many client.BulkPixiesResult
	if err := json.Unmarshal(body, &many); err != nil {
		return operationResult{}, err
	}
	if many.Value == nil {
		return read(body, func(s *sheet.Sheet, r client.PixiesResultRow) { pixiesTable(s, []client.PixiesResultRow{r}) }, nil)
	}
	return read(body, func(s *sheet.Sheet, b client.BulkPixiesResult) { pixiesTable(s, b.Value) }, func(b client.BulkPixiesResult) error {
		return shortfall(b.Failed, len(b.Value), "reports were not changed")
	})
}

func pixiesTable(s *sheet.Sheet, rows []client.PixiesResultRow) {
	s.Rows("REPORT", "OUTCOME", "PAGES", "VISUALS", "TRACKED ITEM", "WHY")
	for _, r := range rows {
		s.Row(sheet.OrID(r.ReportName, r.ReportID), string(r.Outcome), sheet.Count(r.PagesTracked), sheet.Count(r.VisualsTracked),
			sheet.Yes(r.TrackedItem), sheet.Failure(r.Error))
	}
}
