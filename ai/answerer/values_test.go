package answerer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/ai/answerer"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/verdict"
)

// reader runs queries: it records them and answers with the texts of a column, or an error.
type reader struct {
	mu      sync.Mutex
	queries []string
	texts   []string
	fails   error
}

func (r *reader) rows(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queries = append(r.queries, dax)
	if !cmp.Equal(as, ana) || workspaceID != retail || modelID != shop {
		return verdict.ResultSet{}, fmt.Errorf("read as %v of %s", as, modelID)
	}
	if r.fails != nil || ctx.Err() != nil {
		return verdict.ResultSet{}, errors.Join(r.fails, ctx.Err())
	}
	var set verdict.ResultSet
	switch {
	case strings.Contains(dax, "DISTINCT('Customer'[City])"):
		for _, text := range r.texts {
			set.Rows = append(set.Rows, []verdict.Value{verdict.Text(text)})
		}
	case !strings.Contains(dax, "DISTINCT("): // the query of an answer
		set.Rows = [][]verdict.Value{{verdict.Number(7)}}
		if strings.Contains(dax, "Nowhere Bay") {
			set.Rows[0][0] = verdict.Value{}
		}
	}
	return set, nil
}

func (r *reader) asked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.queries)
}

// The embedded engine reads values of text columns, as the person, once, and only if names do not answer or an answer filters
// by a text.
func TestValuesAreRead(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t), &reader{texts: []string{"Boston", "Nowhere Bay"}}
	w.options.Rows = r.rows
	w.Asker = answerer.New(w.options)
	_, ask := w.open(t, side(verdict.PlatformAssistant, ""))
	if got := reply(t, ask, "What is our revenue?"); got.Answer.CannotAnswer || r.asked() > 0 {
		t.Errorf("%+v was answered with %q", got.Answer, r.queries)
	}
	if got := reply(t, ask, "revenue in 2025"); got.Answer.CannotAnswer || r.asked() > 0 { // a filter, and not by a text
		t.Errorf("%+v was answered with %q", got.Answer, r.queries)
	}
	if got := reply(t, ask, "revenue in boston"); !strings.Contains(got.Answer.Query, `'Customer'[City] = "Boston"`) {
		t.Errorf("got %+v after %q", got.Answer, r.queries)
	}
	read := 0
	for _, q := range r.queries {
		if strings.Contains(q, "DISTINCT(") {
			read++
		}
		if strings.Contains(q, "Notes") || strings.Contains(q, "Vault") { // hidden from AI
			t.Errorf("read %s", q)
		}
	}
	if got := reply(t, ask, "revenue in Nowhere Bay"); !got.Answer.CannotAnswer {
		t.Errorf("an answer without data is given: %+v", got.Answer)
	}
	if got := reply(t, ask, "revenue in Atlantis"); !got.Answer.CannotAnswer {
		t.Errorf("a value that no column has is found: %+v", got.Answer)
	}
	if got := reply(t, ask, "revenue where the city is Boston"); !strings.Contains(got.Answer.Query, `"Boston"`) {
		t.Errorf("got %+v", got.Answer)
	}
	if got := reply(t, ask, "revenue where the city is Atlantis"); !got.Answer.CannotAnswer || got.Answer.Query != "" {
		t.Errorf("a filter on a value that the column does not have is given: %+v", got.Answer)
	}
	for _, q := range r.queries[read+1:] {
		if strings.Contains(q, "DISTINCT(") {
			t.Errorf("the values are read again: %s", q)
		}
	}
}

// If values cannot be read, are too many or are not names, the engine declines as it would without them.
func TestValuesThatAreNotRead(t *testing.T) {
	t.Parallel()
	many := make([]string, 501)
	for i := range many {
		many[i] = fmt.Sprintf("Boston %d", i)
	}
	many[0] = "Boston"
	for name, c := range map[string]struct {
		reader *reader
		most   int // queries
	}{
		"nothing runs queries":   {nil, 0},
		"every query fails":      {&reader{fails: errors.New("away")}, 3},
		"the platform runs none": {&reader{fails: domain.Refuse(domain.OperationNotSupportedForItem, "none")}, 3},
		"too many values":        {&reader{texts: many}, 30},
		"a long text":            {&reader{texts: []string{"Boston", strings.Repeat("long ", 20)}}, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if c.reader != nil {
				w.options.Rows = c.reader.rows
			}
			w.Asker = answerer.New(w.options)
			_, ask := w.open(t, side(verdict.PlatformAssistant, ""))
			if got := reply(t, ask, "revenue in Boston"); !got.Answer.CannotAnswer {
				t.Errorf("got %+v", got.Answer)
			}
			if got := reply(t, ask, "revenue where the city is Atlantis"); !strings.Contains(got.Answer.Query, `"Atlantis"`) {
				t.Errorf("a value that the question says to be one of the column is not taken: %+v", got.Answer)
			}
			if c.reader != nil && c.reader.asked() > c.most {
				t.Errorf("%d queries: %q", c.reader.asked(), c.reader.queries)
			}
		})
	}
}

// An interrupted reading is repeated for the next question.
func TestReadingCutOff(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t), &reader{texts: []string{"Boston"}}
	ctx, cancel := context.WithCancel(t.Context())
	w.options.Rows = func(_ context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error) {
		cancel()
		return r.rows(context.WithoutCancel(ctx), as, workspaceID, modelID, dax)
	}
	w.Asker = answerer.New(w.options)
	_, ask := w.open(t, side(verdict.PlatformAssistant, ""))
	if _, err := ask(ctx, "revenue in Boston"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := reply(t, ask, "revenue in Boston"); got.Answer.CannotAnswer {
		t.Errorf("got %+v", got.Answer)
	}
}

// If the platform's quota has no room for the queries of values, a question that needs them has no answer, and does not count as
// declined. The next question resumes where the last one stopped.
func TestValuesWithoutRoom(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t), &reader{texts: []string{"Boston"}}
	full := true
	w.options.Rows = func(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error) {
		if full && r.asked() == 1 {
			return verdict.ResultSet{}, domain.Refuse(domain.PlatformUnavailable, "no room; try again in 58s").After(time.Minute)
		}
		return r.rows(ctx, as, workspaceID, modelID, dax)
	}
	w.Asker = answerer.New(w.options)
	_, ask := w.open(t, side(verdict.PlatformAssistant, ""))
	for range 5 { // more often than a column may fail
		got := reply(t, ask, "revenue in Boston")
		if got.Failure == nil || got.Failure.Code != string(domain.PlatformUnavailable) || got.Failure.Message != "no room; try again in 58s" || got.Answer.CannotAnswer {
			t.Fatalf("got %+v", got)
		}
	}
	if got := reply(t, ask, "What is our revenue?"); got.Failure != nil || got.Answer.CannotAnswer {
		t.Errorf("a question that needs no values: got %+v", got)
	}
	full = false
	if got := reply(t, ask, "revenue in Boston"); got.Failure != nil || !strings.Contains(got.Answer.Query, `"Boston"`) {
		t.Errorf("with room again: got %+v", got)
	}
	read := map[string]int{}
	for _, q := range r.queries {
		if read[q]++; strings.Contains(q, "DISTINCT(") && read[q] > 1 {
			t.Errorf("read twice: %s", q)
		}
	}
}
