// Package webhooks makes messages of events and sends them to the webhooks of accounts (docs/decisions.md 25). A follower of the log makes
// them, a sender in every process that works sends them. Both only pass on: what a message says, and when it is sent again, is decided by
// the domain. The package never logs an address, or an error of a connection, which has one.
package webhooks

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"readiness/commands"
	"readiness/definition/semanticmodel"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/domain/webhook"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/internal/publicnet"
	"readiness/storage/deliveries"
)

const (
	// DefaultTimeout is how long an attempt may take, with all of its answer that is read.
	DefaultTimeout = 10 * time.Second
	// maxAnswer and maxHeader bound how many bytes of an answer are read.
	maxAnswer = 4 << 10
	maxHeader = 16 << 10
	// poll is how often a sender looks for due messages.
	poll = 200 * time.Millisecond
	// The limits of a process: how many webhooks it sends to at once, of an account, and of those whose last attempt failed.
	size, share, failing = 16, 2, 8
	// turn is how many messages a webhook is sent, within the timeout, before others get their turn.
	turn = 100
	// endTimeout bounds what is recorded while the process ends.
	endTimeout = 5 * time.Second
)

// Options are what a sender needs.
type Options struct {
	Store    *eventstore.Store
	Webhooks *commands.Webhooks
	Plans    account.Plans
	// ScoreBefore returns the newest earlier score of the assessment's item that rests on the same; nil if there is none.
	ScoreBefore func(ctx context.Context, accountID string, a assessment.Assessment) (*int, error)
	// ScoredBefore returns the item's newest earlier assessment that has a score; nil if there is none.
	ScoredBefore func(ctx context.Context, accountID string, a assessment.Assessment) (*assessment.Assessment, error)
	// AIFormatBefore returns the format of the item's newest earlier assessment that knows it; empty if none does.
	AIFormatBefore func(ctx context.Context, accountID string, a assessment.Assessment) (semanticmodel.AIFormat, error)
	// Operation returns what an operation does, and on what; false if there is none.
	Operation func(ctx context.Context, accountID string, id uuid.UUID) (operation.Type, operation.Resource, bool, error)
	// Unassessed returns the names of an item whose assessment failed, from the view of failures; false if there is none.
	Unassessed func(ctx context.Context, accountID string, operationID, itemID uuid.UUID) (webhook.Unassessed, bool, error)
	// Life is this process; it must have been taken.
	Life *database.Life
	Now  func() time.Time
	Log  *slog.Logger
	// PrivateAddresses allows addresses in the service's own network. Client then makes the calls; nil is an ordinary one.
	PrivateAddresses bool
	Client           *http.Client
	// Console is the public address of the console, to which messages link; "" for none.
	Console string
	// Timeout is how long an attempt may take; 0 means DefaultTimeout.
	Timeout time.Duration
}

// Sender makes messages and sends them.
type Sender struct {
	Options
	calls    http.Client
	rows     deliveries.Rows
	wake     chan struct{} // a lane has ended
	attempts *prometheus.CounterVec

	mu   sync.Mutex
	busy map[uuid.UUID]deliveries.Lane // by webhook
}

// New returns a sender.
func New(o Options) *Sender {
	s := &Sender{Options: o, rows: o.Webhooks.Rows, wake: make(chan struct{}, 1), busy: map[uuid.UUID]deliveries.Lane{},
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "readiness_webhook_attempts_total", Help: "Attempts to send a message to a " +
			"webhook, by outcome: delivered, later (it is sent again), parked (it is not), or ended (its webhook is disabled or gone)."},
			[]string{"outcome"})}
	for _, outcome := range []string{"delivered", "later", "parked", "ended"} {
		s.attempts.WithLabelValues(outcome) // so that the first one is an increase
	}
	s.Log, s.Timeout = cmp.Or(s.Log, slog.New(slog.DiscardHandler)), cmp.Or(s.Timeout, DefaultTimeout)
	switch {
	case !o.PrivateAddresses:
		transport := publicnet.Transport().Clone()
		transport.MaxResponseHeaderBytes = maxHeader
		s.calls = http.Client{Transport: transport}
	case o.Client != nil:
		s.calls = *o.Client
	}
	s.calls.CheckRedirect, s.calls.Jar, s.calls.Timeout = notFollowed, nil, s.Timeout
	return s
}

// Metrics returns the metrics of what this process sends, for a registry.
func (s *Sender) Metrics() []prometheus.Collector { return []prometheus.Collector{s.attempts} }

// outcomeOf returns what an attempt came to, for the metrics.
func outcomeOf(a deliveries.Attempt) string {
	switch {
	case a.State == webhook.Delivered:
		return "delivered"
	case a.State == webhook.Waiting:
		return "later"
	case a.Reason == webhook.Gone || a.Reason == webhook.NotEnabled:
		return "ended"
	}
	return "parked"
}

func notFollowed(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// run runs statements in the transaction.
func run(ctx context.Context, tx pgx.Tx, b *pgx.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, b).Close()
}
