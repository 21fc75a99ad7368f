package answerer_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/verdict"
)

// A judge is asked only if nothing else decides, and it is not one of the sides.
func TestJudge(t *testing.T) {
	t.Parallel()
	words := benchmark.Expected{Value: "Paris sells more than any other city, by far"}
	answer := verdict.Answer{Text: "It is the capital of France that sells most."}
	fields := benchmark.Expected{Fields: []verdict.Field{measured("Revenue")}, Value: words.Value}
	judges := func(ids ...string) func(*world) {
		return func(w *world) {
			w.save("proposals", aiprovider.Proposals, aiprovider.Agent)
			for _, id := range ids {
				w.save(id, aiprovider.Judge)
			}
		}
	}
	const judgement = `{"class":"same","confidence":0.9,"reason":"Both name Paris."}`
	for name, tt := range map[string]struct {
		meet     func(*world)
		sides    []string
		expected benchmark.Expected
		answer   verdict.Answer
		verdict  string
		by       string // "" without a judgement
		asked    int
	}{
		"the oldest judge":                   {judges("j1", "j2"), nil, words, answer, judgement, "j1", 1},
		"one that is a side is passed over":  {judges("j1", "j2"), []string{"embedded", "j1"}, words, answer, judgement, "j2", 1},
		"all are sides":                      {judges("j1", "j2"), []string{"j2", "j1"}, words, answer, judgement, "", 0},
		"no judge":                           {judges(), nil, words, answer, judgement, "", 0},
		"a judge without an expected query":  {judges("j"), nil, benchmark.Expected{DAX: "EVALUATE x"}, answer, judgement, "j", 1},
		"the value decides":                  {judges("j"), nil, benchmark.Expected{Value: "42"}, verdict.Answer{Text: "It is 41."}, judgement, "", 0},
		"it cannot tell":                     {judges("j"), nil, words, verdict.Answer{Text: "x", CannotAnswer: true}, judgement, "", 0},
		"nothing is known":                   {judges("j"), nil, benchmark.Expected{}, answer, judgement, "", 0},
		"fields that the answer has none of": {judges("j"), nil, fields, answer, judgement, "j", 1},
		"the judge makes no sense":           {judges("j"), nil, words, answer, "private words", "", 3},
		"the key of the judge does not open": {func(w *world) {
			j := w.save("j", aiprovider.Judge)
			j.Kind, j.Key = aiprovider.OpenAI, aiprovider.Key{}
		}, nil, words, answer, judgement, "", 0},
		"the judge cannot be asked": {func(w *world) { w.save("j", aiprovider.Judge).BaseURL = "nowhere" }, nil, words, answer, judgement, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.meet(w)
			w.reply = func(int, request) (int, string) { return http.StatusOK, tt.verdict }
			sides := slices.Clone(tt.sides)
			j, by, judged, err := w.Judge(t.Context(), ana.Account, tt.sides, benchmark.Case{Question: "Which city sells most?", Expected: tt.expected, Answer: tt.answer})
			if err != nil || judged != (tt.by != "") || len(w.asked()) != tt.asked || !slices.Equal(sides, tt.sides) {
				t.Fatalf("judged %v, asked %d times, error %v", judged, len(w.asked()), err)
			}
			var wantBy verdict.Judge
			var want verdict.Judgement
			if judged {
				want = verdict.Judgement{Class: verdict.SameClass, Confidence: 0.9, Reason: "Both name Paris."}
				wantBy = verdict.Judge{ProviderID: tt.by, Model: "large", PromptVersion: "judge/3", Temperature: new(0.0)}
				if one := w.asked()[0]; !strings.Contains(one.user, tt.answer.Text) || !strings.Contains(one.user, "Which city sells most?") {
					t.Errorf("asked %q", one.user)
				}
			}
			if diff := cmp.Diff(want, j) + cmp.Diff(wantBy, by); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	w := newWorld(t)
	judges("j")(w)
	if _, _, judged, err := w.Judge(t.Context(), "fabrikam", nil, benchmark.Case{Question: "x", Expected: words, Answer: answer}); judged || err != nil || len(w.asked()) != 0 {
		t.Errorf("another account's judge: %v, error %v", judged, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.reply = func(int, request) (int, string) { cancel(); return http.StatusInternalServerError, "" }
	if _, _, judged, err := w.Judge(ctx, ana.Account, nil, benchmark.Case{Question: "x", Expected: words, Answer: answer}); judged || !errors.Is(err, context.Canceled) {
		t.Errorf("judged %v, error %v", judged, err)
	}
}
