//go:build hard

package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"readiness/internal/postgres"
	"readiness/test/testworld"
)

// Servers is a place for the clusters, the base backup and the archived WAL of a test.
type Servers struct {
	*testing.T
	Dir   string
	Owner *syscall.Credential // of the clusters; nil for this process's own user
}

// Start runs a server on the folder until the returned function is called.
func (r *Servers) Start(name string, settings map[string]string) (url string, stop func()) {
	r.Helper()
	server, err := postgres.Start(r.Context(), postgres.Options{DataDir: filepath.Join(r.Dir, name), Settings: settings})
	testworld.Check(r, err)
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			testworld.Check(r, server.Stop(context.Background()))
		}
	}
	r.Cleanup(stop)
	return server.URL(), stop
}

// Shared makes a folder that the server may write to.
func (r *Servers) Shared(name string) string {
	r.Helper()
	path := filepath.Join(r.Dir, name)
	testworld.Check(r, os.Mkdir(path, 0o700))
	if r.Owner != nil {
		testworld.Check(r, os.Chown(path, int(r.Owner.Uid), int(r.Owner.Gid)))
	}
	return path
}

// AsServer runs a program as the user of the clusters.
func (r *Servers) AsServer(name string, args ...string) {
	r.Helper()
	program, err := postgres.FindProgram(name)
	testworld.Check(r, err)
	cmd := exec.CommandContext(r.Context(), program, args...)
	cmd.Dir, cmd.SysProcAttr = r.Dir, &syscall.SysProcAttr{Credential: r.Owner}
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// KillPostgreSQL kills the postmaster, or one of its processes, which makes the postmaster restart all of them.
func (c *Program) KillPostgreSQL() {
	c.T.Helper()
	c.Await("PostgreSQL is killed", func() bool {
		// A server that answers is the one listed here, so no other process has these ids.
		pid, ok := Query[int](c, `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`)
		if ok && c.Random.IntN(2) == 0 {
			file, err := os.ReadFile(filepath.Join(c.Cluster, "postmaster.pid"))
			testworld.Check(c.T, err)
			_, err = fmt.Sscan(string(file), &pid)
			testworld.Check(c.T, err)
		}
		return ok && syscall.Kill(pid, syscall.SIGKILL) == nil
	})
}
