package fabric

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/rowsets"
)

// arrow asks in the form of Arrow. The call is made once: where it fails, JSON is asked.
func (q query) arrow(ctx context.Context) (Rows, error) {
	const seconds = 10
	r, err := q.request("executeDaxQueries", map[string]any{"query": q.dax, "queryTimeout": seconds,
		"resultSetRowCountLimit": Rows{}.max() + 1}) // one more than is kept shows that there are more
	if err != nil {
		return Rows{}, err
	}
	r.once, r.header = true, http.Header{"Accept": {"application/vnd.apache.arrow.stream"}}
	ctx, cancel := context.WithTimeout(ctx, tries*callTimeout)
	defer cancel()
	a, err := q.p.call(ctx, r)
	if err != nil {
		return Rows{}, err
	}
	defer a.Close()
	body, err := a.text(q.p.bounds.answerBytes)
	if err != nil {
		return Rows{}, err
	}
	t, err := rowsets.Read(body, Rows{}.max())
	if fault, failed := errors.AsType[*rowsets.Fault](err); failed {
		fault.Code, fault.Words = line(fault.Code, maxCode), line(fault.Words, maxQuoted)
	}
	return Rows{t.Columns, t.Values, t.More}, err
}

// inJSON reports whether the same query may be answered in JSON though it was not in the form of Arrow. What ends or
// delays all calls of the person ends or delays this one too.
func (query) inJSON(ctx context.Context, err error) bool {
	if _, waits := errors.AsType[*item.Pending](err); waits || ctx.Err() != nil {
		return false
	}
	refusal, refused := domain.Refused(err)
	return !refused || !slices.Contains([]domain.Code{domain.Unauthorized, domain.TokenExpired, domain.PlatformConsentRequired,
		domain.CapacityPaused}, refusal.Code)
}
