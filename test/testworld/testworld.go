// Package testworld starts the service for a test: with its own database, a folder of
// workspaces as the platform, and a clock that the test sets. If READINESS_TEST_PLATFORM
// is fabric, the platform is an emulator of Fabric over the folder. The tests of commands,
// work, http and scenarios build on it and add only what they examine. Only tests import it.
package testworld

import (
	"bytes"
	"cmp"
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/ai/answerer"
	"readiness/cmd/readinessd/wiring"
	"readiness/commands"
	"readiness/domain/item"
	"readiness/eventstore/sealed"
	"readiness/platform/folder"
	"readiness/projections"
	"readiness/storage/people"
	"readiness/storage/vault"
	"readiness/test/testlog"
	"readiness/work"
	"readiness/work/webhooks"
)

// PixieKey is the key of every world that marks accounts in reports.
var PixieKey = bytes.Repeat([]byte{8}, 32)

// AccountsKey is the key under which every world stores the keys of its accounts.
var AccountsKey = bytes.Repeat([]byte{6}, sealed.KeySize)

// peopleKey is the key of the people of every world.
var peopleKey = bytes.Repeat([]byte{9}, people.KeySize)

// Options are what a test chooses for its world. All of them are optional.
type Options struct {
	Pool  *pgxpool.Pool       // by default of a fresh database
	Root  string              // the folder of workspaces, by default a temporary one
	Clock *Clock              // by default one that is stopped at Noon
	Views []*projections.View // by default all
	// Access returns what the platform grants a person. By default it grants
	// everything; Declared grants what the person's account declares.
	Access   func(ctx context.Context, as item.Caller) (map[item.Permission]item.Access, error)
	Declared bool
	// RandomIDs gives persons random ids, as the program does. By default an id is the
	// person's name, so that tests know it.
	RandomIDs bool
	// Parts are the inputs of wiring.Wire that differ from the usual ones. Its Log,
	// keys and Now are set by New.
	Parts wiring.Parts
}

// World is a service. Its Jobs are not set: the test chooses whether steps are
// recorded, enqueued or carried out.
type World struct {
	*commands.Commands
	Disk
	Clock  *Clock
	Pool   *pgxpool.Pool
	Engine *projections.Engine
	Views  *projections.Views
	Work   work.Options // of the queue
	// Agents is the asker of Work, whose Agents no platform sets here: tests use the rules engine instead of data agents.
	Agents *answerer.Asker
	// Sender makes and sends the messages to webhooks.
	Sender *webhooks.Sender
	// Over is the platform, which a test may replace in Commands and Work: Folder, or what is over it.
	Over   Platform
	Folder *folder.Platform

	options Options
}

// New returns a world without workspaces and accounts. Its database and its folder
// are removed when t ends.
func New(t testing.TB, o Options) *World {
	t.Helper()
	if o.Pool == nil {
		o.Pool = testlog.Pool(t)
	}
	if o.Clock == nil {
		o.Clock = StoppedAt(Noon)
	}
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	w := &World{Disk: Disk{o.Root}, Clock: o.Clock, Pool: o.Pool, options: o}
	log := w.open(t, o.Pool)
	Check(t, log.Engine.Create(t.Context()))
	w.Engine, w.Views = log.Engine, log.Views
	if o.Declared {
		o.Access = w.Views.Access
	}
	var err error
	w.Folder, err = folder.Open(o.Root, folder.Options{Logger: o.Parts.Logger, Access: o.Access})
	Check(t, err)
	w.Over = w.chosen(t)
	s := w.wire(t, log)
	w.Commands, w.Work, w.Agents, w.Sender = s.Commands, s.Work, s.Asker, s.Webhooks
	return w
}

// Process returns the service as another process on the same database and folder
// has it. It connects through pool.
func (w *World) Process(t testing.TB, pool *pgxpool.Pool) *wiring.Service {
	t.Helper()
	return w.wire(t, w.open(t, pool))
}

func (w *World) open(t testing.TB, pool *pgxpool.Pool) *wiring.Log {
	t.Helper()
	who, err := people.New(pool, peopleKey)
	if !w.options.RandomIDs {
		who, err = people.WithIDs(pool, peopleKey, func(p item.Person) item.PersonID { return item.PersonID(p.ID) })
	}
	Check(t, err)
	log, err := wiring.OpenLog(pool, who, w.Clock.Now, w.options.Parts.Logger, w.options.Views...)
	Check(t, err)
	Check(t, log.Unseal(AccountsKey))
	return log
}

func (w *World) wire(t testing.TB, log *wiring.Log) *wiring.Service {
	t.Helper()
	parts := w.options.Parts
	parts.Log, parts.Now = log, w.Clock.Now
	parts.VaultKey, parts.PixieKey = bytes.Repeat([]byte{7}, vault.KeySize), PixieKey
	parts.Workers = cmp.Or(parts.Workers, 2)
	s, err := wiring.Wire(parts)
	Check(t, err)
	s.Commands.Platform, s.Commands.Accounts.Permissions = w.Over, w.Over
	s.Work.Platform, s.Work.Permissions = w.Over, w.Over
	return s
}

// Check ends the test if err is an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
