package fabric

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/quota"
)

const (
	// callTimeout bounds one exchange without reading its body; bodyTimeout bounds it with the body of a definition.
	callTimeout = 30 * time.Second
	bodyTimeout = 2 * time.Minute
	// tries is how often a call is made that the network or the platform failed.
	tries = 3
	// patience is the longest time that a call waits for a 429 to pass before it is refused.
	patience = 10 * time.Second
	// longestHold bounds a Retry-After.
	longestHold = quota.MaxHold
)

// request is one call.
type request struct {
	as         item.Caller
	permission item.Permission
	host       *url.URL
	method     string
	path       string // below the host's path; ids in it are ids
	query      string // encoded
	body       []byte // JSON
	route      string // the method and the path with its ids left out
	bucket     string // as quota.Call
	urgency    int
	once       bool          // not repeated, because it changes something
	limit      int           // of the answer's size, if it is lower than the usual one
	stays      bool          // polls as long as its caller can wait, in a step of work too
	header     http.Header   // further headers
	mcp        bool          // to an MCP server, which answers 400 to a version of the protocol that it does not know
	patient    time.Duration // how long the answer may take to begin; 0 for the usual time
	about      subject
}

// answer is what the platform returned. The caller closes it.
type answer struct {
	status int
	header http.Header
	body   io.ReadCloser
}

// Close ends the exchange.
func (a *answer) Close() { _ = a.body.Close() }

// text reads a body of at most limit bytes.
func (a *answer) text(limit int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(a.body, int64(limit)+1))
	if err == nil && len(text) > limit {
		err = errTooLarge
	}
	return text, err
}

// decode reads a body of at most limit bytes into out.
func (a *answer) decode(limit int, out any) error {
	text, err := a.text(limit)
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), out)
}

var errTooLarge = errors.New("the answer is larger than the service reads")

// get makes a call and decodes its answer.
func (p *Platform) get(ctx context.Context, r request, out any) error {
	ctx, cancel := context.WithTimeout(ctx, tries*callTimeout)
	defer cancel()
	a, err := p.call(ctx, r)
	if err != nil {
		return err
	}
	defer a.Close()
	limit := p.bounds.answerBytes
	if r.limit > 0 {
		limit = min(limit, r.limit)
	}
	if err := a.decode(limit, out); err != nil {
		return p.garbled(ctx, r, err)
	}
	return nil
}

// call makes a call and returns an answer of status 2xx, or the 400 of an MCP server. It repeats a call that failed on the way or at
// the platform,
// and one that the platform blocked for a short time. For the work of an operation, a block of any length is an
// *item.Pending.
func (p *Platform) call(ctx context.Context, r request) (*answer, error) {
	ready, err := p.prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	return p.send(ctx, ready)
}

// prepared is a call that has all it has to wait for.
type prepared struct {
	request
	token string
}

func (r request) limited() quota.Call {
	return quota.Call{Bucket: r.bucket, Person: r.as.Person.ID, Route: r.route, Urgency: r.urgency}
}

// prepare gets the call's token and waits until it may be made.
func (p *Platform) prepare(ctx context.Context, r request) (prepared, error) {
	token, err := p.tokens(ctx, r.as, r.permission)
	if err == nil {
		err = p.admit(ctx, r.limited(), r.as.Work != uuid.Nil)
	}
	return prepared{r, token}, err
}

// refused reads why the platform refused a call, and closes the answer.
func (p *Platform) refused(a *answer, r prepared) *failure {
	defer a.Close()
	failed := readFailure(a)
	failed.met = p.answers(r.as.Person).means(failed.Code, r.route)
	failed.retryAfter = failed.wait(p.retryAfter(a.header), p.now())
	p.log.Info("the platform refused a call", "route", r.route, "status", failed.status, "errorCode", failed.Code,
		"platformRequestId", failed.RequestID)
	return failed
}

// send makes a prepared call.
func (p *Platform) send(ctx context.Context, r prepared) (*answer, error) {
	counted, challenged := r.limited(), false
	for try := 1; ; try++ {
		if try > 1 {
			if err := p.admit(ctx, counted, r.as.Work != uuid.Nil); err != nil {
				return nil, err
			}
		}
		if err := p.valid(r.as); err != nil {
			return nil, err
		}
		a, err := p.exchange(ctx, r.request, r.token)
		if ctx.Err() != nil {
			if a != nil {
				a.Close()
			}
			return nil, ctx.Err()
		}
		last := try == tries || r.once
		var pause time.Duration
		switch {
		case err != nil:
			p.log.Warn("a call to the platform failed", "route", r.route, "try", try, "error", reason(err))
			if last {
				return nil, domain.Refuse(domain.PlatformUnavailable, "the platform cannot be reached (%s); try again", reason(err)).
					After(5 * time.Second)
			}
			pause = time.Duration(try) * time.Second
		case a.status/100 == 2:
			return a, nil
		default:
			failed := p.refused(a, r)
			if r.mcp && failed.status == http.StatusBadRequest && failed.Code == "HTTP 400" {
				return &answer{failed.status, a.header, io.NopCloser(bytes.NewReader(failed.body))}, nil
			}
			if failed.throttled() {
				if err := p.limits.Hold(ctx, counted, failed.retryAfter); err != nil {
					p.log.Warn("a hold of the platform is not shared with other processes", "error", err)
				}
			}
			if failed.claims != "" && !challenged && p.challenged != nil {
				// Nothing began, so even a call that changes something is made again, with a token that has the claims.
				challenged = true
				var err error
				if r.token, err = p.challenged(ctx, r.as, r.permission, failed.claims); err != nil {
					return nil, err
				}
				continue
			}
			switch {
			case failed.throttled() && r.as.Work != uuid.Nil && (last || failed.retryAfter > patience):
				return nil, &item.Pending{After: failed.retryAfter}
			}
			pause = max(failed.retryAfter, time.Duration(try)*time.Second)
			end, limited := ctx.Deadline() // within which the call must wait and be answered
			if last || !failed.passes() || failed.retryAfter > patience || limited && time.Until(end) < 2*pause {
				return nil, failed.refusal(r.about)
			}
		}
		if err := p.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// exchange makes one call. The answer's body can be read until ctx or the timeout ends.
func (p *Platform) exchange(ctx context.Context, r request, token string) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, bodyTimeout)
	u := *r.host
	u.Path += r.path
	u.RawQuery = r.query
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), bytes.NewReader(r.body))
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(req.Header, r.header)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("User-Agent", "readiness")
	patient, client := callTimeout, p.client
	switch {
	case r.patient > 0:
		patient, client = r.patient, p.slow
	case len(r.body) > 1<<20:
		patient = bodyTimeout // sending takes time, too
	}
	late := time.AfterFunc(patient, cancel)
	res, err := client.Do(req)
	if !late.Stop() && err == nil {
		_ = res.Body.Close()
		err = context.DeadlineExceeded
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &answer{status: res.StatusCode, header: res.Header, body: closing{res.Body, cancel}}, nil
}

// closing is a body whose exchange ends when it is closed.
type closing struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (c closing) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}

// reason is the part of err that names neither the address nor the query.
func reason(err error) string {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection ended early"
	}
	return err.Error()
}

// garbled returns the refusal for an answer that cannot be read.
func (p *Platform) garbled(ctx context.Context, r request, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.log.Error("an answer of the platform cannot be read", "route", r.route, "error", reason(err))
	return domain.Refuse(domain.PlatformUnavailable, "the platform's answer to %s cannot be read (%s); try again", r.route, reason(err)).
		After(5 * time.Second)
}

// retryAfter reads the header Retry-After, in seconds or as a date: 0 if there is none, else at least a second and at
// most longestHold.
func (p *Platform) retryAfter(h http.Header) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	d := time.Duration(0)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil || math.IsInf(seconds, 1) {
		d = time.Duration(min(max(seconds, 0), longestHold.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(text); err == nil {
		d = at.Sub(p.now())
	}
	return min(max(d, time.Second), longestHold)
}
