package fabric

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
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

// ended is the error of an operation that gives no result, whenever it is asked again.
type ended struct {
	error
	gone bool // the platform does not know it, or not any longer
}

// Unwrap returns why it ended.
func (e *ended) Unwrap() error { return e.error }

// operation is a long-running operation of the platform.
type operation struct {
	id    string
	after time.Duration // until the platform wants to be asked; 0 for an operation that an earlier call began
}

// operationOf reads the headers of a 202. Of Location it takes at most the id: it names another host. ok is false when
// the platform names no operation, as for work that is done and has no result.
func (p *Platform) operationOf(h http.Header) (o operation, ok bool) {
	id, err := uuid.Parse(h.Get("x-ms-operation-id"))
	if err != nil {
		_, after, _ := strings.Cut(h.Get("Location"), "/operations/")
		if id, err = uuid.Parse(after); err != nil {
			return operation{}, false
		}
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
	began, pause := p.now(), min(firstPoll, o.after)
	if p.answers(of.as.Person).EarlyPollsBlocked {
		pause = o.after
	}
	for {
		if !fits(ctx, pause) || p.now().Sub(began) > longestRead {
			return &item.Pending{After: pause, Begun: true}
		}
		if err := p.wait(ctx, pause); err != nil {
			return err
		}
		done, after, err := p.poll(ctx, of, o)
		if err != nil || done {
			return err
		}
		if of.as.Work != uuid.Nil && !of.stays {
			return &item.Pending{After: after, Begun: true}
		}
		pause = after
	}
}

// soon is when the state of an operation is first looked at, if the platform does not say.
func (p *Platform) soon(person item.Person) time.Duration {
	if p.answers(person).EarlyPollsBlocked {
		return defaultPoll
	}
	return firstPoll
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
	var text json.RawMessage
	if err := a.decode(p.bounds.answerBytes, &text); err != nil {
		return false, 0, p.garbled(ctx, r, err)
	}
	switch s := lenient[operationState](text); s.Status {
	case "Succeeded", "Completed":
		return true, 0, nil
	case "Failed":
		return false, 0, &ended{error: s.failed(of, p.answers(of.as.Person))}
	case "":
		return false, 0, p.garbled(ctx, r, errors.New("it has no status"))
	}
	return false, p.pollAfter(a.header), nil // Running, NotStarted, Undefined, and what the platform adds later
}

// result makes the call for the result of an operation that has succeeded.
func (p *Platform) result(ctx context.Context, of request, o operation) (*answer, request, error) {
	r := p.ofOperation(of, "/operations/"+o.id+"/result", "GET /operations/{o}/result")
	a, err := p.call(ctx, r)
	return a, r, err
}

func (s operationState) failed(of request, known Answers) error {
	f := s.Error
	if f == nil {
		f = &failure{}
	}
	if f.name(f.Code); f.Code == "" {
		return domain.Refuse(domain.PlatformUnavailable, "the platform began %s and failed without saying why; try again", of.route).
			After(5 * time.Second)
	}
	f.met = known.means(f.Code, of.route)
	return f.refusal(of.about)
}

// ofOperation returns the request for the state or the result of an operation that of began.
func (p *Platform) ofOperation(of request, path, route string) request {
	of.about.operation = true
	return request{as: of.as, permission: of.permission, host: p.fabric, method: http.MethodGet, path: path, route: route,
		bucket: quota.Operations, urgency: quota.Poll, about: of.about}
}
