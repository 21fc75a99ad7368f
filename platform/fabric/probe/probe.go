// Package probe tests undocumented behavior of a tenant of Microsoft Fabric: it creates a semantic
// model and a report in a workspace for trials, reads and writes them as the service does, and deletes them. It changes no
// other item. What it reports has neither names nor data.
package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/pace"
	"readiness/platform/fabric"
	"readiness/platform/fabric/iq"
	"readiness/platform/fabric/mcpclient"
)

// Probe is a probe of the tenant of one person.
type Probe struct {
	// Fabric reaches the platform. Its Probed and Writing are the probe's own.
	Fabric fabric.Options
	// Workspace is where items are created.
	Workspace uuid.UUID
	// Paused is a workspace whose capacity is paused, Labelled a semantic model in Workspace whose label protects it. Without
	// them, their questions are not asked.
	Paused, Labelled uuid.UUID
	// Largest is the size up to which larger definitions are tried, in MiB.
	Largest int
	// GenerateQuery asks whether Generate Query is there and is understood; a query for the probe's model is then written.
	GenerateQuery bool
	// Report takes each question with its answer.
	Report func(question, answer string)
}

const (
	// longest bounds a probe. Creating a model was seen to take four minutes.
	longest = 45 * time.Minute
	// cleaning bounds the deletion of the probe's items, which also waits for an item that is being created.
	cleaning = 10 * time.Minute
	// MaxLargest bounds Probe.Largest.
	MaxLargest = 64
	// Prefix begins the names of the items that a probe makes.
	Prefix = "readiness-probe-"
)

// Run probes as the person, and deletes what it made, also after a failure and when ctx ends. Its error says why there are
// no answers, or what is left; the answers are complete if complete is true, even if something is left.
func (p *Probe) Run(ctx context.Context, as item.Caller) (answers fabric.Answers, complete bool, err error) {
	r := &run{Probe: p, as: as, name: Prefix + uuid.NewString()[:8]}
	if err := r.open(); err != nil {
		return answers, false, err
	}
	bounded, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	err = r.ask(bounded)
	cleaner, cancelCleaner := context.WithTimeout(context.WithoutCancel(ctx), cleaning)
	defer cancelCleaner()
	left := r.clean(cleaner)
	if ctx.Err() != nil {
		err = fmt.Errorf("the probe was stopped: %w", context.Cause(ctx))
	}
	return r.answers, err == nil, errors.Join(err, left)
}

// run is one run of a probe.
type run struct {
	*Probe
	as       item.Caller
	name     string // of what it makes
	platform *fabric.Platform
	wait     func(context.Context, time.Duration) error
	asking   *iq.Client

	model, report item.Item
	began         bool     // something may have been made
	unanswered    bool     // a creation may have begun
	creating      []string // operations that may not have ended
	made          []item.Item
	failed        bool // something was not kept

	mu      sync.Mutex
	answers fabric.Answers
}

// open returns the platform. It behaves by the answers so far, and writes the probe's own items even if parts are hidden.
func (r *run) open() (err error) {
	o := r.Fabric
	o.Writing = func(context.Context, item.Caller) error { return nil }
	o.Probed = func(item.Person) fabric.Answers {
		r.mu.Lock()
		defer r.mu.Unlock()
		known := r.answers
		known.HiddenKept = true
		return known
	}
	if o.Wait == nil {
		o.Wait = pace.Wait
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Transport == nil {
		o.Transport = fabric.NewTransport(nil)
	}
	r.wait, r.Fabric.Now = o.Wait, o.Now
	if o.IQURL != "" {
		r.asking = &iq.Client{URL: o.IQURL, Transport: o.Transport, Tokens: o.Tokens, MCP: mcpclient.New()}
	}
	r.platform, err = fabric.New(o)
	return err
}

// learn changes the answers.
func (r *run) learn(change func(*fabric.Answers)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.answers)
}

// ask asks everything. An error means that the platform did not answer, or not this person.
func (r *run) ask(ctx context.Context) error {
	if _, err := r.platform.Workspace(ctx, r.as, r.Workspace); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{r.makeModel, r.earlyPolls, r.modelKept, r.queries, r.generated, r.labels, r.sizes,
		r.makeReport, r.reportKept, r.paused} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	r.learn(func(a *fabric.Answers) { a.Passed, a.ProbedAt = !r.failed, r.Fabric.Now().UTC() })
	r.Report("passed", yes(!r.failed, "writes may be turned on for this tenant", "writes stay off for this tenant"))
	return nil
}

// keeps reports whether something was kept; if it was not, the probe has not passed.
func (r *run) keeps(question string, kept bool, otherwise string) {
	r.failed = r.failed || !kept
	r.Report(question, yes(kept, "", otherwise))
}

func yes(is bool, then, otherwise string) string {
	text, more := "yes", then
	if !is {
		text, more = "no", otherwise
	}
	if more != "" {
		text += "; " + more
	}
	return text
}

// reasonOf returns the reason of a refusal by the tenant. It returns other errors unchanged: that nothing answered,
// or that the person has to sign in or consent.
func reasonOf(err error) (why string, _ error) {
	refusal, refused := domain.Refused(err)
	if !refused {
		return "", err
	}
	switch refusal.Code {
	case domain.PlatformUnavailable, domain.TokenExpired, domain.Unauthorized, domain.PlatformConsentRequired:
		return "", err
	}
	return string(refusal.Code), nil
}

// once makes a call as the person.
func (r *run) once(ctx context.Context, c fabric.Call) (fabric.Answered, error) {
	c.Permission = cmp.Or(c.Permission, item.PermissionPlatform)
	return r.platform.Once(ctx, r.as, c)
}

// in returns the path of the workspace for trials.
func (r *run) in() string { return "/workspaces/" + r.Workspace.String() }

// blockedFor returns how long the platform blocks calls; false if the answer is no block.
func blockedFor(a fabric.Answered) (time.Duration, bool) {
	if a.Status != http.StatusTooManyRequests {
		return 0, false
	}
	return cmp.Or(a.After, 30*time.Second), true
}
