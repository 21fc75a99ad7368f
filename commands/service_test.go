package commands_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/commands"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore"
	"readiness/internal/testlog"
	"readiness/internal/wiring"
	"readiness/platform/folder"
	"readiness/projections"
	"readiness/vault"
	"readiness/work"
)

var (
	retail = uuid.MustParse("aaaaaaaa-0000-0000-0000-000000000001")
	paused = uuid.MustParse("aaaaaaaa-0000-0000-0000-000000000002")
	secret = uuid.MustParse("aaaaaaaa-0000-0000-0000-000000000003")
)

// model is the id of the n-th semantic model of the retail workspace.
func model(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("bbbbbbbb-0000-0000-0000-%012d", n))
}

// service has all parts of a command, with its own database and folder. Enqueued
// work is not carried out unless a test starts the queue.
type service struct {
	*commands.Commands
	pool  *pgxpool.Pool
	queue *work.Queue
	views *projections.Views
	root  string
	clock atomic.Pointer[time.Time]
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// newService has three workspaces: retail with n models, a paused one with one
// model, and one with one model that only bob can see.
func newService(t *testing.T, n int) *service {
	t.Helper()
	s := &service{pool: testlog.Pool(t), root: t.TempDir()}
	s.clock.Store(&noon)
	now := func() time.Time { return *s.clock.Load() }

	workspace(t, s.root, "Retail", map[string]any{"id": retail, "displayName": "Retail"})
	for i := range n {
		semanticModel(t, s.root, "Retail", fmt.Sprintf("Model %03d", i), model(i))
	}
	workspace(t, s.root, "Paused", map[string]any{"id": paused, "displayName": "Paused", "capacity": map[string]any{"id": "f8", "state": "Paused"}})
	semanticModel(t, s.root, "Paused", "Asleep", model(900))
	workspace(t, s.root, "Secret", map[string]any{"id": secret, "displayName": "Secret", "members": []string{"bob"}})
	semanticModel(t, s.root, "Secret", "Hidden", model(901))

	log, err := wiring.OpenLog(s.pool, now, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Engine.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	platform, err := folder.Open(s.root, folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wired, err := wiring.Wire(wiring.Parts{Log: log, VaultKey: bytes.Repeat([]byte{7}, vault.KeySize), PixieKey: bytes.Repeat([]byte{8}, 32), Now: now, Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	wired.Work.Platform, wired.Work.Permissions = platform, platform
	s.views = log.Views
	if s.queue, err = work.NewQueue(wired.Work); err != nil {
		t.Fatal(err)
	}
	s.Commands = wired.Commands
	s.Platform, s.Jobs = platform, s.queue
	return s
}

func (s *service) advance(d time.Duration) {
	at := s.clock.Load().Add(d)
	s.clock.Store(&at)
}

// ana is a caller whose token is valid for an hour from now.
func (s *service) ana(plan account.Plan) commands.Caller { return s.person("contoso", "ana", plan) }

func (s *service) person(accountID, name string, plan account.Plan) commands.Caller {
	return commands.Caller{
		Caller:       item.Caller{Account: accountID, Person: item.Person{ID: name}, Token: "eyJ.token"},
		Plan:         plan,
		Settings:     account.Settings{CapacityDetails: true},
		RequestID:    "request",
		TokenExpires: s.Now().Add(time.Hour),
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, data)
}

func workspace(t *testing.T, root, name string, settings map[string]any) {
	t.Helper()
	writeJSON(t, filepath.Join(root, name, "workspace.json"), settings)
}

func semanticModel(t *testing.T, root, workspace, name string, id uuid.UUID) {
	t.Helper()
	dir := filepath.Join(root, workspace, name+".SemanticModel")
	writeJSON(t, filepath.Join(dir, ".platform"), map[string]any{
		"metadata": map[string]any{"type": "SemanticModel", "displayName": name}, "config": map[string]any{"version": "2.0", "logicalId": id},
	})
	write(t, filepath.Join(dir, "definition.pbism"), []byte(`{"version":"4.2","settings":{}}`))
	write(t, filepath.Join(dir, "definition", "model.tmdl"), []byte("model Model\n\tculture: en-US\n\nref table Sales\n"))
	write(t, filepath.Join(dir, "definition", "tables", "Sales.tmdl"), []byte(
		"table Sales\n\n\tmeasure Revenue = SUM(Sales[Amount])\n\t\tformatString: #,0\n\n\tcolumn Amount\n\t\tdataType: double\n\t\tsummarizeBy: sum\n\t\tsourceColumn: Amount\n"))
}

// left counts the rows of each kind that a call may leave behind.
type left struct{ Events, Streams, Tokens, Keys, Jobs, Operations, Documents int }

func (s *service) left(t *testing.T) (l left) {
	t.Helper()
	err := s.pool.QueryRow(context.Background(), `SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM streams), (SELECT count(*) FROM step_tokens),
		(SELECT count(*) FROM idempotency_keys), (SELECT count(*) FROM river_job), (SELECT count(*) FROM operations_v2), (SELECT count(*) FROM documents)`).
		Scan(&l.Events, &l.Streams, &l.Tokens, &l.Keys, &l.Jobs, &l.Operations, &l.Documents)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// unchanged fails the test unless the counts equal before.
func (s *service) unchanged(t *testing.T, before left) {
	t.Helper()
	if d := cmp.Diff(before, s.left(t)); d != "" {
		t.Errorf("the call left a trace (-before +after):\n%s", d)
	}
}

// used returns how much of an allowance is used in the current window.
func (s *service) used(t *testing.T, accountID string, kind account.Kind, period account.Period) int {
	t.Helper()
	u := eventstore.FoldLast[account.Usage](account.AllowanceStream(accountID, kind, period, s.Now()))
	if err := s.Store.Load(context.Background(), u); err != nil {
		t.Fatal(err)
	}
	return u.State.Used
}
