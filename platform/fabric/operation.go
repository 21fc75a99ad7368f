package fabric

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/quota"
)

const (
	// firstPoll is when the state of a long-running operation is first looked at. The platform asks for 20 s, but ends
	// most within a second.
	firstPoll = 2 * time.Second
	// defaultPoll is how often it is looked at when the platform does not say.
	defaultPoll = 20 * time.Second
	longestPoll = time.Minute
	// reserve is the part of a caller's time that is kept for the result.
	reserve = 10 * time.Second
)

// operationState is the state of a long-running operation. Its times are not read: they have no zone.
type operationState struct {
	Status string
	Error  *failure
}

// operation is a long-running operation of the platform.
type operation struct {
	id    string
	after time.Duration // until the platform wants to be asked
	// resumed reports that an earlier call began it.
	resumed bool
}

// operationOf reads the headers of a 202. Location is not read: it names another host. ok is false when the platform
// names no operation, as for work that is done and has no result.
func (p *Platform) operationOf(h http.Header) (o operation, ok bool) {
	id, err := uuid.Parse(h.Get("x-ms-operation-id"))
	if err != nil {
		return operation{}, false
	}
	return operation{id: id.String(), after: p.pollAfter(h)}, true
}

func (p *Platform) pollAfter(h http.Header) time.Duration {
	if d := p.retryAfter(h); d > 0 {
		return min(d, longestPoll)
	}
	return defaultPoll
}

// finish polls the operation until it has succeeded. It returns a *item.Pending when the operation lasts longer than the
// caller can wait; a caller that acts for an operation of the service is not kept waiting beyond the first poll.
func (p *Platform) finish(ctx context.Context, of request, o operation) error {
	pause := min(firstPoll, o.after)
	for {
		if !fits(ctx, pause) {
			return &item.Pending{After: pause}
		}
		if err := p.wait(ctx, pause); err != nil {
			return err
		}
		done, after, err := p.poll(ctx, of, o)
		if err != nil || done {
			return err
		}
		if of.as.Work != uuid.Nil {
			return &item.Pending{After: after}
		}
		pause = after
	}
}

// fits reports whether a call after the pause can still answer before ctx ends.
func fits(ctx context.Context, pause time.Duration) bool {
	deadline, bounded := ctx.Deadline()
	return !bounded || time.Until(deadline) > pause+reserve
}

// poll asks for the state of the operation once. A failed operation is a refusal.
func (p *Platform) poll(ctx context.Context, of request, o operation) (done bool, after time.Duration, err error) {
	r := p.ofOperation(of, "/operations/"+o.id, "GET /operations/{o}")
	ctx, cancel := context.WithTimeout(ctx, tries*callTimeout)
	defer cancel()
	a, err := p.call(ctx, r)
	if err != nil {
		return false, 0, err
	}
	defer a.Close()
	var s operationState
	if err := a.decode(p.bounds.answerBytes, &s); err != nil {
		return false, 0, p.garbled(ctx, r, err)
	}
	switch s.Status {
	case "Succeeded", "Completed":
		return true, 0, nil
	case "Failed":
		return false, 0, s.failed(of)
	}
	return false, p.pollAfter(a.header), nil // Running, NotStarted, Undefined, and what the platform adds later
}

func (s operationState) failed(of request) error {
	f := s.Error
	if f == nil || f.Code == "" {
		return domain.Refuse(domain.PlatformUnavailable, "the platform began %s and failed without saying why; try again", of.route).
			After(5 * time.Second)
	}
	if _, known := codes[f.Code]; !known && len(f.Details) > 0 {
		if _, known := codes[f.Details[0].Code]; known {
			f.Code = f.Details[0].Code
		}
	}
	return f.refusal(of.about)
}

// ofOperation returns the request for the state or the result of an operation that of began.
func (p *Platform) ofOperation(of request, path, route string) request {
	return request{as: of.as, permission: of.permission, host: p.fabric, method: http.MethodGet, path: path, route: route,
		bucket: quota.Operations, urgency: quota.Poll, about: of.about}
}
