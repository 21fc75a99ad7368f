//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"readiness/internal/pace"
)

// process is one run of the server.
type process struct {
	*os.Process
	since   time.Time
	logFrom int64         // the offset of its first line in the log
	exited  chan struct{} // closed when it has ended, after err is set
	err     error
}

// settings returns the server's settings, with Options.Settings overriding ours.
func (s *Server) settings() map[string]string {
	set := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"port":                    strconv.Itoa(s.port),
		"unix_socket_directories": "",
		"max_connections":         "200",
		"timezone":                "UTC",
		"log_timezone":            "UTC",
		"log_line_prefix":         "%m [%p] ",
		"log_checkpoints":         "off",
		"logging_collector":       "off", // the launcher bounds the log itself
	}
	if s.options.Volatile {
		set["fsync"], set["full_page_writes"] = "off", "off"
	}
	maps.Copy(set, s.options.Settings)
	return set
}

// launch starts the server. A locked thread waits for it: the kernel signals the
// parent's death when the starting thread ends, which otherwise could be long
// before the process ends.
func (s *Server) launch() (*process, error) {
	log, from, err := s.openLog()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := []string{"-D", s.cluster()}
	set := s.settings()
	for _, k := range slices.Sorted(maps.Keys(set)) {
		args = append(args, "-c", k+"="+set[k])
	}
	// On systems that support it, request a fast shutdown when this process dies,
	// even by SIGKILL.
	cmd := s.command(context.Background(), s.programs.postgres, syscall.SIGINT, args...)
	cmd.Stdout, cmd.Stderr = log, log
	p := &process{since: time.Now(), logFrom: from, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		p.Process = cmd.Process
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		if p.err == nil {
			p.err = errors.New("it was shut down")
		}
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// command prepares a program of the server. It runs as the server's user, in its
// own process group (Ctrl-C in the terminal is for the service), and with only the
// environment variables that programs need.
func (s *Server) command(ctx context.Context, program string, onParentDeath syscall.Signal, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.WaitDelay = s.options.DataDir, killLimit
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.account.credential()}
	setParentDeathSignal(cmd.SysProcAttr, onParentDeath)
	cmd.Env = []string{"LC_ALL=C"}
	for _, k := range []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if v, ok := os.LookupEnv(k); ok {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	return cmd
}

// end shuts the process down: fast; immediately when ctx ends; at last with
// SIGKILL. Only the last returns an error.
func (p *process) end(ctx context.Context) error {
	_ = p.Signal(syscall.SIGINT)
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
	}
	_ = p.Signal(syscall.SIGQUIT)
	select {
	case <-p.exited:
		return nil
	case <-time.After(killLimit):
	}
	_ = p.Kill()
	<-p.exited
	return fmt.Errorf("postgres: process %d did not shut down and was killed", p.Pid)
}

// pidFile is what a server wrote about itself in its cluster.
type pidFile struct {
	pid, port int
	ready     bool
	lines     []string
}

// readPID reads the cluster's postmaster.pid.
func (s *Server) readPID() (pidFile, error) {
	b, err := os.ReadFile(filepath.Join(s.cluster(), "postmaster.pid"))
	if err != nil {
		return pidFile{}, err
	}
	f := pidFile{lines: strings.Split(string(b), "\n")}
	f.pid, _ = strconv.Atoi(strings.TrimSpace(f.lines[0]))
	if len(f.lines) >= 8 { // pid, cluster, start time, port, socket folder, address, shared memory, status
		f.port, _ = strconv.Atoi(f.lines[3])
		f.ready = strings.TrimSpace(f.lines[7]) == "ready"
	}
	return f, nil
}

// alive reports whether the process in the file is a server of this cluster. Its
// number may have been reused by another process.
func (f pidFile) alive(cluster string) bool {
	if f.pid <= 1 || syscall.Kill(f.pid, 0) != nil {
		return false
	}
	if _, err := os.Stat("/proc/self/cwd"); err == nil { // a server's working directory is its cluster
		at, err1 := os.Stat(fmt.Sprintf("/proc/%d/cwd", f.pid))
		want, err2 := os.Stat(cluster)
		return err1 == nil && err2 == nil && os.SameFile(at, want)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	args, err := exec.CommandContext(ctx, "ps", "-ww", "-o", "args=", "-p", strconv.Itoa(f.pid)).Output()
	return err == nil && strings.Contains(string(args), cluster)
}

// stopLeftover stops a server that outlived the process that started it. This
// process holds the folder's lock, so no other process uses that server.
func (s *Server) stopLeftover(ctx context.Context) error {
	f, err := s.readPID()
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !f.alive(s.cluster()) {
		return s.disownPID(f)
	}
	s.options.log().WarnContext(ctx, "stopping a PostgreSQL server left by an earlier run", "pid", f.pid)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		deadline := time.Now().Add(killLimit)
		for f.alive(s.cluster()) && time.Now().Before(deadline) {
			_ = syscall.Kill(f.pid, signal)
			if pace.Wait(ctx, 50*time.Millisecond) != nil {
				return fmt.Errorf("the server left by an earlier run (process %d) is still stopping: %w", f.pid, ctx.Err())
			}
		}
	}
	if f.alive(s.cluster()) {
		return fmt.Errorf("the server left by an earlier run (process %d) does not stop: end it, then start again", f.pid)
	}
	return nil
}

// disownPID makes PostgreSQL recognize the file of a dead server as stale when
// another process has the server's number. It writes this process's number, which
// PostgreSQL considers stale in a child of ours. It does not remove the file,
// because PostgreSQL uses the rest of it to detect old sessions that still use the
// cluster's memory.
func (s *Server) disownPID(f pidFile) error {
	if len(f.lines) < 7 || f.pid <= 0 { // cut off by a crash: PostgreSQL refuses it
		return os.Remove(filepath.Join(s.cluster(), "postmaster.pid"))
	}
	f.lines[0] = strconv.Itoa(os.Getpid())
	file, err := os.OpenFile(filepath.Join(s.cluster(), "postmaster.pid"), os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strings.Join(f.lines, "\n"))
	return errors.Join(err, file.Close())
}
