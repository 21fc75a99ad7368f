package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// questions are a model's benchmark questions (docs/decisions.md 6,
// BenchmarkQuestions).
type questions struct {
	Hash  string `json:"questionSetHash"`
	Count int    `json:"count"`
	Runs  int    `json:"canRun"`
	Value []struct {
		ID       string          `json:"questionId"`
		Text     string          `json:"text"`
		Expected json.RawMessage `json:"expected"`
	} `json:"value"`
}

// compared is the part of an A/B run's result (AbTestResult) that the demo shows.
type compared struct {
	AbTestID  string       `json:"abTestId"`
	RunID     string       `json:"runId"`
	SideA     comparedSide `json:"sideA"`
	SideB     comparedSide `json:"sideB"`
	Aggregate struct {
		Improvements []string `json:"improvements"`
		Regressions  []string `json:"regressions"`
		Conclusion   string   `json:"conclusion"`
		Sentence     string   `json:"sentence"`
	} `json:"aggregate"`
	Agreement struct {
		Observed float64  `json:"observed"`
		Kappa    *float64 `json:"kappa"`
	} `json:"agreement"`
	Document struct {
		Questions []struct {
			ID     string   `json:"questionId"`
			Text   string   `json:"text"`
			Change string   `json:"change"`
			A      answered `json:"a"`
			B      answered `json:"b"`
		} `json:"questions"`
	} `json:"document"`
}

type comparedSide struct {
	Questions int      `json:"questions"`
	Score     int      `json:"score"`
	Accuracy  float64  `json:"accuracy"`
	CI        interval `json:"accuracyCi"`
}

type interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type answered struct {
	Verdict string `json:"verdict"`
	Asks    []struct {
		Answer string `json:"answer"`
		Method string `json:"method"`
	} `json:"asks"`
}

// byRows is how many asks were judged by comparing rows of sample data.
func (a answered) byRows() (n int) {
	for _, ask := range a.Asks {
		if ask.Method == "result_set" {
			n++
		}
	}
	return n
}

// generated returns how many questions the service writes for the demo. Over REST it is few, because a person may run 120
// queries a minute and the service uses half of them.
func (d *demo) generated() int {
	if d.emulator != nil {
		return 8
	}
	return 42
}

// people are questions as people ask them, in words that the model's names do not have, and queries that answer them.
var people = []struct{ text, dax string }{
	{"What is the average satisfaction score by team?", `EVALUATE SUMMARIZECOLUMNS(Agents[Team], "CSAT", [CSAT])`},
	{"Show the average satisfaction score for each country.", `EVALUATE SUMMARIZECOLUMNS(Customers[Country], "CSAT", [CSAT])`},
	{"What was the average satisfaction score in 2026?", `EVALUATE ROW("CSAT", CALCULATE([CSAT], 'Calendar'[Year] = 2026))`},
	{"average resolution minutes by channel", `EVALUATE SUMMARIZECOLUMNS(Tickets[Channel], "Minutes", [Avg Resolution])`},
	{"Which agent has the highest average satisfaction score?",
		`EVALUATE TOPN(1, SUMMARIZECOLUMNS(Agents[Agent], "@CSAT", [CSAT]), [@CSAT], DESC)`},
	{"Which team has the lowest average resolution minutes?",
		`EVALUATE TOPN(1, SUMMARIZECOLUMNS(Agents[Team], "@Minutes", [Avg Resolution]), [@Minutes], ASC)`},
	{"How satisfied are customers in energy?", `EVALUATE ROW("CSAT", CALCULATE([CSAT], Customers[Industry] = "Energy"))`},
	{"Are we getting faster?", `EVALUATE SUMMARIZECOLUMNS('Calendar'[Month], "Minutes", [Avg Resolution])`},
}

// abTest asks the assistant the same questions about a model and about an optimized
// copy of it.
func (d *demo) abTest(ctx context.Context) error {
	const workspace = "Corporate Functions"
	original, err := d.model(ctx, workspace, "Support Tickets")
	if err != nil {
		return err
	}
	original.WorkspaceID = d.workspaces[workspace]
	address := "/v1/workspaces/" + original.WorkspaceID + "/semanticModels/" + original.ID + "/aiReadiness"
	folder := filepath.Join(d.program.workspaces, workspace)
	before, err := read(folder)
	if err != nil {
		return err
	}
	d.screen.step("Questions for " + original.Name + ": generated ones, and some that people ask")
	if err := d.saveQuestions(ctx, address); err != nil {
		return err
	}

	d.screen.step("A copy of the model, optimized in every kind")
	copied, err := d.improve(ctx, original, folder)
	if err != nil {
		return err
	}

	d.screen.step("An A/B test: the assistant over the model, and over the optimized copy")
	side := func(of model, label string) map[string]any {
		return map[string]any{
			"semanticModelId": of.ID, "workspaceId": of.WorkspaceID, "label": label,
			"answeredBy": map[string]any{"kind": "PlatformAssistant"},
		}
	}
	var c compared
	if _, err := d.finished(ctx, "/v1/aiReadiness/abTests", map[string]any{
		"name": original.Name + ", before and after", "sideA": side(original, "before"), "sideB": side(copied, "after"),
		"source": map[string]any{"kind": "Questions"}, "hypothesis": map[string]any{"text": "The optimized copy is answered better.",
			"kind": "B"},
	}, &c, "asking; ada's reads start side B"); err != nil {
		return err
	}
	if err := d.showComparison(c); err != nil {
		return err
	}
	// The model itself was not changed; remove the copy.
	if err := os.RemoveAll(filepath.Join(folder, improvedFolder)); err != nil {
		return err
	}
	return before.same(folder)
}

// saveQuestions generates questions for the model at the address, shows the first of
// them and those of people, and saves all of them.
func (d *demo) saveQuestions(ctx context.Context, address string) error {
	var q questions
	generated := d.generated()
	wanted := map[string]any{"count": generated}
	if _, err := d.finished(ctx, address+"/benchmark/questions/generate", wanted, &q, "generating"); err != nil {
		return err
	}
	if q.Count != len(q.Value) || q.Count != generated || q.Runs != generated {
		return fmt.Errorf("%d questions were generated and %d of them can run; want %d", q.Count, q.Runs, generated)
	}
	var rows []table.Row
	for _, one := range q.Value[:min(worst, len(q.Value))] {
		rows = append(rows, table.Row{one.ID, one.Text})
	}
	var kept []map[string]any
	for _, one := range q.Value {
		kept = append(kept, map[string]any{"questionId": one.ID, "text": one.Text, "expected": one.Expected, "source": "Generated"})
	}
	for i, one := range people {
		id := fmt.Sprintf("people-%d", i+1)
		rows = append(rows, table.Row{id, one.text})
		kept = append(kept, map[string]any{"questionId": id, "text": one.text, "expected": map[string]any{"dax": one.dax}})
	}
	d.screen.table(table.Row{"Id", "Question"}, rows)
	if _, err := d.finished(ctx, address+"/benchmark/questions/save", map[string]any{"questions": kept}, &q, "saving"); err != nil {
		return err
	}
	if want := generated + len(people); q.Count != want || q.Runs != want {
		return fmt.Errorf("%d questions were saved and %d of them can run; want %d", q.Count, q.Runs, want)
	}
	return nil
}

// improvedFolder is the folder of the copy.
const improvedFolder = "Improved.SemanticModel"

// improve copies a model, as a branch of its workspace would, and optimizes the
// copy.
func (d *demo) improve(ctx context.Context, original model, folder string) (model, error) {
	from, err := modelFolder(folder, original.ID)
	if err != nil {
		return model{}, err
	}
	to := filepath.Join(folder, improvedFolder)
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return model{}, err
	}
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	copied := model{ID: fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), Name: original.Name + " (optimized)",
		WorkspaceID: original.WorkspaceID}
	platform := fmt.Sprintf(`{"metadata":{"type":"SemanticModel","displayName":%q},"config":{"version":"2.0","logicalId":%q}}`, copied.Name,
		copied.ID)
	if err := os.WriteFile(filepath.Join(to, ".platform"), []byte(platform),
		0o644); err != nil { //nolint:gosec // the service, another user, reads it
		return model{}, err
	}
	address := "/v1/workspaces/" + copied.WorkspaceID + "/semanticModels/" + copied.ID + "/aiReadiness"
	var first assessed
	if _, err := d.finished(ctx, address+"/assess", nil, &first, "assessing the copy"); err != nil {
		return model{}, err
	}
	var k kinds
	if _, err := d.finished(ctx, address+"/optimize", map[string]any{"approval": "required"}, &k, "previewing"); err != nil {
		return model{}, err
	}
	if _, err := d.finished(ctx, address+"/optimize/apply", map[string]any{"previewId": k.PreviewID}, &k, "writing"); err != nil {
		return model{}, err
	}
	if err := d.show(k, "Applied", "NothingToDo"); err != nil {
		return model{}, err
	}
	return copied, nil
}

// modelFolder returns the folder of the model with the id, at any depth below a
// workspace's folder.
func modelFolder(workspace, id string) (found string, err error) {
	err = filepath.WalkDir(workspace, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.Name() != ".platform" {
			return err
		}
		text, err := os.ReadFile(path) //nolint:gosec // in the demo's own directory
		if err == nil && strings.Contains(string(text), id) {
			found = filepath.Dir(path)
		}
		return err
	})
	if err == nil && found == "" {
		err = fmt.Errorf("no folder under %s has semantic model %s", workspace, id)
	}
	return found, err
}

// showComparison shows the comparison. It fails unless the copy is answered better.
func (d *demo) showComparison(c compared) error {
	percent := func(s comparedSide) string {
		return fmt.Sprintf("%.0f %% (95 %%: %.0f to %.0f)", 100*s.Accuracy, 100*s.CI.Low, 100*s.CI.High)
	}
	g := c.Aggregate
	d.screen.table(table.Row{"Side", "Questions", "Correct"}, []table.Row{
		{"before", c.SideA.Questions, percent(c.SideA)}, {"after", c.SideB.Questions, percent(c.SideB)},
	}, "Questions")
	d.screen.say("Before is side A, after is side B. %s", g.Sentence)
	var rows []table.Row
	compared := 0
	for _, q := range c.Document.Questions {
		compared += q.A.byRows() + q.B.byRows()
		if q.Change == "improved" || q.Change == "regressed" {
			rows = append(rows, table.Row{q.Change, q.Text, q.A.Verdict, q.B.Verdict, q.B.Asks[0].Answer})
		}
	}
	d.screen.table(table.Row{"Change", "Question", "Before", "After", "Answer"}, rows)
	runs := "the embedded evaluator"
	if d.emulator != nil {
		runs = "the emulator"
	}
	d.screen.say("%d verdicts compare the rows of two queries over the sample data, run by %s.\n"+
		"%d of the %d questions were generated by the same rules that answer them, so nearly all are right on both sides.\n"+
		"The embedded engine answered both sides and no AI was asked: this shows what its rules gain from better texts,\n"+
		"and neither that the copy is better nor how an AI answers.", compared, runs, d.generated(), d.generated()+len(people))
	if compared == 0 {
		return errors.New("no verdict compares rows; want those of the sample data")
	}
	if c.SideB.Score <= c.SideA.Score || len(g.Improvements) == 0 || len(rows) != len(g.Improvements)+len(g.Regressions) {
		return fmt.Errorf("before %d, after %d of 100, %d questions improved; want the optimized copy to be answered better", c.SideA.Score,
			c.SideB.Score, len(g.Improvements))
	}
	return nil
}

// providers lists the AI providers; the embedded one always exists.
func (d *demo) providers(ctx context.Context) error {
	d.screen.step("GET /v1/aiProviders")
	var list struct {
		Value []struct {
			ID   string `json:"providerId"`
			Name string `json:"name"`
			Kind string `json:"kind"`
		} `json:"value"`
	}
	a, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, "/v1/aiProviders", nil, nil)
	if err != nil {
		return err
	}
	if err := a.decode(&list); err != nil {
		return err
	}
	if len(list.Value) != 1 || list.Value[0].ID != "embedded" {
		return fmt.Errorf("the providers are %+v, want the embedded one", list.Value)
	}
	d.screen.table(table.Row{"Provider", "Name", "Kind"}, []table.Row{{list.Value[0].ID, list.Value[0].Name, list.Value[0].Kind}})
	return nil
}
