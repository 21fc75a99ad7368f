// Package wiring connects the parts of the service, in one place for the program
// and the tests of all packages. It decides nothing and starts nothing.
package wiring

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/ai"
	"readiness/ai/answerer"
	"readiness/commands"
	"readiness/definition"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/schedule"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/eventstore/sealed"
	"readiness/internal/database"
	"readiness/projections"
	"readiness/storage/documents"
	"readiness/storage/people"
	"readiness/storage/vault"
	"readiness/work"
	"readiness/work/webhooks"
)

// NewID returns a new id: a UUID of version 7.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// Log is the event log of a database, with its views.
type Log struct {
	Pool      *pgxpool.Pool
	Engine    *projections.Engine
	Store     *eventstore.Store
	Views     *projections.Views
	People    *people.People // nil if who is
	Documents *documents.Store
	// Life shows that this process is alive, while something keeps it.
	Life *database.Life
	// Standby is the one that ReadFrom named, if any.
	Standby *eventstore.Standby
}

// ReadFrom lets a standby answer what it has of the history.
func (l *Log) ReadFrom(s *eventstore.Standby) {
	l.Standby, l.Views.Standby, l.Engine.Standby = s, s, s
}

// Unseal lets the log seal and open texts of persons under keys of accounts, which are stored under the key of the service. It has
// sealed.KeySize bytes.
func (l *Log) Unseal(service []byte) (err error) {
	l.Store.Keys, err = sealed.New(service)
	return err
}

// OpenLog wires the log in pool's database with the views, by default all of them.
// Without who, no person is found or named; until Unseal, no text of a person is sealed or opened. It does not query the database.
func OpenLog(pool *pgxpool.Pool, who *people.People, now func() time.Time, log *slog.Logger, views ...*projections.View) (*Log, error) {
	codec, err := eventstore.NewCodec(commands.Events()...)
	if err != nil {
		return nil, err
	}
	if views == nil {
		views = projections.All()
	}
	engine := projections.NewEngine(pool, views...)
	store := eventstore.New(pool, codec, eventstore.Options{Now: now, NewID: NewID, Logger: log, Inline: engine.Inline})
	stored := documents.New(pool)
	return &Log{Pool: pool, Engine: engine, Store: store, People: who, Documents: stored,
		Views: &projections.Views{Pool: pool, Store: store, People: who, Documents: stored},
		Life:  database.NewLife(pool, NewID())}, nil
}

// Parts are the inputs of Wire. Log, VaultKey, PixieKey and Now are required.
type Parts struct {
	Log *Log
	// VaultKey seals tokens and the keys of AI providers. It has vault.KeySize
	// bytes.
	VaultKey []byte
	// PixieKey makes the marks that identify an account's Pixies in reports. It has
	// at least 32 random bytes.
	PixieKey []byte
	Plans    account.Plans // by default account.DefaultPlans
	AI       ai.Options
	Logger   *slog.Logger // by default none
	Now      func() time.Time
	// CheckpointKey is the seed of the Ed25519 key that signs the heads of the log's trees; without it nothing is sealed.
	CheckpointKey []byte
	// Published is as in audit.Options.
	Published func(context.Context) ([][]byte, error)
	// Workers is how many steps read and write definitions at once, by default 1.
	// Asks is how many ask AI providers, by default work.DefaultAsks.
	Workers, Asks int
	// Regime is the regime of new assessments; by default the current one.
	Regime *readiness.Regime
	// PrivateWebhooks allows webhooks in the service's own network, and WebhookClient then makes the calls; nil is an ordinary one.
	PrivateWebhooks bool
	WebhookClient   *http.Client
	// Console is the public address of the console; "" for none.
	Console string
}

// Service is the result of Wire. The caller must set Platform, Permissions and
// Jobs, which differ between the program and tests.
type Service struct {
	Commands *commands.Commands
	Work     work.Options
	AI       *ai.Proposer
	Asker    *answerer.Asker // its Agents are set with the platform
	Webhooks *webhooks.Sender
	Audit    *audit.Log
}

// Wire connects the parts.
func Wire(p Parts) (*Service, error) {
	tokens, err := vault.New(p.Log.Pool, p.VaultKey)
	if err != nil {
		return nil, err
	}
	keys, err := vault.NewCredentials(p.Log.Pool, p.VaultKey)
	if err != nil {
		return nil, err
	}
	if len(p.PixieKey) < 32 {
		return nil, fmt.Errorf("wiring: the key of Pixies has %d bytes, want at least 32", len(p.PixieKey))
	}
	if p.Plans == nil {
		p.Plans = account.DefaultPlans()
	}
	p.Logger = cmp.Or(p.Logger, slog.New(slog.DiscardHandler))
	views := p.Log.Views
	proposer := ai.New(p.AI)
	service := commands.New(commands.Options{
		Pool: p.Log.Pool, Store: p.Log.Store, Documents: p.Log.Documents, Vault: tokens, People: p.Log.People, Keys: keys, Plans: p.Plans,
		Regime: p.Regime, Now: p.Now, NewID: NewID, Life: p.Log.Life,
		TrackedIn: views.TrackedIn, LatestAssessment: views.LatestAssessment, Reusing: views.AbRunsReusing, Overdue: views.Overdue,
		DueSlots:      views.DueSlots,
		DropDocuments: projections.DropDocuments, Tester: proposer, ViewNames: p.Log.Engine.Names(),
		Schedule: func(ctx context.Context, accountID string, id uuid.UUID) (schedule.Schedule, bool, error) {
			s, found, err := views.Schedule(ctx, accountID, id)
			return s.Schedule, found, err
		},
	})
	wired := &Service{Commands: service, AI: proposer}
	asker := answerer.New(answerer.Options{
		// The platform and its queries are set later.
		Definitions: func(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
			return service.Platform.Definition(ctx, as, it)
		},
		Rows: func(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error) {
			return wired.Work.Rows(ctx, as, workspaceID, modelID, dax)
		},
		Providers: service.Providers, Models: proposer, Now: p.Now, Log: p.Logger,
	})
	wired.Webhooks = sender(p, service)
	log, seal := sealing(p, service.Accounts)
	service.Accounts.HeadOf = headOf(log)
	wired.Audit, wired.Asker, wired.Work = log, asker, work.Options{
		Pool: p.Log.Pool, Store: p.Log.Store, Documents: p.Log.Documents, People: p.Log.People, Vault: tokens, Plans: p.Plans, Now: p.Now,
		NewID: NewID, Log: p.Logger,
		Proposer: proposer, Phraser: proposer, Asker: asker, Providers: service.Providers,
		TrackedReports: views.ReportsOnModel, PageViews: views.PageViews, StartDue: service.Schedules.StartDue,
		Unfinished: views.Unfinished, UnfinishedUpTo: views.UnfinishedUpTo, Seal: seal,
		OwnPixies: views.OwnPixies, PixieKey: p.PixieKey,
		PastRows: func(ctx context.Context, w io.Writer, account, view string, position int64) error {
			return p.Log.Engine.WriteAsOf(ctx, p.Log.Store, w, projections.AsOf{View: view, Position: position, Account: account})
		},
		Workers: max(1, p.Workers), Asks: cmp.Or(p.Asks, work.DefaultAsks),
		Regime: p.Regime, Regimes: service.Regimes,
	}
	return wired, nil
}
