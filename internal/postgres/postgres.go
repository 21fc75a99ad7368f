//go:build unix

// Package postgres runs a private PostgreSQL server in a folder, for a service that is given no database: it finds or downloads
// the programs, makes the cluster, starts the server on a free port of the loopback interface, starts it again when it dies, and stops it.
//
// One process at a time owns a folder. Whatever ended the last owner (a crash, kill -9 of either process, a half-made
// cluster), the next start recovers. The server never listens beyond the loopback interface and takes no connection without
// the password, which is made at random and kept in the folder, readable by its owner only.
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

	// startLimit bounds a start whose caller set no deadline. Recovery after a crash reads the log since the last checkpoint, which takes
	// seconds; a download has its own bound.
	startLimit = 3 * time.Minute

	// stopLimit is how long a fast shutdown may take when the caller set no deadline.
	stopLimit = 30 * time.Second

	// killLimit is how long an immediate shutdown may take before the server is killed.
	killLimit = 10 * time.Second

	// restartMax is the longest pause before a server that died is started again; the first pause is restartMin, and each
	// one doubles until the server has lived for restartMax.
	restartMin, restartMax = 100 * time.Millisecond, 10 * time.Second
)

// Server is a running PostgreSQL. It is safe for use by several goroutines.
type Server struct {
	options  Options
	programs programs
	account  *account
	port     int
	password string

	lock     *os.File
	stopOnce sync.Once
	stopping chan context.Context // takes the context of the call that stops
	stopped  chan struct{}
	stopErr  error
	remove   string // a folder to remove after the stop
}

// Start runs a server in o.DataDir and returns when it accepts connections. ctx bounds the start, not the server's life. It
// fails with ErrInUse when another process runs one there, and otherwise with an error that says what to do, ending in the server's own last words when it
// had any. Nothing is left running then.
func Start(ctx context.Context, o Options) (*Server, error) {
	s, err := start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return s, nil
}

// StartTemporary runs a volatile server in a new folder below the system's temporary one. Stop removes the folder.
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

// URL is the address of the service's database on the server, password included. It stays the same until Stop, however often the server
// is started again.
func (s *Server) URL() string { return databaseURL(s.password, s.port, name) }

// Stop ends the server and returns when it is gone: sessions are cut and a checkpoint is written (a fast shutdown), and when ctx
// ends first, or after 30 s, without a checkpoint (the next start then recovers). Every call waits for the one stop.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() { s.stopping <- ctx })
	<-s.stopped
	return s.stopErr
}

// Exists reports whether the data directory holds a database, running or not.
func Exists(dataDir string) bool {
	_, err := os.Stat(filepath.Join(dataDir, "cluster", "PG_VERSION"))
	return err == nil
}

// Running returns the address of the service's database on the server that another process runs in dataDir, if one is ready there
// and this process may read the folder. An operator's command uses it to work beside a running service.
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

// makeDataDir makes the folder with the fewest permissions that work: the server's user must pass through it when the
// process itself is root, and nobody else ever reads it.
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

// lock takes the folder for this process, until the file is closed or the process ends in whatever way.
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

// unlock gives the folder back. Closing alone would do it only once no child that is being started this moment shares the file.
func unlock(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	f.Close()
}

func write(f *os.File, s string) error {
	_, err := f.WriteAt([]byte(s), 0)
	return err
}

// makeCluster makes the cluster when there is none. It is made under another name and renamed when it is whole, so what is
// found under the right name is never half made.
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
			return fmt.Errorf("the cluster's password cannot be read: %w; restore the file, or move %s away to begin anew", err, s.options.DataDir)
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

// firstLaunch starts the server on a free port and waits until it answers. A port that was taken between the look and
// the start is replaced by another.
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
		_ = p.end(ctx) // what failed before says more
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

// awaitReady returns when the server takes connections; recovering from a crash it does not at first.
func (s *Server) awaitReady(ctx context.Context, p *process) error {
	for {
		conn, err := database.Connect(ctx, databaseURL(s.password, s.port, "postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "28P01" {
			return fmt.Errorf("%s does not hold the password of the cluster", s.path("password"))
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

// supervise starts the server again, on the same port, whenever it dies, until Stop.
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
		s.options.log().Error("PostgreSQL ended and is started again", "error", p.err, "pause", pause, "log", s.lastWords(p.logFrom))
		p = s.relaunch(&pause)
		if p == nil {
			s.stopErr = s.cleanUp()
			return
		}
	}
}

// relaunch returns a new process, or nil when the server is to stop instead.
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
