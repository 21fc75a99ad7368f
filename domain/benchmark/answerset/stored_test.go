package answerset_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"readiness/domain/benchmark"
	"readiness/domain/benchmark/answerset"
	"readiness/domain/verdict"
)

// A run of the service is read as it is stored and as the client prints it, with what persons and judges decided.
func TestRun(t *testing.T) {
	t.Parallel()
	set := benchmark.Set{Questions: []benchmark.Question{{QuestionID: "a", Text: "How much?", Expected: benchmark.Expected{Value: "12"}}}, Repeats: 1}
	ask := verdict.Ask{N: 1, Decision: verdict.Decision{Verdict: verdict.Unclear}, Answer: verdict.Answer{Text: "A dozen", Query: query}, DurationMS: 1500, Attempts: 1}
	run := benchmark.Run{RunAccepted: benchmark.RunAccepted{RunID: uuid.UUID{15: 1}, Repeats: 1,
		Side: benchmark.Side{AnsweredBy: benchmark.AnsweredBy{Kind: verdict.DataAgent, DataAgentName: "Sales Assistant"}}}}
	document, err := json.Marshal(benchmark.NewRunDocument(run, verdict.Target{Runtime: "preview"}, nil, set,
		map[benchmark.AskKey]verdict.Ask{{QuestionID: "a", N: 1}: ask.Overruled(verdict.Correct, "A dozen is 12.")}))
	if err != nil {
		t.Fatal(err)
	}
	printed, err := json.Marshal(map[string]any{"run": map[string]any{}, "document": json.RawMessage(document)})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{document, printed} {
		f, err := answerset.Read("run.json", text)
		if err != nil {
			t.Fatal(err)
		}
		a := f.Answers[0]
		if got := shown(f); f.Kind != answerset.Run || got != "data agent Sales Assistant|How much?|A dozen|"+query+"|1.5s" || a.By.Runtime != "preview" {
			t.Errorf("got %s, %s, %+v", f.Kind, got, a.By)
		}
		if a.Stored.Method != verdict.ByPerson || a.Of.Expected.Value != "12" {
			t.Errorf("got %+v, %+v", a.Stored.Decision, a.Of)
		}
	}
}
