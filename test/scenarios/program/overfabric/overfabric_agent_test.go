package overfabric_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/platform/fabric/emulator"
	"readiness/test/samples"
	"readiness/test/scenarios/program"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

// overSamples runs the program over an emulator of the sample workspaces, at which people sign in.
func overSamples(t *testing.T, people []string, change func(*emulator.Options)) (*program.Program, *emulator.Service) {
	t.Helper()
	c := program.New(t, people, "--database-url", testlog.URL(t))
	testworld.Check(t, os.RemoveAll(c.Root))
	testworld.Check(t, os.CopyFS(c.Root, os.DirFS(samples.Workspaces(t))))
	return c, c.OverFabric(people, func(o *emulator.Options) {
		o.AtOnce = true
		change(o)
	})
}

// agentsQuestions are asked of the data agent of the samples. Its answers are in agentSays.
const agentsQuestions = `questionId,question,expectedValue,expectedAnswer,dax
right,What were net sales in 2025?,12000,,
wrong,How many stores are there?,,,"EVALUATE ROW(""Stores"", COUNTROWS(Store))"
words,Why did sales fall in May?,,Because the spring promotion had ended.,
away,What was the margin?,31,,
`

var agentSays = map[string]string{"What were net sales in 2025?": "Net sales were 12,000 in 2025.", "How many stores are there?": "There are 98765 stores.",
	"Why did sales fall in May?": "A promotion ended."}

// A person asks a published data agent from the command line, in a benchmark run and in an A/B test against the simulated assistant.
// The service asks it over MCP as the person. Each result names what answered. The answers have no query and are judged as
// texts, and the reports say so.
func TestDataAgentOverFabric(t *testing.T) {
	t.Parallel()
	const says = "dataAgent (its answers are texts without queries, and are judged as texts)"
	const in, of, agent = "Retail Analytics", "Retail Sales", "Sales Assistant"
	var mu sync.Mutex
	asked := map[string]int{}
	c, service := overSamples(t, []string{"ada"}, func(o *emulator.Options) {
		o.Answers = func(of item.Item, question string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			asked[of.DisplayName+": "+question]++
			if text := agentSays[question]; text != "" {
				return text, nil
			}
			return "", errors.New("the source is away")
		}
	})
	c.Args = append(c.Args, "--fabric-share", "200") // the rules engine makes more queries in two runs than the usual share of a minute
	c.Launch()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	c.Client(agentsQuestions, "benchmark", "save", in, of, "-", "--format", "csv")

	ran := c.Client("", "benchmark", "run", in, of, "--agent", agent, "--junit", path("a.xml"), "--markdown", path("a.md"), "--html", path("a.html"))
	for _, want := range []string{"asked of DataAgent Sales Assistant: score 33 of 100", "Answered by " + says, "Answers: 1 correct, 1 incorrect, 1 unclear, 1 error"} {
		if !strings.Contains(ran, want) {
			t.Errorf("the run does not say %q:\n%s", want, ran)
		}
	}
	for _, name := range []string{"a.xml", "a.md", "a.html"} {
		if text, err := os.ReadFile(path(name)); err != nil || !strings.Contains(string(text), "judged as texts") || strings.Contains(string(text), "embedded") {
			t.Errorf("%s does not say what answered, %v:\n%s", name, err, text)
		}
	}
	runs := c.Client("", "benchmark", "runs", in, of)
	if !strings.Contains(runs, "DataAgent Sales Assistant: dataAgent") {
		t.Errorf("the list of runs is\n%s", runs)
	}
	var stored struct {
		Run struct {
			RunID string
			Score float64
		}
		Document struct {
			Summary   verdict.Side
			Questions []benchmark.AnsweredQuestion
		}
	}
	run := c.Client("", "benchmark", "runs", in, of, "--json")
	var page struct{ Value []struct{ RunID string } }
	testworld.Check(t, json.Unmarshal([]byte(run), &page))
	testworld.Check(t, json.Unmarshal([]byte(c.Client("", "benchmark", "result", in, of, page.Value[0].RunID, "--json")), &stored))
	if stored.Document.Summary.Target.Transport != verdict.ByMCP || stored.Document.Summary.Target.Stage != "published" || len(stored.Document.Questions) != 4 {
		t.Errorf("stored %+v", stored)
	}
	for _, q := range stored.Document.Questions {
		want := map[string]verdict.Decision{"right": {Verdict: verdict.Correct, Method: verdict.ByValue}, "wrong": {Verdict: verdict.Incorrect, Method: verdict.ByValue},
			"words": {Verdict: verdict.Unclear}, "away": {Verdict: verdict.Errored, Method: verdict.ByError}}[q.QuestionID]
		if a := q.Asks[0]; a.Verdict != want.Verdict || a.Method != want.Method || a.Text != agentSays[q.Text] || a.Query != "" || a.Rows != nil {
			t.Errorf("%s: stored %+v, want %+v", q.QuestionID, a, want)
		}
	}

	// The same questions to the assistant that the rules engine simulates, and to the agent.
	target := stored.Document.Summary.Target
	side := func(by string) string {
		return fmt.Sprintf(`{"workspaceId": %q, "semanticModelId": %q, "answeredBy": %s}`, target.WorkspaceID, target.SemanticModelID, by)
	}
	test := fmt.Sprintf(`{"name": "Assistant and agent", "source": {"kind": "Questions"}, "sideA": %s, "sideB": %s}`, side(`{"kind": "PlatformAssistant"}`),
		side(fmt.Sprintf(`{"kind": "DataAgent", "dataAgentId": %q}`, target.ItemID)))
	compared := c.Client(test, "abtests", "create", "--file", "-")
	for _, want := range []string{"Side A answered by embedded (simulated by the rules engine; no AI was asked)", "Side B answered by " + says} {
		if !strings.Contains(compared, want) {
			t.Errorf("the A/B test does not say %q:\n%s", want, compared)
		}
	}

	// The draft is not asked at the platform: the rules engine answers in its place, and the result says that.
	before := len(asked)
	if drafted := c.Client("", "benchmark", "run", in, of, "--answered-by", "ServiceTestAgent", "--agent", agent); !strings.Contains(drafted,
		"simulated in place of ServiceTestAgent Sales Assistant") || strings.Contains(drafted, "judged as texts") {
		t.Errorf("the draft's run says\n%s", drafted)
	}
	for question, times := range asked {
		if times != 2 {
			t.Errorf("%q was asked %d times, want once for each of two runs", question, times)
		}
	}
	if len(asked) != 4 || before != 4 {
		t.Errorf("asked %v", asked)
	}
	for _, call := range service.Calls() {
		if strings.Contains(call.Path, "/dataagents/") && (call.Person.ID != "ada" || call.Status < 400 && call.Scope != "DataAgent.Execute.All") {
			t.Errorf("called %+v", call)
		}
	}
}

// A service calls Generate Query only if a flag enables it. The query is judged by the rows that the platform returns to the person, and the
// result says that the tool is experimental. Without the flag the service simulates the assistant.
func TestGenerateQueryOverFabric(t *testing.T) {
	t.Parallel()
	const in, of = "Retail Analytics", "Retail Sales"
	c, service := overSamples(t, []string{"ada"}, func(o *emulator.Options) {
		o.Unknown.GeneratedQuery = func(_ item.Item, question string) (any, string, error) {
			if strings.Contains(question, "stores") {
				return nil, "```dax\nEVALUATE ROW(\"Stores\", COUNTROWS(Store))\n```", nil
			}
			return nil, "I am not sure.", nil
		}
	})
	c.Args = append(c.Args, "--experimental-generate-query")
	p := c.Launch()
	c.Client(`questionId,question,dax
right,How many stores are there?,"EVALUATE ROW(""n"", COUNTROWS(Store) * 1)"
wrong,How many stores were opened?,"EVALUATE ROW(""n"", COUNTROWS(Store) + 1)"
prose,Why?,"EVALUATE ROW(""n"", 3)"
`, "benchmark", "save", in, of, "-", "--format", "csv")
	ran := c.Client("", "benchmark", "run", in, of)
	for _, want := range []string{"asked of Generate Query in place of PlatformAssistant: score 50 of 100",
		"Answered by generateQuery (experimental: a tool of Power BI wrote the queries; Copilot was not asked)", "Answers: 1 correct, 1 incorrect, 1 error"} {
		if !strings.Contains(ran, want) {
			t.Errorf("the run does not say %q:\n%s", want, ran)
		}
	}
	asked := func() (queries, generated int) {
		for _, call := range service.Calls() {
			switch {
			case call.Path == "/v1/mcp/powerbi" && call.Scope == "MLModel.Execute.All":
				generated++
			case strings.HasSuffix(call.Path, "Queries"):
				queries++
			default:
				continue
			}
			if call.Person.ID != "ada" {
				t.Errorf("called %+v", call)
			}
		}
		return queries, generated
	}
	queries, generated := asked()
	if queries == 0 || generated == 0 {
		t.Errorf("%d queries and %d calls of Generate Query", queries, generated)
	}
	p.Kill()

	c.Args = c.Args[:len(c.Args)-1]
	c.Launch()
	if ran = c.Client("", "benchmark", "run", in, of); !strings.Contains(ran, "simulated in place of PlatformAssistant") || strings.Contains(ran, "generateQuery") {
		t.Errorf("without the flag, the run says\n%s", ran)
	}
	if _, now := asked(); now != generated {
		t.Errorf("without the flag, Generate Query was called %d times", now-generated)
	}
}
