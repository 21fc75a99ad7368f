//go:build unix

// Package postgres runs a private PostgreSQL server in a folder, for a service
// without its own database. It finds or downloads the programs, creates the
// cluster, starts the server on a free port of the loopback interface, restarts it
// when it dies, and stops it.
//
// One process at a time owns a folder. The next start recovers after any end of
// the last owner (a crash, kill -9 of either process, an incomplete cluster). The server
// listens only on the loopback interface and accepts connections only with the
// password. The password is random and stored in the folder, readable by its owner
// only.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
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

// firstLaunch starts the server on a free port and waits until it answers. If
// another process takes the port first, it tries another port. While processes of a
// killed server are still ending, it tries again.
func (s *Server) firstLaunch(ctx context.Context) (*process, error) {
	for ports := 1; ; {
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
		switch {
		case ports < 5 && ctx.Err() == nil && strings.Contains(words, "could not create any TCP/IP sockets"):
			ports++
			continue
		case strings.Contains(words, "pre-existing shared memory block"):
			select {
			case <-ctx.Done():
			case <-time.After(restartMin):
				continue
			}
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
