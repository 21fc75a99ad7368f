package fabric

import (
	"context"
	"fmt"
	"time"

	"readiness/domain/item"
	"readiness/platform/quota"
)

// Call is a call that a probe makes in order to see how the platform answers it.
type Call struct {
	Permission item.Permission
	PowerBI    bool // at Power BI's host, else at Fabric's
	Method     string
	Path       string // below the host's path
	Route      string // the method and the path with its ids left out
	Body       []byte // JSON
}

// Answered is how the platform answered.
type Answered struct {
	Status int
	// Code is the platform's errorCode; "" for a status of 2xx.
	Code string
	// After is the header Retry-After, Operation the id of the long-running operation that began; both may be absent.
	After     time.Duration
	Operation string
	Body      []byte // of a status of 2xx
}

// Once makes one call, without repeating it. An error means that nothing was answered.
func (p *Platform) Once(ctx context.Context, as item.Caller, c Call) (Answered, error) {
	r := request{as: as, permission: c.Permission, host: p.fabric, method: c.Method, path: c.Path, body: c.Body, route: c.Route,
		bucket: quota.Platform}
	if c.PowerBI {
		r.host = p.powerBI
	}
	ready, err := p.prepare(ctx, r)
	if err == nil {
		err = p.valid(as)
	}
	if err != nil {
		return Answered{}, err
	}
	a, err := p.exchange(ctx, ready.request, ready.token)
	switch {
	case ctx.Err() != nil:
		return Answered{}, ctx.Err()
	case err != nil:
		return Answered{}, fmt.Errorf("%s: %s", c.Route, reason(err))
	}
	defer a.Close()
	got := Answered{Status: a.status, After: p.retryAfter(a.header)}
	if a.status/100 != 2 {
		got.Code = readFailure(a).Code
		return got, nil
	}
	if o, named := p.operationOf(a.header); named {
		got.Operation = o.id
	}
	got.Body, err = a.text(p.bounds.answerBytes)
	return got, err
}
