//go:build unix

// Package postgres runs a private PostgreSQL server in a folder, for a service
// without a database of its own. It finds or downloads the programs, creates the
// cluster, starts the server on a free port of the loopback interface, restarts it
// when it dies, and stops it.
//
// One process at a time owns a folder. However the last owner ended (a crash, kill
// -9 of either process, an incomplete cluster), the next start recovers. The server
// listens only on the loopback interface and accepts connections only with the
// password. The password is random and stored in the folder, readable by its owner
// only.
package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"readiness/internal/database"
)

const (
	// name is the server's superuser and the service's database.
	name = "readiness"

	// startLimit bounds a start whose caller set no deadline. Recovery after a
	// crash reads the log since the last checkpoint, which takes seconds; a
	// download has its own limit.
	startLimit = 3 * time.Minute

	// stopLimit is how long a fast shutdown may take when the caller set no
	// deadline.
	stopLimit = 30 * time.Second

	// killLimit is how long an immediate shutdown may take before the server is
	// killed.
	killLimit = 10 * time.Second

	// restartMax is the longest pause before a server that died is restarted. The
	// first pause is restartMin, and each pause doubles until the server has run
	// for restartMax.
	restartMin, restartMax = 100 * time.Millisecond, 10 * time.Second
)

// Server is a running PostgreSQL server. It is safe for concurrent use.
type Server struct {
	options  Options
	programs programs
	account  *account
	port     int
	password string

	lock     *os.File
	stopOnce sync.Once
	stopping chan context.Context // receives the context of the call of Stop
	stopped  chan struct{}
	stopErr  error
	remove   string // a folder to remove after the stop
}

// Start runs a server in o.DataDir and returns when it accepts connections. ctx
// bounds the start, not the server's life. Start fails with ErrInUse when another
// process runs a server there. Any other error says what to do and ends with the
// last lines of the server's log, if any. After an error nothing is left running.
func Start(ctx context.Context, o Options) (*Server, error) {
	s, err := start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return s, nil
}

// StartTemporary runs a volatile server in a new temporary folder. Stop removes the
// folder.
func StartTemporary(ctx context.Context, o Options) (*Server, error) {
	dir, err := os.MkdirTemp("", "readiness-postgres-")
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	o.DataDir, o.Volatile = dir, true
	s, err := Start(ctx, o)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.remove = dir
	return s, nil
}

func start(ctx context.Context, o Options) (_ *Server, err error) {
	if o.DataDir, err = filepath.Abs(o.DataDir); err != nil {
		return nil, err
	}
	s := &Server{options: o, stopping: make(chan context.Context, 1), stopped: make(chan struct{})}
	if s.account, err = serverAccount(s.cluster()); err != nil {
		return nil, err
	}
	if err := s.makeDataDir(); err != nil {
		return nil, err
	}
	if s.lock, err = lock(s.path("lock")); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			unlock(s.lock)
		}
	}()
	if s.programs, err = s.findPrograms(ctx); err != nil {
		return nil, err
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, startLimit)
		defer cancel()
	}
	if err := s.stopLeftover(ctx); err != nil {
		return nil, err
	}
	if err := s.makeCluster(ctx); err != nil {
		return nil, err
	}
	p, err := s.firstLaunch(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.makeDatabase(ctx); err != nil {
		return nil, errors.Join(err, p.end(ctx))
	}
	s.options.log().InfoContext(ctx, "PostgreSQL is running", "version", s.programs.version, "port", s.port, "data", o.DataDir)
	go s.supervise(p)
	return s, nil
}

// URL returns the address of the service's database on the server, including the
// password. It stays the same until Stop, however often the server is restarted.
func (s *Server) URL() string { return databaseURL(s.password, s.port, name) }

// Stop shuts the server down and returns when it is gone. It ends sessions and
// writes a checkpoint (a fast shutdown). When ctx ends first, or after 30 s, it
// stops without a checkpoint, and the next start recovers. Concurrent calls wait
// for the same shutdown.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() { s.stopping <- ctx })
	<-s.stopped
	return s.stopErr
}

// Exists reports whether the data directory contains a database, running or not.
func Exists(dataDir string) bool {
	_, err := os.Stat(filepath.Join(dataDir, "cluster", "PG_VERSION"))
	return err == nil
}

// Running returns the address of the service's database on the server that another
// process runs in dataDir. ok is false if no server is ready there or this process
// cannot read the folder. Operator commands use it while the service is running.
func Running(dataDir string) (url string, ok bool) {
	s := Server{options: Options{DataDir: dataDir}}
	found, err := s.readPID()
	if err != nil || !found.ready || !found.alive(s.cluster()) {
		return "", false
	}
	password, err := os.ReadFile(s.path("password"))
	if err != nil {
		return "", false
	}
	return databaseURL(string(password), found.port, name), true
}

func (s *Server) path(name string) string { return filepath.Join(s.options.DataDir, name) }
func (s *Server) cluster() string         { return s.path("cluster") }

func databaseURL(password string, port int, database string) string {
	return (&url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(name, password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}).String()
}

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

// lock locks the folder for this process, until the file is closed or the process
// ends in any way.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		var holder [20]byte
		n, _ := f.ReadAt(holder[:], 0)
		f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		return nil, fmt.Errorf("%w: process %s runs a server in %s; stop it, or use another data directory",
			ErrInUse, strings.TrimSpace(string(holder[:n])), filepath.Dir(path))
	}
	if err := errors.Join(f.Truncate(0), write(f, strconv.Itoa(os.Getpid())+"\n")); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// unlock releases the folder. Closing the file alone would not, while a child
// process that is just starting shares it.
func unlock(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}

func write(f *os.File, s string) error {
	_, err := f.WriteAt([]byte(s), 0)
	return err
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
			return fmt.Errorf("the cluster's password cannot be read: %w; restore the file, or move %s away to start with an empty database", err, s.options.DataDir)
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
	return errors.Join(d.Sync(), d.Close())
}

// firstLaunch starts the server on a free port and waits until it answers. If
// another process takes the port first, it tries another port.
func (s *Server) firstLaunch(ctx context.Context) (*process, error) {
	for attempt := 1; ; attempt++ {
		var err error
		if s.port, err = freePort(ctx); err != nil {
			return nil, err
		}
		p, err := s.launch()
		if err != nil {
			return nil, err
		}
		if err = s.awaitReady(ctx, p); err == nil {
			return p, nil
		}
		_ = p.end(ctx) // the earlier error is more useful
		words := s.lastWords(p.logFrom)
		if attempt < 5 && ctx.Err() == nil && strings.Contains(words, "could not create any TCP/IP sockets") {
			continue
		}
		return nil, fmt.Errorf("the server did not start: %w\n%s\nits log is %s", err, words, s.path(logName))
	}
}

func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// awaitReady returns when the server accepts connections, which may take time
// during recovery from a crash.
func (s *Server) awaitReady(ctx context.Context, p *process) error {
	for {
		conn, err := database.Connect(ctx, databaseURL(s.password, s.port, "postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "28P01" {
			return fmt.Errorf("%s does not contain the password of the cluster", s.path("password"))
		}
		select {
		case <-p.exited:
			return fmt.Errorf("postgres ended: %w", p.err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(25 * time.Millisecond):
		}
	}
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

// supervise restarts the server on the same port whenever it dies, until Stop.
func (s *Server) supervise(p *process) {
	defer close(s.stopped)
	defer unlock(s.lock)
	rotation := time.NewTicker(30 * time.Second)
	defer rotation.Stop()
	pause := restartMin
	for {
		select {
		case ctx := <-s.stopping:
			s.stopErr = s.shutDown(ctx, p)
			return
		case <-rotation.C:
			if err := s.rotateLog(); err != nil {
				s.options.log().Warn("PostgreSQL's log cannot be cut", "error", err)
			}
			continue
		case <-p.exited:
		}
		if time.Since(p.since) > restartMax {
			pause = restartMin
		}
		s.options.log().Error("PostgreSQL ended and is restarted", "error", p.err, "pause", pause, "log", s.lastWords(p.logFrom))
		p = s.relaunch(&pause)
		if p == nil {
			s.stopErr = s.cleanUp()
			return
		}
	}
}

// relaunch returns a new process, or nil after Stop.
func (s *Server) relaunch(pause *time.Duration) *process {
	for {
		select {
		case <-s.stopping:
			return nil
		case <-time.After(*pause):
		}
		*pause = min(2**pause, restartMax)
		ctx, cancel := context.WithTimeout(context.Background(), startLimit)
		err := s.stopLeftover(ctx)
		cancel()
		var p *process
		if err == nil {
			p, err = s.launch()
		}
		if err == nil {
			return p
		}
		s.options.log().Error("PostgreSQL cannot be started", "error", err, "pause", *pause)
	}
}

func (s *Server) shutDown(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	err := p.end(ctx)
	s.options.log().Info("PostgreSQL has stopped")
	return errors.Join(err, s.cleanUp())
}

func (s *Server) cleanUp() error {
	if s.remove == "" {
		return nil
	}
	return os.RemoveAll(s.remove)
}
