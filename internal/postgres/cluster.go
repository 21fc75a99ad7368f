//go:build unix

package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"readiness/internal/database"
	"readiness/internal/durable"
)

// makeDataDir creates the folder with the fewest permissions that work: the
// server's user must traverse it when this process is root, and no one else may
// read it.
func (s *Server) makeDataDir() error {
	mode := fs.FileMode(0o700)
	if s.account != nil {
		mode = 0o711
	}
	if err := os.MkdirAll(s.options.DataDir, 0o755); err != nil {
		return err
	}
	return os.Chmod(s.options.DataDir, mode)
}

// makeCluster creates the cluster if there is none. It creates it under another
// name and renames it when it is complete, so a cluster under the right name is
// never incomplete.
func (s *Server) makeCluster(ctx context.Context) error {
	unfinished, _ := filepath.Glob(s.path("cluster.new-*"))
	for _, dir := range unfinished {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(s.cluster(), "PG_VERSION")); err == nil {
		password, err := os.ReadFile(s.path("password"))
		if err != nil {
			return fmt.Errorf("the cluster's password cannot be read: %w; restore the file, or move %s away to start with an "+
				"empty database", err, s.options.DataDir)
		}
		s.password = string(password)
		return s.account.own(s.cluster())
	}
	if rest, err := os.ReadDir(s.cluster()); err == nil && len(rest) > 0 {
		return fmt.Errorf("%s holds files but no cluster (no PG_VERSION): move it away", s.cluster())
	}
	dir, err := os.MkdirTemp(s.options.DataDir, "cluster.new-")
	if err != nil {
		return err
	}
	s.password = rand.Text()
	if err := os.WriteFile(s.path("password"), []byte(s.password), 0o600); err != nil {
		return err
	}
	if err := errors.Join(s.account.own(dir), s.account.own(s.path("password"))); err != nil {
		return err
	}
	args := []string{"-D", dir, "-U", name, "-A", "scram-sha-256", "--pwfile", s.path("password"), "-E", "UTF8", "--locale", "C"}
	if s.options.Volatile {
		args = append(args, "--no-sync")
	}
	cmd := s.command(ctx, s.programs.initdb, syscall.SIGKILL, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("initdb: %w\n%s", err, last(out)), os.RemoveAll(dir))
	}
	if err := os.Rename(dir, s.cluster()); err != nil {
		return err
	}
	return syncDir(s.options.DataDir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return durable.CloseFolder(d)
}

func (s *Server) makeDatabase(ctx context.Context) error {
	conn, err := database.Connect(ctx, databaseURL(s.password, s.port, "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var exists bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, "CREATE DATABASE "+name)
	}
	return err
}
