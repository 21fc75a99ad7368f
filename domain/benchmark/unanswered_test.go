package benchmark_test

import (
	"fmt"
	"strings"
	"testing"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// made returns a run with asks and its questions: "x" got no answer, "-" is not recorded yet, anything else got one.
func made(total int, asks string) (benchmark.Run, benchmark.Set) {
	r := benchmark.Run{RunAccepted: benchmark.RunAccepted{Count: total, Repeats: 1}}
	var set benchmark.Set
	for i := range total {
		set.Questions = append(set.Questions, benchmark.Question{QuestionID: fmt.Sprint("Q", i+1)})
	}
	failed := 0
	for i, c := range asks {
		if c == '-' {
			continue
		}
		a := benchmark.Asked{QuestionID: fmt.Sprint("Q", i+1), N: 1, Made: len(r.Asks) + 1, Verdict: verdict.Correct}
		if c == 'x' {
			a.Verdict = verdict.Errored
			failed++
		}
		a.Errors = failed
		r.Asks = append(r.Asks, a)
	}
	return r, set
}

func TestUnanswered(t *testing.T) {
	t.Parallel()
	repeat := strings.Repeat
	for name, tt := range map[string]struct {
		total   int
		asks    string
		want    string
		answers int
	}{
		"nothing asked":                   {5, "", "", 0},
		"one of one":                      {1, "x", "its only ask got no answer", 0},
		"one of two":                      {2, "x", "", 0},
		"two of two":                      {2, "xx", "none of the first 2 asks got an answer", 0},
		"two of five":                     {5, "xx", "", 0},
		"the first three of five":         {5, "xxx", "none of the first 3 asks got an answer", 0},
		"four at once":                    {19, "xxxx", "none of the first 4 asks got an answer", 0},
		"three faster than the first":     {10, "-x-x-x", "", 0},
		"all but the first":               {10, "-xxxxxx", "", 0},
		"the last of the first three":     {10, "xxxx-x", "none of the first 5 asks got an answer", 0},
		"ten faster than the first":       {19, "-" + repeat("x", 10), "10 questions in a row got no answer", 0},
		"three later":                     {5, ".xxx", "", 1},
		"the first three of 19":           {19, "xxx", "none of the first 3 asks got an answer", 0},
		"the first three of 20":           {20, "xxx", "", 0},
		"nine in a row":                   {30, repeat("x", 9), "", 0},
		"ten in a row":                    {30, repeat("x", 10), "10 questions in a row got no answer", 0},
		"ten in a row, later":             {30, "..x." + repeat("x", 10), "10 questions in a row got no answer", 3},
		"ten of 20":                       {30, repeat("x.", 10), "10 of the first 20 asks got no answer", 10},
		"nine of 20":                      {30, repeat("x.", 9) + "..", "", 11},
		"ten of 19":                       {30, repeat("x.", 9) + "x", "", 9},
		"half, later":                     {60, repeat(".", 20) + repeat("xxxx.", 6), "", 26},
		"half at last":                    {60, repeat(".", 13) + repeat("xx.", 13), "26 of the first 52 asks got no answer", 26},
		"a few unanswered among answered": {12, "x..x..x..x..", "", 8},
	} {
		r, set := made(tt.total, tt.asks)
		if why, stops := r.Unanswered(set); why != tt.want || stops != (tt.want != "") {
			t.Errorf("%s: got %q, %v, want %q", name, why, stops, tt.want)
		}
		if got := r.Answers(); got != tt.answers {
			t.Errorf("%s: got %d answers, want %d", name, got, tt.answers)
		}
	}
	// A run without an answer is refunded and tracks nothing.
	if silent, _ := made(5, "xxx"); silent.Spent(domain.BenchmarkRunFailed) != 0 || silent.Tracks(true) {
		t.Error("a run without answers counts")
	}
	if answered, _ := made(30, "."+strings.Repeat("x", 10)); answered.Spent(domain.BenchmarkRunFailed) != 1 || !answered.Tracks(true) {
		t.Error("a run with an answer does not count")
	}
}

func TestInconclusive(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		questions, scored int
		want              bool
	}{{3, 3, false}, {3, 2, false}, {3, 1, true}, {1, 0, true}, {2, 1, true}, {100, 67, false}, {100, 66, true}, {0, 0, false}} {
		if got := (benchmark.Outcome{Scored: row.scored}).Inconclusive(row.questions); got != row.want {
			t.Errorf("%d of %d answered: got %v", row.scored, row.questions, got)
		}
	}
}
