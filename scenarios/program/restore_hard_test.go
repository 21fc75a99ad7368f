//go:build hard

package program_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"readiness/internal/postgres"
)

// recovered is a place for the clusters, the base backup and the archived WAL of a test.
type recovered struct {
	*testing.T
	dir   string
	owner *syscall.Credential // of the clusters; nil for this process's own user
}

// start runs a server on the folder until the returned function is called.
func (r *recovered) start(name string, settings map[string]string) (url string, stop func()) {
	r.Helper()
	server, err := postgres.Start(r.Context(), postgres.Options{DataDir: filepath.Join(r.dir, name), Settings: settings})
	check(r, err)
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			check(r, server.Stop(context.Background()))
		}
	}
	r.Cleanup(stop)
	return server.URL(), stop
}

// shared makes a folder that the server may write to.
func (r *recovered) shared(name string) string {
	r.Helper()
	path := filepath.Join(r.dir, name)
	check(r, os.Mkdir(path, 0o700))
	if r.owner != nil {
		check(r, os.Chown(path, int(r.owner.Uid), int(r.owner.Gid)))
	}
	return path
}

// asServer runs a program as the user of the clusters.
func (r *recovered) asServer(name string, args ...string) {
	r.Helper()
	program, err := postgres.FindProgram(name)
	check(r, err)
	cmd := exec.CommandContext(r.Context(), program, args...)
	cmd.Dir, cmd.SysProcAttr = r.dir, &syscall.SysProcAttr{Credential: r.owner}
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// TestHardRestoreToAPointInTime restores a base backup and the archived WAL to a moment between events, in the order of
// docs/operating.md: the log is exactly that of the moment, it verifies, the views agree with it, and events can be added.
func TestHardRestoreToAPointInTime(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "readiness-restore-") // one that another user, PostgreSQL's, may enter
	check(t, err)
	t.Cleanup(func() { removeAll(t, dir) })
	check(t, os.Chmod(dir, 0o755))
	r := &recovered{T: t, dir: dir}
	// The owner of a cluster is known once there is one.
	_, end := r.start("before", nil)
	end()
	info, err := os.Stat(filepath.Join(dir, "before", "cluster"))
	check(t, err)
	if owner := info.Sys().(*syscall.Stat_t); os.Geteuid() == 0 {
		r.owner = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	}
	archive := r.shared("archive")
	url, stop := r.start("before", map[string]string{"archive_mode": "on", "archive_command": "cp %p " + archive + "/%f"})

	c := newProgram(t, []string{"ada"}, "--database-url", url)
	accounts := c.args[slices.Index(c.args, "--accounts")+1]
	declare := func(names ...string) {
		t.Helper()
		text := "accounts:\n"
		for _, name := range names {
			text += fmt.Sprintf("  - {accountId: %s, plan: Team, people: [{person: ada, role: admin}]}\n", name)
		}
		check(t, os.WriteFile(accounts, []byte(text), 0o600))
		c.operate("migrate", "up")
		c.operate("accounts", "apply", accounts)
	}
	one := func(sql string) string {
		t.Helper()
		v, ok := query[string](c, sql)
		if !ok {
			t.Fatalf("the database does not answer %s", sql)
		}
		return v
	}
	const log = `SELECT count(*) || ' events, ' || coalesce(encode(sha256(string_agg(hash, ''::bytea ORDER BY position)), 'hex'), '') FROM events`

	declare("acme")
	backup := r.shared("backup")
	r.asServer("pg_basebackup", "--dbname", url, "--pgdata", backup, "--checkpoint", "fast", "--wal-method", "none", "--no-password")
	declare("acme", "before")
	want, moment := one(log), one(`SELECT clock_timestamp()::text`)
	declare("acme", "before", "after")
	if later := one(log); later == want {
		t.Fatal("nothing was added after the moment")
	}
	segment := one(`SELECT pg_walfile_name(pg_switch_wal())`)
	c.await("the WAL after the moment is archived", func() bool {
		return one(`SELECT (coalesce(last_archived_wal, '') >= '`+segment+`')::text FROM pg_stat_archiver`) == "true"
	})
	stop()

	check(t, os.Mkdir(filepath.Join(dir, "restored"), 0o711))
	check(t, os.Rename(backup, filepath.Join(dir, "restored", "cluster")))
	password, err := os.ReadFile(filepath.Join(dir, "before", "password"))
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "restored", "password"), password, 0o600))
	check(t, os.WriteFile(filepath.Join(dir, "restored", "cluster", "recovery.signal"), nil, 0o600))
	if r.owner != nil {
		check(t, os.Chown(filepath.Join(dir, "restored", "cluster", "recovery.signal"), int(r.owner.Uid), int(r.owner.Gid)))
	}
	url, _ = r.start("restored", map[string]string{
		"restore_command": "cp " + archive + "/%f %p", "recovery_target_time": moment, "recovery_target_action": "promote",
		"hot_standby": "off", // it answers once it is promoted
	})
	c.database = []string{"--data", c.data, "--database-url", url}

	if got := one(log); got != want {
		t.Errorf("restored: %s; at that moment: %s", got, want)
	}
	c.operate("events", "verify")
	c.operate("projections", "rebuild", "--diff")
	declare("acme", "before", "again")
	c.operate("events", "verify")
	if n := one(`SELECT string_agg(account_id, ' ' ORDER BY account_id) FROM accounts_v2`); n != "acme again before" {
		t.Errorf("the accounts are %s", n)
	}
}
