//go:build hard

package operate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"readiness/test/scenarios/program"
	"readiness/test/testworld"
)

// TestHardRestoreToAPointInTime restores a base backup and the archived WAL to a moment between events, in the order of
// docs/operating.md: the log is exactly that of the moment, it verifies, the views agree with it, and events can be added.
func TestHardRestoreToAPointInTime(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "readiness-restore-") // one that another user, PostgreSQL's, may enter
	testworld.Check(t, err)
	t.Cleanup(func() { program.RemoveAll(t, dir) })
	testworld.Check(t, os.Chmod(dir, 0o755))
	r := &program.Servers{T: t, Dir: dir}
	// The owner of a cluster is known once there is one.
	_, end := r.Start("before", nil)
	end()
	info, err := os.Stat(filepath.Join(dir, "before", "cluster"))
	testworld.Check(t, err)
	if owner := info.Sys().(*syscall.Stat_t); os.Geteuid() == 0 {
		r.Owner = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	}
	archive := r.Shared("archive")
	url, stop := r.Start("before", map[string]string{"archive_mode": "on", "archive_command": "cp %p " + archive + "/%f"})

	c := program.New(t, []string{"ada"}, "--database-url", url)
	accounts := c.Args[slices.Index(c.Args, "--accounts")+1]
	declare := func(names ...string) {
		t.Helper()
		text := "accounts:\n"
		for _, name := range names {
			text += fmt.Sprintf("  - {accountId: %s, plan: Team, people: [{person: ada, role: admin}]}\n", name)
		}
		testworld.Check(t, os.WriteFile(accounts, []byte(text), 0o600))
		c.Operate("migrate", "up")
		c.Operate("accounts", "apply", accounts)
	}
	one := func(sql string) string {
		t.Helper()
		v, ok := program.Query[string](c, sql)
		if !ok {
			t.Fatalf("the database does not answer %s", sql)
		}
		return v
	}
	const log = `SELECT count(*) || ' events, ' || coalesce(encode(sha256(string_agg(hash, ''::bytea ORDER BY position)), 'hex'), '') FROM events`

	declare("acme")
	backup := r.Shared("backup")
	r.AsServer("pg_basebackup", "--dbname", url, "--pgdata", backup, "--checkpoint", "fast", "--wal-method", "none", "--no-password")
	declare("acme", "before")
	want, moment := one(log), one(`SELECT clock_timestamp()::text`)
	declare("acme", "before", "after")
	if later := one(log); later == want {
		t.Fatal("nothing was added after the moment")
	}
	segment := one(`SELECT pg_walfile_name(pg_switch_wal())`)
	c.Await("the WAL after the moment is archived", func() bool {
		return one(`SELECT (coalesce(last_archived_wal, '') >= '`+segment+`')::text FROM pg_stat_archiver`) == "true"
	})
	stop()

	testworld.Check(t, os.Mkdir(filepath.Join(dir, "restored"), 0o711))
	testworld.Check(t, os.Rename(backup, filepath.Join(dir, "restored", "cluster")))
	password, err := os.ReadFile(filepath.Join(dir, "before", "password"))
	testworld.Check(t, err)
	testworld.Check(t, os.WriteFile(filepath.Join(dir, "restored", "password"), password, 0o600))
	testworld.Check(t, os.WriteFile(filepath.Join(dir, "restored", "cluster", "recovery.signal"), nil, 0o600))
	if r.Owner != nil {
		testworld.Check(t, os.Chown(filepath.Join(dir, "restored", "cluster", "recovery.signal"), int(r.Owner.Uid), int(r.Owner.Gid)))
	}
	url, _ = r.Start("restored", map[string]string{
		"restore_command": "cp " + archive + "/%f %p", "recovery_target_time": moment, "recovery_target_action": "promote",
		"hot_standby": "off", // it answers once it is promoted
	})
	c.Database = []string{"--data", c.Data, "--database-url", url}

	if got := one(log); got != want {
		t.Errorf("restored: %s; at that moment: %s", got, want)
	}
	c.Operate("events", "verify")
	c.Operate("projections", "rebuild", "--diff")
	declare("acme", "before", "again")
	c.Operate("events", "verify")
	if n := one(`SELECT string_agg(account_id, ' ' ORDER BY account_id) FROM accounts_v2`); n != "acme again before" {
		t.Errorf("the accounts are %s", n)
	}
}
