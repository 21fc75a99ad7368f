package answerer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"readiness/ai/rulesengine"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/verdict"
)

// Bounds of the values that the embedded engine reads: columns of a model, values of a column, bytes of a value. A column with
// more values is not a list of names. After three failures the platform is not asked again. The time for reading exceeds a minute,
// because a platform may block queries for that long.
const (
	maxColumns  = 30
	maxValues   = 500
	maxValue    = 80
	maxFailures = 3
	readTimeout = 100 * time.Second
	// queryTimeout bounds the query of an answer.
	queryTimeout = 10 * time.Second
)

// reading reads the values of columns for one opened side, once, as the person, when the first question needs them.
type reading struct {
	asker   *Asker
	as      item.Caller
	view    view
	answers *rulesengine.Engine
	turn    chan struct{} // held while reading
	read    *rulesengine.Engine

	// Values read so far, the number of columns read, and how many of them failed.
	values            []rulesengine.Values
	columns, failures int
}

// engine returns the engine with the values of all columns that can be read. The error is the context's, or the
// platform's refusal because its quota is used up.
func (r *reading) engine(ctx context.Context) (*rulesengine.Engine, error) {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-r.turn }()
	if r.read != nil {
		return r.read, nil
	}
	err := r.resume(ctx)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return nil, err // the next question resumes
	}
	r.read = r.answers.WithValues(r.values, r.asker.Now())
	return r.read, nil
}

// resume reads the values of the text columns that the side sees, from where the last call stopped. It returns the refusal of a
// platform whose quota is used up.
func (r *reading) resume(ctx context.Context) error {
	if r.asker.Rows == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	at := 0
	for _, t := range r.view.Tables {
		for _, c := range t.Columns {
			if c.DataType != semanticmodel.String || c.IsEnd {
				continue
			}
			if at++; at <= r.columns {
				continue
			}
			if at > maxColumns || r.failures == maxFailures {
				return nil
			}
			column := reference(t.Name, c.Name)
			set, err := r.rows(ctx, "EVALUATE TOPN(501, DISTINCT("+column+"), "+column+")")
			if domain.IsRefused(err, domain.PlatformUnavailable) {
				return err
			}
			if ctx.Err() != nil {
				return nil
			}
			r.columns = at
			if err != nil {
				r.failures++
			}
			if texts := textsOf(set); err == nil && len(texts) > 0 {
				v := rulesengine.Values{FieldRef: rulesengine.FieldRef{Table: t.Name, Name: c.Name}, Texts: texts}
				v.Now, v.Before = r.fiscalYears(ctx, t, c)
				r.values = append(r.values, v)
			}
		}
	}
	return nil
}

// fiscalYears returns the values of a calendar's column of fiscal years on the day of the question and a year before it.
func (r *reading) fiscalYears(ctx context.Context, t readiness.ExposedTable, c readiness.ExposedColumn) (now, before string) {
	name := strings.ToLower(c.Name)
	date := slices.IndexFunc(t.Columns, func(c readiness.ExposedColumn) bool { return c.DataType == semanticmodel.DateTime })
	if !t.IsDate || date < 0 || !strings.Contains(name, "year") ||
		!strings.Contains(name, "fiscal") && !strings.Contains(name, "financial") {
		return "", ""
	}
	on := func(day time.Time) string {
		set, err := r.rows(ctx, fmt.Sprintf("EVALUATE CALCULATETABLE(DISTINCT(%s), %s = DATE(%d, %d, %d))", reference(t.Name, c.Name),
			reference(t.Name, t.Columns[date].Name), day.Year(), day.Month(), day.Day()))
		if texts := textsOf(set); err == nil && len(texts) == 1 {
			return texts[0]
		}
		return ""
	}
	today := r.asker.Now()
	return on(today), on(today.AddDate(-1, 0, 0))
}

// rows runs a query on the side's model.
func (r *reading) rows(ctx context.Context, dax string) (verdict.ResultSet, error) {
	return r.asker.Rows(ctx, r.as, *r.view.about.WorkspaceID, *r.view.about.SemanticModelID, dax)
}

// returnsNothing reports whether a query returns no rows, or one row of blanks.
func (r *reading) returnsNothing(ctx context.Context, dax string) bool {
	if r.asker.Rows == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	set, err := r.rows(ctx, dax)
	if err != nil || len(set.Rows) > 1 {
		return false
	}
	return len(set.Rows) == 0 || !slices.ContainsFunc(set.Rows[0], func(v verdict.Value) bool { return v != verdict.Value{} })
}

// textsOf returns the values of a result of one column; none if there are too many or one is too long for a name.
func textsOf(set verdict.ResultSet) (texts []string) {
	if set.Truncated || len(set.Rows) > maxValues {
		return nil
	}
	for _, row := range set.Rows {
		if len(row) != 1 {
			return nil
		}
		text, is := row[0].Text()
		if !is || strings.TrimSpace(text) == "" {
			continue
		}
		if len(text) > maxValue {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}
