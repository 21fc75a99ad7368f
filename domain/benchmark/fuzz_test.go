package benchmark_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/test/samples"
)

// A document of questions is either refused or admitted with a stable result: when it
// is stored, read and admitted again, the set and its hash are the same. Every question
// can be checked against any model.
func FuzzSet(f *testing.F) {
	var models []*semanticmodel.Model
	for _, parts := range samples.Items(f, ".SemanticModel") {
		var d []definition.Part
		for path, data := range parts {
			d = append(d, definition.Part{Path: path, Data: data})
		}
		if m, err := semanticmodel.Read(definition.New(d...)); err == nil {
			models = append(models, m)
		}
	}
	for n, m := range models {
		set := benchmark.Set{Repeats: 1 + n%3}
		for _, t := range m.Tables {
			for _, x := range t.Measures {
				set.Questions = append(set.Questions, answeredBy(measure(t.Name, x.Name)))
			}
		}
		text, err := json.Marshal(set)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(n), text)
	}
	for _, seed := range []string{
		`{"questions":[{"text":"How many?","expected":{"value":"1"}},{"text":"How many?","expected":{"value":"1"}}],"repeats":1}`, `{"questions":[{"questionId":"a","text":"x","expected":{"dax":"EVALUATE ROW(\"x\",1)"}},{"questionId":"a","text":"y","expected":{"value":"1"}}],"repeats":5}`,
		`{"questions":[{"text":"x","clusterId":"c","source":"generated","expected":{"fields":[{"role":"filter","table":"Date","name":"Year","operator":"between","values":["2023","2024"]},{"role":"filter","name":"x","operator":"top","values":["five"]}]}}],"repeats":1}`,
		`{"questions":null,"repeats":3}`, `{"questions":[null],"repeats":1}`, `{}`, `null`, `[]`, `{"questions":[{"text":"\u0000","expected":{"value":"\u2028"}}],"repeats":1}`, `{"questions":[{"text":"x","expected":{"dax":"/* EVALUATE */"}}],"repeats":1}`,
	} {
		f.Add(uint8(0), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, n uint8, text []byte) {
		var set benchmark.Set
		if json.Unmarshal(text, &set) != nil {
			return
		}
		admitted, err := set.Admit()
		if err != nil {
			if !domain.IsRefused(err, domain.InvalidRequest) || len(err.Error()) > 1000 {
				t.Fatalf("got %v", err)
			}
			return
		}
		stored, err := json.Marshal(admitted)
		if err != nil {
			t.Fatal(err)
		}
		var read benchmark.Set
		if err := json.Unmarshal(stored, &read); err != nil {
			t.Fatal(err)
		}
		again, err := read.Admit()
		if err != nil {
			t.Fatalf("%s was admitted, and is not again: %v", stored, err)
		}
		if diff := cmp.Diff(admitted, again); diff != "" || again.Hash() != admitted.Hash() {
			t.Fatalf("%s is a different set when it is read (-before +after):\n%s", stored, diff)
		}
		m := models[int(n)%len(models)]
		checked := admitted.Check(m, time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC))
		if len(checked) != len(admitted.Questions) {
			t.Fatalf("%d questions, %d of them checked", len(admitted.Questions), len(checked))
		}
		for _, q := range admitted.Runnable(m).Questions {
			if strings.TrimSpace(q.Text) == "" {
				t.Fatalf("runs %+v", q)
			}
		}
		if recomputed := admitted.Recomputed(m); len(recomputed.Questions) != len(admitted.Questions) {
			t.Fatalf("recomputed to %d questions", len(recomputed.Questions))
		}
	})
}
