package lift_test

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"readiness/ai"
	"readiness/ai/answerer"
	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/evaluation"
	"readiness/domain/proposal"
	"readiness/domain/verdict"
	"readiness/offline"
	"readiness/offline/evaluate"
	"readiness/offline/lift"
)

var today = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

// The words that people say in place of those of names.
var said = map[string]string{
	"sales": "revenue", "revenue": "sales", "customers": "clients", "customer": "client", "orders": "purchases", "order": "purchase", "tickets": "cases",
	"quantity": "units", "units": "pieces", "amount": "value", "cost": "expense", "costs": "expenses", "employees": "staff", "headcount": "people",
	"products": "items", "product": "item", "stores": "shops", "store": "shop", "returns": "refunds", "margin": "profit", "profit": "earnings",
	"budget": "plan", "actual": "real", "average": "mean", "avg": "average", "total": "overall", "visits": "visitors", "transactions": "receipts",
}

// inOtherWords changes how a question names a measure: a word less, other words, or all in small letters.
func inOtherWords(r *rand.Rand, text, name string) string {
	words := strings.Fields(name)
	switch r.IntN(3) {
	case 0:
		if at := r.IntN(len(words)); len(words) > 1 {
			words = slices.Delete(words, at, at+1)
		}
	case 1:
		for i, w := range words {
			if other, ok := said[w]; ok {
				words[i] = other
			}
		}
	}
	return strings.Replace(text, name, strings.Join(words, " "), 1)
}

// questions are made from a model, in words that are often not its own.
func questions(t *testing.T, p offline.Proposal, r *rand.Rand) []benchmark.Question {
	t.Helper()
	m, err := semanticmodel.Read(p.Before)
	if err != nil {
		t.Fatal(err)
	}
	const count = 80
	set, err := rules.QuestionSet(m, 2025, count)
	if domain.IsRefused(err, domain.QuestionsNotGenerated) {
		return nil // a model without measures
	}
	if err != nil {
		t.Fatal(err)
	}
	all := set.Questions
	for i, q := range all {
		named := ""
		for _, table := range m.Tables {
			for _, f := range table.Measures {
				if len(f.Name) > len(named) && strings.Contains(q.Text, strings.ToLower(f.Name)) {
					named = strings.ToLower(f.Name)
				}
			}
		}
		if named == "" {
			continue
		}
		all[i].Text = inOtherWords(r, q.Text, named)
	}
	return all
}

func proposed(t *testing.T, root string) []offline.Proposal {
	t.Helper()
	items, _, err := offline.Find(t.Context(), root, []string{root})
	if err != nil {
		t.Fatal(err)
	}
	models := ai.New(ai.Options{})
	all, _, err := offline.Propose(t.Context(), items, offline.ProposeOptions{Propose: func(ctx context.Context, ask proposal.Ask) (proposal.Answer, error) {
		return models.Ask(ctx, aiprovider.Embedded(), ask)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func byRules(m *semanticmodel.Model) (verdict.Target, answerer.Ask, error) {
	return answerer.New(answerer.Options{Now: func() time.Time { return today }}).OnModel(m, aiprovider.Embedded())
}

// Accepting everything that is proposed makes no answer of the rules engine wrong, in samples and in public models. The
// questions are drawn by READINESS_LIFT_SEED (make lift).
func TestProposalsMakeNoAnswerWrong(t *testing.T) {
	t.Parallel()
	roots := []string{"../../samples/workspaces"}
	if corpus := os.Getenv("READINESS_CORPUS"); corpus != "" {
		roots = append(roots, corpus)
	}
	seed := uint64(7)
	if given := os.Getenv("READINESS_LIFT_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	for _, root := range roots {
		asked, before, after := 0, lift.Counts{}, lift.Counts{}
		for n, p := range proposed(t, root) {
			if p.Error != nil || p.Changes() == 0 {
				continue
			}
			all := questions(t, p, rand.New(rand.NewPCG(seed, uint64(n))))
			if len(all) == 0 {
				continue
			}
			m, err := semanticmodel.Read(p.Before)
			if err != nil {
				t.Fatal(err)
			}
			judge := &evaluation.Judge{Model: m, Now: today}
			if _, err := evaluate.Sampled(t.Context(), p.Item, judge); err != nil {
				t.Fatal(err)
			}
			r, err := lift.Measure(t.Context(), p, lift.Options{Questions: all, Open: byRules, Judge: judge})
			if err != nil {
				t.Fatal(p.Shown, err)
			}
			with := r.Parts[0]
			asked += len(all)
			before = lift.Counts{Right: before.Right + r.Now.Right, Wrong: before.Wrong + r.Now.Wrong, Declined: before.Declined + r.Now.Declined,
				Undecided: before.Undecided + r.Now.Undecided}
			after = lift.Counts{Right: after.Right + with.Right, Wrong: after.Wrong + with.Wrong, Declined: after.Declined + with.Declined,
				Undecided: after.Undecided + with.Undecided}
			if with.Wrong > r.Now.Wrong {
				t.Errorf("%s: %+v becomes %+v", p.Shown, r.Now, with.Counts)
			}
		}
		t.Logf("%s: %d questions, %+v before, %+v after", root, asked, before, after)
		if asked == 0 || after.Right < before.Right {
			t.Errorf("%s: %d questions, %+v before, %+v after", root, asked, before, after)
		}
	}
}
