package clientcmd

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/cmd/readiness/clientcmd/sheet"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/internal/lists"
	"readiness/internal/optional"
	"readiness/offline"
	"readiness/offline/show"
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

// agentAssessment is an assessment of a semantic model or data agent.
type agentAssessment struct {
	client.Assessment
	DataAgentName *string `json:"dataAgentName"`
}

// assessmentTable prints an assessment as assess prints that of files.
func assessmentTable(s *sheet.Sheet, a agentAssessment) {
	one := offline.Assessed{Type: item.SemanticModel, Name: optional.Text(a.SemanticModelName), ScoreDataAgent: whole(a.ScoreDataAgent)}
	if a.DataAgentName != nil {
		one.Type, one.Name = item.DataAgent, *a.DataAgentName
	}
	one.Path = one.Name
	if a.WorkspaceName != nil {
		one.Path = *a.WorkspaceName + "/" + one.Name
	}
	var document struct {
		Report readiness.Result `json:"report"`
	}
	var texts any
	if json.Unmarshal(a.Document, &texts) == nil {
		if safe, err := json.Marshal(printable(texts)); err == nil && json.Unmarshal(safe, &document) == nil { // else of another schema
			one.Result = document.Report
		}
	}
	one.Result.Score = whole(a.Score)
	for _, f := range one.Result.Findings {
		f.Impact = math.Round(f.Impact*1e4) / 1e4 // as of files, so that the same model shows the same points
		one.Findings = append(one.Findings, offline.Finding{Finding: f})
	}
	if e := a.Evidence; e != nil {
		one.Evidence = []offline.Evidence{{Who: cli.Printable(e.Answerer), Questions: e.Questions, Rate: e.Score, Low: e.Low, High: e.High,
			At: &e.FinishedAtUtc, Outdated: e.Outdated}}
	}
	in := cmp.Or(optional.Text(a.WorkspaceName), optional.Text(a.WorkspaceID))
	preview := "readiness client preview " + show.ShellPath(cli.Printable(in)) + " " + show.ShellPath(cli.Printable(one.Name)) + s.Profile
	s.Assessment(&offline.Assessment{Regime: cli.Printable(a.Regime.ID), Items: []offline.Assessed{one}}, preview)
	for _, w := range offline.OwnWarnings([]offline.Assessed{one}) {
		s.Say("%s", cli.Printable(w.String()))
	}
	if a.Regime.Outdated {
		s.Say("These are not the rules of today: assess anew for a score that compares with others")
	}
	if a.Stored.Reason != nil {
		s.Say("It was not stored: %s", cli.Printable(*a.Stored.Reason))
	}
}

// printable replaces the control characters of all texts.
func printable(v any) any {
	switch v := v.(type) {
	case string:
		return cli.Printable(v)
	case []any:
		for n := range v {
			v[n] = printable(v[n])
		}
	case map[string]any:
		for name := range v {
			v[name] = printable(v[name])
		}
	}
	return v
}

// whole returns a score as an integer.
func whole(score *float64) *int {
	if score == nil {
		return nil
	}
	return new(int(math.Round(*score)))
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
