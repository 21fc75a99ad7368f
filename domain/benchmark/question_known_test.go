package benchmark_test

import (
	"testing"
	"time"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/verdict/normalform"
	"readiness/test/samples"
)

// Of the queries that are generated for the samples, all are read in full except a few over measures that use what
// the reader does not read. Each that is read is equal to itself, and to the query of its fields.
func TestGeneratedQueriesAreRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	read, all := 0, 0
	for _, files := range samples.Items(t, ".SemanticModel") {
		var parts []definition.Part
		for path, text := range files {
			parts = append(parts, definition.Part{Path: path, Data: text})
		}
		m, err := semanticmodel.Read(definition.New(parts...))
		if err != nil {
			continue
		}
		queries, err := benchmark.Generate(m, benchmark.Wanted{Year: 2025, Count: 40})
		if err != nil {
			continue
		}
		reader, unread := normalform.NewModel(m), false
		for _, q := range queries {
			all++
			got, err := reader.Read(q.DAX(), now)
			if err != nil {
				t.Logf("%v: %s", err, q.DAX())
				unread = true
				continue
			}
			if read++; unread {
				t.Errorf("it comes after one that is not read: %s", q.DAX())
			}
			question := benchmark.Question{Expected: benchmark.Expected{Fields: q.Fields()}}
			of := question.Known(m, reader, now).Query
			if of == nil {
				t.Errorf("the query of the fields is not read: %s", q.DAX())
				continue
			}
			if likeness, _ := normalform.Compare(of, got, false); likeness != normalform.Equal {
				t.Errorf("not equal to the query of its fields: %s\n%s\n%s", q.DAX(), got, of)
			}
		}
	}
	t.Logf("%d of %d are read", read, all)
	if read < all*9/10 || all < 60 {
		t.Errorf("%d of %d queries are read", read, all)
	}
}
