//go:build hard

package soak_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/commands"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/projections"
	"readiness/test/scenarios/program"
	"readiness/test/testworld"
)

// reading is a service that reads its history from a standby.
type reading struct {
	*program.Program
	*replicated
}

// history returns the positions of the account's events, read page by page over HTTP.
func (r *reading) history() string {
	r.Helper()
	var positions []string
	for path := "/v1/audit/events?maxResults=7"; path != ""; {
		status, got, err := program.Exchange(r.Context(), r.Base, r.Token, http.MethodGet, path, nil)
		if err != nil || status != http.StatusOK {
			r.Fatalf("got %d %v, %v", status, got, err)
		}
		for _, e := range got["value"].([]any) {
			positions = append(positions, fmt.Sprint(int64(e.(map[string]any)["position"].(float64))))
		}
		path = ""
		if next, more := got["continuationUri"].(string); more {
			at, err := url.Parse(next)
			testworld.Check(r, err)
			path = at.RequestURI()
		}
	}
	return strings.Join(positions, " ")
}

// same compares the history with the primary's log, read before and after.
func (r *reading) same(when string) {
	r.Helper()
	const all = `SELECT coalesce(string_agg(position::text, ' ' ORDER BY position), '') FROM events WHERE account_id = 'acme'`
	before := r.sql("one", all)
	if got, after := r.history(), r.sql("one", all); !strings.HasPrefix(after, got) || !strings.HasPrefix(got, before) {
		r.Errorf("%s: got %s\nwant at least %s\nof %s", when, got, before, after)
	}
}

// runs runs the program and returns its exit code and output.
func (r *reading) runs(args ...string) (code int, stdout, stderr string) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), program.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.Binary, append(args, "--data", r.Program.Data)...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			r.Fatal(err)
		}
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// refused runs the program, which must end with the exit code and say why.
func (r *reading) refused(code int, says string, args ...string) {
	r.Helper()
	if got, out, errs := r.runs(args...); got != code || !strings.Contains(out+errs, says) {
		r.Errorf("readiness %s: got exit code %d, want %d and %q\n%s%s", strings.Join(args, " "), got, code, says, out, errs)
	}
}

// output runs the program, which must succeed.
func (r *reading) output(args ...string) (stdout, stderr string) {
	r.Helper()
	code, out, errs := r.runs(args...)
	if code != 0 {
		r.Errorf("readiness %s: got exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out, errs
}

// accepted makes a call that changes something.
func (r *reading) accepted(path string) {
	r.Helper()
	_ = r.sql("one", "TRUNCATE rate_windows")
	r.Await("a call is accepted", func() bool {
		status, _, err := program.Exchange(r.Context(), r.Base, r.Token, http.MethodPost, path, nil)
		return err == nil && status == http.StatusAccepted
	})
}

// standby opens the standby as the service does, without knowledge of some types of events.
func (r *reading) standby(unknown ...string) (*eventstore.Store, *eventstore.Standby) {
	r.Helper()
	codec, err := eventstore.NewCodec(slices.DeleteFunc(commands.Events(), func(t eventstore.Type) bool {
		return slices.Contains(unknown, t.Example.EventType())
	})...)
	testworld.Check(r, err)
	pool, err := pgxpool.New(r.Context(), r.replicated.url("one"))
	testworld.Check(r, err)
	r.Cleanup(pool.Close)
	log := eventstore.New(pool, codec, eventstore.Options{})
	s, err := log.Standby(r.Context(), r.replicated.url("two"), func(*pgxpool.Config) {})
	testworld.Check(r, err)
	r.Cleanup(s.Close)
	return log, s
}

// TestHardStandbyReads reads the history from a standby that lags, is frozen, cancels reads, belongs to another cluster, and diverges after a
// promotion. Over HTTP nothing is ever missing; commands report what they read, or refuse.
//
// proves: decisions/9/read-standby
func TestHardStandbyReads(t *testing.T) {
	t.Parallel()
	r := &reading{replicated: newReplicated(t)}
	one, two := r.replicated.url("one"), r.replicated.url("two")
	r.Program = program.New(t, []string{"ada"}, "--database-url", one)
	r.Args = append(r.Args, "--read-database-url", two)
	model := uuid.New()
	r.Item(t, "Retail", "Sales.SemanticModel", "Sales", model)
	r.Put(program.Table(0), "Sales.SemanticModel", "definition", "tables", "T.tmdl")
	p := r.Launch()
	defer p.Kill()
	assess := "/v1/workspaces/" + r.WorkspaceID.String() + "/semanticModels/" + model.String() + "/aiReadiness/assess"
	r.accepted(assess)
	r.Await("the standby serves", func() bool {
		r.same("at first")
		return r.sql("two", `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'readiness' AND query LIKE '%FROM events%LIMIT%'`) != "0"
	})

	r.lags(assess)
	r.commands()
	r.conflicts()
	r.signal("two", syscall.SIGSTOP)
	began := time.Now()
	r.same("while the standby is frozen")
	t.Logf("a history while the standby is frozen took %s", time.Since(began).Round(time.Millisecond))
	r.signal("two", syscall.SIGCONT)

	other, stop := r.Start("three", nil)
	r.output("migrate", "up", "--database-url", other)
	r.refused(1, "another cluster", "serve", "--listen", "127.0.0.1:0", "--platform", "folder:"+r.Root, "--database-url", one, "--read-database-url", other)
	r.refused(1, "another cluster", "events", "verify", "--database-url", one, "--read-database-url", other)
	r.refused(3, "another cluster", "doctor", "--database-url", one, "--read-database-url", other)
	stop()

	r.sql("one", "ALTER SYSTEM RESET synchronous_standby_names")
	r.sql("one", "SELECT pg_reload_conf()")
	r.AsServer("pg_ctl", "-D", r.replicated.data("two"), "-w", "promote")
	more := filepath.Join(t.TempDir(), "more.yaml")
	testworld.Check(t, os.WriteFile(more, []byte("accounts:\n  - {accountId: acme, plan: Enterprise, people: [{person: ada, role: admin}, {person: eve, role: admin}]}\n"), 0o600))
	r.output("accounts", "apply", more, "--database-url", two) // a different history
	r.accepted(assess)
	r.same("after the standby was promoted")
	r.refused(1, "takes writes", "events", "export", "--read-database-url", two)
	r.refused(1, "cannot be read instead of the primary", "events", "verify", "--database-url", one, "--read-database-url", two)
	r.refused(1, "refused", "events", "verify", "--database-url", one, "--read-database-url", "host=127.0.0.1 port=1 user=x dbname=x")
}

func isBehind(err error) bool {
	_, is := errors.AsType[*eventstore.Behind](err)
	return is
}

// lags reads while the standby does not advance.
func (r *reading) lags(assess string) {
	r.Helper()
	_, s := r.standby()
	if _, err := s.Await(r.Context(), program.Patience); err != nil {
		r.Error(err)
	}
	r.sql("two", "SELECT pg_wal_replay_pause()")
	r.accepted(assess)
	r.same("while the standby lags")
	if _, err := s.Await(r.Context(), time.Second); !isBehind(err) {
		r.Errorf("got %v of a standby that does not advance", err)
	}
	short, said := r.output("events", "export", "--read-database-url", r.replicated.url("two"))
	all, _ := r.output("events", "export", "--database-url", r.replicated.url("one"))
	if !strings.HasPrefix(all, short) || len(short) == 0 || len(short) == len(all) || !strings.Contains(said, "the standby has the log up to position") {
		r.Errorf("the standby has %d bytes of %d, and says %q", len(short), len(all), said)
	}
	last := r.sql("one", "SELECT max(position) FROM events")
	r.refused(1, "the standby has the log up to position", "events", "export", "--up-to", last, "--read-database-url", r.replicated.url("two"))
	r.sql("two", "SELECT pg_wal_replay_resume()")
}

// commands compares what commands read from the standby with the primary's.
func (r *reading) commands() {
	r.Helper()
	from := []string{"--database-url", r.replicated.url("one")}
	also := append(from[:2:2], "--read-database-url", r.replicated.url("two"))
	r.Await("all work is done", func() bool {
		return r.sql("one", `SELECT count(*) FROM river_job WHERE state IN ('available', 'running', 'pending', 'retryable')`) == "0"
	})
	out, _ := r.output(append([]string{"events", "verify"}, also...)...)
	if !strings.Contains(out, "read from a standby, up to position ") || r.sql("one", "SELECT count(*) FROM verifications") != "0" {
		r.Errorf("of a standby verify says\n%s", out)
	}
	r.Await("a head is kept in the data directory", func() bool {
		_, err := os.Stat(filepath.Join(r.Program.Data, "audit.checkpoint"))
		return err == nil
	})
	if out, _ := r.output(append([]string{"doctor"}, also...)...); !strings.Contains(out, "it has the log up to position") {
		r.Errorf("the doctor says\n%s", out)
	}
	r.output(append([]string{"audit", "verify", "--checkpoint", filepath.Join(r.Program.Data, "audit.checkpoint")}, also...)...)
	r.refused(2, "needs --database-url", "audit", "verify", "--checkpoint", filepath.Join(r.Program.Data, "audit.checkpoint"), "--read-database-url", r.replicated.url("two"))
	at := r.sql("one", "SELECT max(position) FROM events WHERE type = 'assessment.recorded'")
	for _, command := range [][]string{
		{"events", "export", "--up-to", at}, {"events", "export", "--up-to", at, "--format", "cloudevents", "--account", "acme"},
		{"projections", "as-of", "assessments", "--position", at}, {"projections", "as-of", "activity", "--position", at, "--format", "csv"},
	} {
		want, _ := r.output(append(command[:len(command):len(command)], from...)...)
		got, said := r.output(append(command[:len(command):len(command)], also...)...)
		if got != want || want == "" || strings.Contains(said, "the primary answers") {
			r.Errorf("readiness %s: got\n%s\nof the standby, want\n%s\n%s", strings.Join(command, " "), got, want, said)
		}
	}
}

// conflicts has the standby cancel a verification.
func (r *reading) conflicts() {
	r.Helper()
	r.sql("two", "ALTER SYSTEM SET max_standby_streaming_delay = 0")
	r.sql("two", "SELECT pg_reload_conf()")
	log, s := r.standby()
	cancelled := s.Covering(r.Context(), 1)
	if cancelled == nil {
		r.Fatal("the standby has no event")
	}
	_, err := cancelled.Verify(r.Context(), eventstore.VerifyOptions{Progress: func(eventstore.Verification) {
		r.sql("one", "CREATE TABLE conflict AS SELECT generate_series(1, 1000) n")
		r.sql("one", "DELETE FROM conflict")
		r.sql("one", "VACUUM conflict")
		r.sql("one", "DROP TABLE conflict")
		if _, err := s.Await(r.Context(), program.Patience); err != nil {
			r.Error(err)
		}
	}})
	if !database.Conflicts(err) {
		r.Errorf("got %v, want a recovery conflict", err)
	}
	again, err := cancelled.Verify(r.Context(), eventstore.VerifyOptions{})
	if want, err2 := log.Verify(r.Context(), eventstore.VerifyOptions{}); err != nil || err2 != nil || again.Mismatches+want.Mismatches > 0 || again.Events == 0 {
		r.Errorf("got %+v, %v, want %+v, %v", again, err, want, err2)
	}
	r.sql("two", "ALTER SYSTEM RESET max_standby_streaming_delay")
	r.sql("two", "SELECT pg_reload_conf()")
	r.tries(s)
	r.failsMidway(log)
}

// tries reads from the standby with errors: after a conflict once more, after another error not for a while.
func (r *reading) tries(s *eventstore.Standby) {
	r.Helper()
	conflict := &pgconn.PgError{Code: "40001", Message: "canceling statement due to conflict with recovery"}
	for _, c := range []struct {
		what         string
		errs         []error
		calls        int
		found, rests bool
	}{
		{"one conflict", []error{conflict, nil}, 2, true, false},
		{"two conflicts", []error{conflict, conflict}, 2, false, false},
		{"another error", []error{errors.New("the connection broke")}, 1, false, true}, // the last one, because it rests
	} {
		calls := 0
		found := s.Try(r.Context(), func(context.Context, *pgxpool.Pool, int64) (bool, error) {
			calls++
			return true, c.errs[calls-1]
		})
		if rests := s.Covering(r.Context(), 1) == nil; found != c.found || calls != c.calls || rests != c.rests {
			r.Errorf("%s: found %t after %d calls, rests %t", c.what, found, calls, rests)
		}
	}
}

// failsMidway lists a view as of a position while the standby cannot be read to the end: the primary answers.
func (r *reading) failsMidway(log *eventstore.Store) {
	r.Helper()
	_, broken := r.standby("assessment.recorded")
	position, err := log.Watermark(r.Context())
	testworld.Check(r, err)
	pool, err := pgxpool.New(r.Context(), r.replicated.url("one"))
	testworld.Check(r, err)
	defer pool.Close()
	var got, want bytes.Buffer
	engine, asked := projections.NewEngine(pool, projections.All()...), projections.AsOf{View: "assessments", Position: position}
	testworld.Check(r, engine.WriteAsOf(r.Context(), log, &want, asked))
	if _, err := broken.Await(r.Context(), program.Patience); err != nil {
		r.Error(err)
	}
	for _, err := range broken.Covering(r.Context(), 1).Replay(r.Context(), eventstore.Selection{UpTo: position}, nil, false) {
		if err != nil {
			engine.Standby = broken
		}
	}
	if engine.Standby == nil {
		r.Error("the standby can be read to the end")
	}
	testworld.Check(r, engine.WriteAsOf(r.Context(), log, &got, asked))
	if got.String() != want.String() || want.Len() == 0 {
		r.Errorf("got\n%s\nwant\n%s", &got, &want)
	}
}
