//go:build hard

package soak_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"readiness/test/scenarios/program"
	"readiness/test/testworld"
)

// replicated is a primary with a synchronous standby, which has every commit on its disk before the primary confirms it.
type replicated struct {
	program.Servers
	password string
	ports    map[string]string // by the name of the server
}

// newReplicated starts both servers.
func newReplicated(t *testing.T) *replicated {
	t.Helper()
	dir, err := os.MkdirTemp("", "readiness-promotion-") // one that another user, PostgreSQL's, may enter
	testworld.Check(t, err)
	t.Cleanup(func() { program.RemoveAll(t, dir) })
	testworld.Check(t, os.Chmod(dir, 0o755))
	r := &replicated{program.Servers{T: t, Dir: dir}, "", map[string]string{}}
	_, stop := r.Start("one", nil) // makes the cluster
	stop()
	info, err := os.Stat(filepath.Join(dir, "one", "cluster"))
	testworld.Check(t, err)
	if owner := info.Sys().(*syscall.Stat_t); os.Geteuid() == 0 {
		r.Owner = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	}
	password, err := os.ReadFile(filepath.Join(dir, "one", "password"))
	testworld.Check(t, err)
	r.password = string(password)
	testworld.Check(t, os.Mkdir(filepath.Join(dir, "two"), 0o755))
	for _, name := range []string{"one", "two"} {
		if r.Owner != nil {
			testworld.Check(t, os.Chown(filepath.Join(dir, name), int(r.Owner.Uid), int(r.Owner.Gid)))
		}
		free, err := net.Listen("tcp4", "127.0.0.1:0")
		testworld.Check(t, err)
		_, r.ports[name], err = net.SplitHostPort(free.Addr().String())
		testworld.Check(t, err)
		testworld.Check(t, free.Close())
	}
	r.run("one")
	r.follow("two", "one")
	return r
}

func (r *replicated) data(name string) string { return filepath.Join(r.Dir, name, "cluster") }

// run starts a server.
func (r *replicated) run(name string) {
	r.Helper()
	options := strings.Join([]string{"-p", r.ports[name], "-c listen_addresses=127.0.0.1", "-c unix_socket_directories=", "-c max_connections=200",
		"-c fsync=off"}, " ") // committed data outlives the death of its processes without a sync
	r.AsServer("pg_ctl", "-D", r.data(name), "-l", filepath.Join(r.Dir, name, "cluster", "server.log"), "-o", options, "-w", "start")
	r.Cleanup(func() { r.kill(name) })
}

// follow makes name a standby of the primary, without which the primary commits nothing.
func (r *replicated) follow(name, primary string) {
	r.Helper()
	testworld.Check(r, os.RemoveAll(r.data(name)))
	r.AsServer("pg_basebackup", "--dbname", r.url(primary)+" application_name=standby", "--pgdata", r.data(name), "--checkpoint", "fast",
		"--wal-method", "stream", "--write-recovery-conf", "--no-password")
	r.run(name)
	r.sql(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
	r.sql(primary, "SELECT pg_reload_conf()")
	for ; r.sql(primary, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1"; <-time.After(20 * time.Millisecond) {
		testworld.Check(r, r.Context().Err())
	}
}

// url is the address of one server.
func (r *replicated) url(name string) string {
	return fmt.Sprintf("host=127.0.0.1 port=%s user=readiness password=%s dbname=readiness sslmode=disable", r.ports[name], r.password)
}

// both is the address of whichever server is the primary.
func (r *replicated) both() string {
	return fmt.Sprintf("host=127.0.0.1,127.0.0.1 port=%s,%s user=readiness password=%s dbname=readiness sslmode=disable target_session_attrs=read-write",
		r.ports["one"], r.ports["two"], r.password)
}

func (r *replicated) sql(name, statement string) string {
	r.Helper()
	out, err := exec.CommandContext(r.Context(), "psql", r.url(name), "-qAtc", statement).CombinedOutput()
	if err != nil {
		r.Fatalf("%s: %v\n%s", statement, err, out)
	}
	return strings.TrimSpace(string(out))
}

// processes returns the processes of a server, the postmaster first.
func (r *replicated) processes(name string) (pids []int) {
	text, err := os.ReadFile(filepath.Join(r.data(name), "postmaster.pid"))
	if err != nil {
		return nil
	}
	first, err := strconv.Atoi(strings.SplitN(string(text), "\n", 2)[0])
	testworld.Check(r, err)
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", first, first)) // none once it has ended
	pids = []int{first}
	for _, child := range strings.Fields(string(children)) {
		pid, err := strconv.Atoi(child)
		testworld.Check(r, err)
		pids = append(pids, pid)
	}
	return pids
}

func (r *replicated) signal(name string, s syscall.Signal) {
	for _, pid := range r.processes(name) {
		_ = syscall.Kill(pid, s) // it may have ended
	}
}

func (r *replicated) kill(name string) {
	pids := r.processes(name)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	for _, pid := range pids {
		for syscall.Kill(pid, 0) == nil {
			<-time.After(5 * time.Millisecond)
		}
	}
	_ = os.Remove(filepath.Join(r.data(name), "postmaster.pid"))
}
