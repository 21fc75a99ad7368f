//go:build hard

package probe_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/test/pgtest"
)

// bounced starts PgBouncer, of Debian's package, in front of the database and returns its address.
func bounced(t *testing.T, database, mode, more string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer"
	}
	to, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	dir, err := os.MkdirTemp("", "readiness-pgbouncer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	password, _ := to.User.Password()
	config := fmt.Sprintf(`[databases]
* = host=%s port=%s user=%s password=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = %s
%s
`, to.Hostname(), to.Port(), to.User.Username(), password, port, mode, more)
	path := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil { //nolint:gosec // the password of a temporary server
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, path)
	if os.Geteuid() == 0 { // it does not run as root
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for began := time.Now(); ; <-time.After(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			break
		}
		select {
		case <-ended:
			t.Fatalf("pgbouncer ended:\n%s", &said)
		default:
		}
		if time.Since(began) > 5*time.Minute {
			t.Fatal("pgbouncer does not listen")
		}
	}
	to.Host = address
	return to.String()
}

const ignored = "ignore_startup_parameters = lock_timeout,idle_in_transaction_session_timeout,tcp_user_timeout,tcp_keepalives_idle," +
	"tcp_keepalives_interval,tcp_keepalives_count"

// PgBouncer is fit in session mode, if the sessions have our limits; otherwise the probe says what is wrong.
func TestHardPgBouncer(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		mode, more string
		limited    bool
		want       string
	}{
		"session":                         {"session", ignored, true, ""},
		"session, without our settings":   {"session", ignored, false, "drops lock_timeout"},
		"session, which refuses settings": {"session", "", true, "refuses the settings"},
		"transaction":                     {"transaction", ignored, true, "one server session to several connections"},
		"transaction, one connection":     {"transaction", ignored + "\ndefault_pool_size = 1", true, "one server session to several connections"},
		"transaction, in turn":            {"transaction", ignored + "\nserver_round_robin = 1\nmin_pool_size = 3", true, "one server session to several connections"},
		"statement":                       {"statement", ignored, true, "one server session to several connections"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := pgtest.URL(t)
			if row.limited { // as docs/operating.md says
				limit(t, database)
			}
			if what := unfit(t, bounced(t, database, row.mode, row.more)); row.want == "" && what != "" || !strings.Contains(what, row.want) {
				t.Errorf("got %q, want %q", what, row.want)
			}
		})
	}
}

// limit gives every session in the database the limits that the pooler drops.
func limit(t *testing.T, database string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, setting := range []string{"lock_timeout", "idle_in_transaction_session_timeout"} {
		if _, err := conn.Exec(t.Context(), "ALTER DATABASE "+conn.Config().Database+" SET "+setting+" = '10s'"); err != nil {
			t.Fatal(err)
		}
	}
}
