package answerer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"readiness/ai/answerer"
	"readiness/cmd/readinessd/wiring"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/domain/verdict/normalform"
	"readiness/platform/folder"
	"readiness/test/samples"
)

// askedQuestion is a question in a person's words about a sample model. Each query of Gold answers it; without
// one the model cannot answer it, and the engine must decline.
type askedQuestion struct {
	Model    string   `json:"model"` // WORKSPACE/NAME
	Question string   `json:"question"`
	Gold     []string `json:"gold"`
}

func askedQuestions(t *testing.T, file string) (all []askedQuestion) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var q askedQuestion
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}

// answeredOn is the day on which the questions are asked: the sample data ends after it.
var answeredOn = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// More than half of a hundred questions that people wrote without knowledge of the engine's words are answered correctly, and
// fewer than three wrongly: the engine's query returns the same rows over the sample data as a query that answers the question.
// The engine declines questions that it does not understand.
func TestAskedQuestions(t *testing.T) {
	t.Parallel()
	ada := ana
	ada.Person.ID = "ada" // a member of every workspace
	platform, err := folder.Open(samples.Workspaces(t), folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	queries := wiring.SampleQueries{Platform: platform, Now: func() time.Time { return answeredOn }}
	asker := answerer.New(answerer.Options{
		Definitions: func(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
			return platform.Definition(ctx, as, it)
		},
		Now: func() time.Time { return answeredOn }, Rows: queries.Rows,
	})
	models := samplesByName(t, platform, ada)
	asks, readers := map[string]answerer.Ask{}, map[string]*normalform.Model{}
	for name, m := range models {
		s := side(verdict.PlatformAssistant, "")
		s.WorkspaceID, s.SemanticModelID = m.WorkspaceID, m.ID
		if _, _, asks[name], err = asker.Open(t.Context(), ada, s); err != nil {
			continue // a model that no question is about
		}
		d, err := platform.Definition(t.Context(), ada, m)
		if err != nil {
			t.Fatal(err)
		}
		read, err := semanticmodel.Read(d)
		if err != nil {
			t.Fatal(err)
		}
		readers[name] = normalform.NewModel(read)
	}
	sets := []struct {
		file                           string
		questions, leastRight, wrongAt int
	}{
		{"asked.jsonl", 100, 70, 1},
		{"asked_fresh.jsonl", 50, 29, 1},
		{"asked_blind.jsonl", 50, 38, 1},
		{"asked_values.jsonl", 100, 43, 1},
		{"asked_traps.jsonl", 100, 66, 3},
		{"asked_chat.jsonl", 100, 57, 1},
		{"asked_people.jsonl", 100, 71, 1},
		{"asked_strangers.jsonl", 100, 43, 1},
		{"asked_strangers2.jsonl", 100, 37, 1},
	}
	for i := range sets {
		sets[i].file = "testdata/" + sets[i].file
	}
	if file := os.Getenv("READINESS_ASKED"); file != "" { // a set to be measured, of any size
		sets = sets[:1]
		sets[0].file, sets[0].questions, sets[0].leastRight, sets[0].wrongAt = file, len(askedQuestions(t, file)), 0, math.MaxInt
	}
	for _, set := range sets {
		t.Run(filepath.Base(set.file), func(t *testing.T) {
			right, wrong, declined, all := 0, 0, 0, askedQuestions(t, set.file)
			byModel := map[string]int{} // right
			for _, q := range all {
				m, found := models[q.Model]
				if !found || asks[q.Model] == nil {
					t.Fatalf("there is no sample %s", q.Model)
				}
				reply, err := asks[q.Model](t.Context(), q.Question)
				if err != nil {
					t.Fatal(err)
				}
				rows := func(dax string) (verdict.ResultSet, bool) {
					set, err := queries.Rows(t.Context(), ada, m.WorkspaceID, m.ID, dax)
					if err != nil {
						t.Logf("not run: %s: %v", q.Question, err)
					}
					return set, err == nil
				}
				if reply.Answer.CannotAnswer {
					declined++
					if len(q.Gold) > 0 {
						t.Logf("declined: %s: %s: %s", q.Model, q.Question, reply.Answer.Text)
					}
					continue
				}
				got, ran := rows(reply.Answer.Query)
				is := false
				for _, gold := range q.Gold {
					want, known := rows(gold)
					likeness, _ := verdict.CompareResultSets(want, got, false)
					is = is || ran && known && (likeness == verdict.Equal || likeness == verdict.Superset) ||
						means(readers[q.Model], gold, reply.Answer.Query)
				}
				if is {
					right++
					byModel[q.Model]++
					continue
				}
				wrong++
				t.Logf("wrong: %s: %s\n%s\n%v\n%+v", q.Model, q.Question, reply.Answer.Query, q.Gold, reply)
			}
			t.Logf("of %d: %d right, %d wrong, %d declined; right by model: %v", len(all), right, wrong, declined, byModel)
			if len(all) != set.questions || right < set.leastRight || wrong >= set.wrongAt {
				t.Errorf("of %d questions %d are answered right and %d wrong; want at least %d right and fewer than %d wrong",
					len(all), right, wrong, set.leastRight, set.wrongAt)
			}
		})
	}
}

// means reports whether two queries have the same normal form; the evaluator does not support everything that the translation does.
func means(m *normalform.Model, gold, query string) bool {
	want, err := m.Read(gold, answeredOn)
	if err != nil {
		return false
	}
	got, err := m.Read(query, answeredOn)
	if err != nil {
		return false
	}
	likeness, _ := normalform.Compare(want, got, false)
	return likeness == normalform.Equal
}

// samplesByName returns the semantic models of the samples by WORKSPACE/NAME.
func samplesByName(t *testing.T, p *folder.Platform, ada item.Caller) map[string]item.Item {
	t.Helper()
	all := map[string]item.Item{}
	workspaces, err := p.Workspaces(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workspaces {
		items, err := p.Items(t.Context(), ada, w.ID, item.SemanticModel)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			all[w.DisplayName+"/"+it.DisplayName] = it
		}
	}
	return all
}
