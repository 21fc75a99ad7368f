//go:build unix

package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"readiness/internal/postgres"
)

// parentEnv makes the test binary act as a service: it runs a server in the folder
// in the variable, prints the address, and waits to be killed.
const parentEnv = "READINESS_POSTGRES_TEST_PARENT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentEnv); dir != "" {
		s, err := postgres.Start(context.Background(), postgres.Options{DataDir: dir, NoDownload: true, Volatile: true})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.URL())
		select {}
	}
	var err error
	if clusters, err = os.MkdirTemp("", "readiness-clusters-"); err == nil {
		err = os.Chmod(clusters, 0o711) // the server may run as another user
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(clusters)
	os.Exit(code)
}

// dir returns a data directory that does not exist yet, below folders that the
// server's user can traverse.
func dir(t *testing.T) string {
	t.Helper()
	parent := t.TempDir()
	if err := os.Chmod(filepath.Dir(parent), 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(parent, "postgres")
}

func options(t *testing.T) postgres.Options {
	return postgres.Options{DataDir: dir(t), NoDownload: true, Volatile: true}
}

// made returns options with a data directory that was used before. It is a copy,
// because creating a cluster is most of the cost of a start.
func made(t *testing.T) postgres.Options {
	t.Helper()
	from, err := used()
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", from, o.DataDir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return o
}

// clusters is the folder of the data directory that made copies.
var clusters string

var used = sync.OnceValues(func() (dataDir string, err error) {
	dataDir = filepath.Join(clusters, "postgres")
	s, err := postgres.Start(context.Background(), postgres.Options{DataDir: dataDir, NoDownload: true, Volatile: true})
	if err != nil {
		return "", err
	}
	return dataDir, s.Stop(context.Background())
})

func start(t *testing.T, o postgres.Options) *postgres.Server {
	t.Helper()
	s, err := postgres.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s
}

func stop(t *testing.T, s *postgres.Server) {
	t.Helper()
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// query runs one statement and returns its single value as text.
func query(ctx context.Context, url, sql string) (string, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var got any
	if err := conn.QueryRow(ctx, sql).Scan(&got); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", err
	}
	return fmt.Sprint(got), nil
}

func mustQuery(t *testing.T, url, sql string) string {
	t.Helper()
	got, err := query(t.Context(), url, sql)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// eventually polls until ok returns true, or the test's time is up.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not within 5 minutes", what)
		case <-tick.C:
		}
	}
}

func postmaster(t *testing.T, dataDir string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dataDir, "cluster", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// gone reports whether the process has ended, possibly as a zombie.
func gone(pid int) bool {
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		return strings.Contains(string(b), ") Z ")
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func TestDataOutlivesTheServer(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Volatile = false
	s := start(t, o)
	mustQuery(t, s.URL(), "CREATE TABLE kept AS SELECT 42 AS answer")
	pid := postmaster(t, o.DataDir)
	stop(t, s)
	stop(t, s)
	if !gone(pid) {
		t.Errorf("after Stop, process %d still exists", pid)
	}
	if got := mustQuery(t, start(t, o).URL(), "SELECT answer FROM kept"); got != "42" {
		t.Errorf("after a restart got %s, want 42", got)
	}
}

func TestServerIsPrivate(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := start(t, o)
	folder := fs.FileMode(0o700)
	if os.Geteuid() == 0 {
		folder = 0o711 // PostgreSQL runs as another user, who must traverse it
	}
	want := map[string]fs.FileMode{"": folder, "cluster": 0o700, "password": 0o600, "lock": 0o600, "server.log": 0o600}
	for name, mode := range want {
		info, err := os.Stat(filepath.Join(o.DataDir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != mode {
			t.Errorf("%q has permissions %v, want %v", name, got, mode)
		}
	}
	for setting, want := range map[string]string{
		"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "server_encoding": "UTF8", "timezone": "UTC", "fsync": "off",
	} {
		if got := mustQuery(t, s.URL(), "SHOW "+setting); got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range []*url.Userinfo{url.User("readiness"), url.UserPassword("readiness", "guess"), url.UserPassword("postgres", "")} {
		u.User = user
		if _, err := query(t.Context(), u.String(), "SELECT 1"); err == nil {
			t.Errorf("%s was admitted", user)
		}
	}
}

func TestSecondStartIsRefused(t *testing.T) {
	t.Parallel()
	o := made(t)
	s := start(t, o)
	_, err := postgres.Start(t.Context(), o)
	if !errors.Is(err, postgres.ErrInUse) || !strings.Contains(fmt.Sprint(err), fmt.Sprintf("process %d ", os.Getpid())) {
		t.Errorf("got error %v, want ErrInUse with this process's number", err)
	}
	if got := mustQuery(t, s.URL(), "SELECT 1"); got != "1" {
		t.Errorf("the first server answers %s, want 1", got)
	}
}

func TestRunningIsFound(t *testing.T) {
	t.Parallel()
	o := options(t)
	if got, ok := postgres.Running(o.DataDir); ok {
		t.Errorf("before the start found %s", got)
	}
	s := start(t, o)
	if got, ok := postgres.Running(o.DataDir); !ok || got != s.URL() {
		t.Errorf("got %q, %v, want %q", got, ok, s.URL())
	}
	stop(t, s)
	if got, ok := postgres.Running(o.DataDir); ok {
		t.Errorf("after the stop found %s", got)
	}
}

func TestKilledServerIsStartedAgain(t *testing.T) {
	t.Parallel()
	o := made(t)
	s := start(t, o)
	mustQuery(t, s.URL(), "CREATE TABLE kept AS SELECT 0 AS round")
	for round := 1; round <= 3; round++ {
		pid := postmaster(t, o.DataDir)
		mustQuery(t, s.URL(), fmt.Sprintf("UPDATE kept SET round = %d", round))
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "another server on the same address", func() bool {
			got, err := query(t.Context(), s.URL(), "SELECT round FROM kept")
			return err == nil && got == strconv.Itoa(round) && postmaster(t, o.DataDir) != pid
		})
	}
	pid := postmaster(t, o.DataDir)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	stop(t, s) // while the server is down or starting
	eventually(t, "no server after Stop", func() bool { _, running := postgres.Running(o.DataDir); return !running && gone(pid) })
	if got := mustQuery(t, start(t, o).URL(), "SELECT round FROM kept"); got != "3" {
		t.Errorf("got round %s, want 3", got)
	}
}

func TestStopDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	o := made(t)
	s := start(t, o)
	mustQuery(t, s.URL(), "CREATE TABLE kept AS SELECT 1 AS x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if got := mustQuery(t, start(t, o).URL(), "SELECT x FROM kept"); got != "1" {
		t.Errorf("after an immediate shutdown got %s, want 1", got)
	}
}

// parent starts the test binary as a service on dataDir and returns it with a
// function for the address it prints.
func parent(t *testing.T, dataDir string) (*exec.Cmd, func() string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), parentEnv+"="+dataDir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, func() string {
		t.Helper()
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "postgres://") {
			t.Fatalf("the service says %q, %v", line, err)
		}
		return strings.TrimSpace(line)
	}
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

func TestServiceKilledThenStartedAgain(t *testing.T) {
	t.Parallel()
	o := made(t)
	service, url := parent(t, o.DataDir)
	mustQuery(t, url(), "CREATE TABLE kept AS SELECT 7 AS x")
	first := postmaster(t, o.DataDir)
	if _, err := postgres.Start(t.Context(), o); !errors.Is(err, postgres.ErrInUse) {
		t.Errorf("next to another process: got error %v, want ErrInUse", err)
	}
	kill(t, service)
	if got := mustQuery(t, start(t, o).URL(), "SELECT x FROM kept"); got != "7" {
		t.Errorf("got %s, want 7", got)
	}
	if !gone(first) {
		t.Errorf("the killed service's server, process %d, still exists", first)
	}
}

func TestServerEndsWithItsService(t *testing.T) {
	t.Parallel()
	o := made(t)
	service, url := parent(t, o.DataDir)
	mustQuery(t, url(), "SELECT 1")
	server := postmaster(t, o.DataDir)
	kill(t, service)
	if runtime.GOOS == "linux" { // on other systems the next start stops it
		eventually(t, "the end of a killed service's server", func() bool { return gone(server) })
	}
}

func TestServiceKilledWhileItMakesTheCluster(t *testing.T) {
	t.Parallel()
	o := options(t)
	service, _ := parent(t, o.DataDir)
	eventually(t, "a cluster in the making", func() bool {
		made, _ := filepath.Glob(filepath.Join(o.DataDir, "cluster.new-*", "PG_VERSION"))
		return len(made) > 0
	})
	kill(t, service)
	mustQuery(t, start(t, o).URL(), "SELECT 1")
	if rest, _ := filepath.Glob(filepath.Join(o.DataDir, "cluster.new-*")); len(rest) > 0 {
		t.Errorf("the incomplete cluster still exists: %v", rest)
	}
}

// giveToOwner changes the file's owner to that of the cluster, as if the server had
// written it.
func giveToOwner(t *testing.T, path, dataDir string) {
	t.Helper()
	info, err := os.Stat(filepath.Join(dataDir, "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	if err := os.Lchown(path, int(owner.Uid), int(owner.Gid)); err != nil {
		t.Fatal(err)
	}
}

// asOwner makes cmd run as the owner of the cluster, who is not root.
func asOwner(t *testing.T, cmd *exec.Cmd, dataDir string) {
	t.Helper()
	info, err := os.Stat(filepath.Join(dataDir, "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		owner := info.Sys().(*syscall.Stat_t)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
}

func TestServerLeftRunningIsStopped(t *testing.T) {
	t.Parallel()
	o := made(t)
	s := start(t, o)
	pg := mustQuery(t, s.URL(), "SELECT setting FROM pg_config() WHERE name = 'BINDIR'")
	stop(t, s)
	left := exec.CommandContext(t.Context(), filepath.Join(pg, "postgres"), "-D", filepath.Join(o.DataDir, "cluster"), "-c", "listen_addresses=", "-c", "unix_socket_directories=.") // a path has little room
	asOwner(t, left, o.DataDir)
	left.Dir = o.DataDir
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- left.Wait() }()
	eventually(t, "a server of nobody", func() bool {
		b, _ := os.ReadFile(filepath.Join(o.DataDir, "cluster", "postmaster.pid"))
		return strings.Contains(string(b), "ready")
	})
	mustQuery(t, start(t, o).URL(), "SELECT 1")
	if err := <-ended; err != nil {
		t.Errorf("the server left running ended with %v, want a clean shutdown", err)
	}
}

func TestStalePIDFile(t *testing.T) {
	t.Parallel()
	o := made(t)
	s := start(t, o)
	path := filepath.Join(o.DataDir, "cluster", "postmaster.pid")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(whole), "\n")
	stop(t, s)
	// A process of the same user, which PostgreSQL would take for its own server.
	other := exec.CommandContext(t.Context(), "sleep", "600")
	asOwner(t, other, o.DataDir)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	files := map[string]string{
		"the number is another process's now": fmt.Sprintf("%d\n%s", other.Process.Pid, rest),
		"the process is gone":                 string(whole),
		"a crash left it empty":               "",
		"a crash cut it short":                fmt.Sprintf("%d\n", other.Process.Pid),
		"not a number":                        "x\n" + rest,
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(path, []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
		giveToOwner(t, path, o.DataDir)
		s, err := postgres.Start(t.Context(), o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		stop(t, s)
	}
	if gone(other.Process.Pid) {
		t.Error("the other process was stopped")
	}
}

func TestStartErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	put := func(t *testing.T, o postgres.Options, name, content string) {
		t.Helper()
		path := filepath.Join(o.DataDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rows := map[string]struct {
		given func(t *testing.T, o *postgres.Options)
		want  []string
	}{
		"data of another major version": {
			func(t *testing.T, o *postgres.Options) { put(t, *o, "cluster/PG_VERSION", "9\n") },
			[]string{"made by PostgreSQL 9", "only ", "install PostgreSQL 9"},
		},
		"data of another major version, no programs": {
			func(t *testing.T, o *postgres.Options) {
				put(t, *o, "cluster/PG_VERSION", "9\n")
				*o = postgres.SearchOnly(*o)
			},
			[]string{"made by PostgreSQL 9", "not found", postgres.BinEnv},
		},
		"data of no version": {
			func(t *testing.T, o *postgres.Options) { put(t, *o, "cluster/PG_VERSION", "ten\n") },
			[]string{"PG_VERSION", `"ten`},
		},
		"files that are no cluster": {
			func(t *testing.T, o *postgres.Options) { put(t, *o, "cluster/notes.txt", "") },
			[]string{"no cluster", "move it away"},
		},
		"the password is lost": {
			func(t *testing.T, o *postgres.Options) {
				*o = made(t)
				if err := os.Remove(filepath.Join(o.DataDir, "password")); err != nil {
					t.Fatal(err)
				}
			},
			[]string{"password", "restore the file"},
		},
		"another password": {
			func(t *testing.T, o *postgres.Options) {
				*o = made(t)
				put(t, *o, "password", "guess")
			},
			[]string{"does not contain the password of the cluster"},
		},
		"no programs": {
			func(t *testing.T, o *postgres.Options) { *o = postgres.SearchOnly(*o) },
			[]string{"initdb and postgres were not found", "apt-get install postgresql", postgres.BinEnv, "--database-url"},
		},
		"no programs where the operator says": {
			func(t *testing.T, o *postgres.Options) { o.Bin = t.TempDir() },
			[]string{"no PostgreSQL in", "apt-get install postgresql"},
		},
		"programs that are too old": {
			func(t *testing.T, o *postgres.Options) { *o = postgres.SearchOnly(*o, fakePrograms(t, "9.6.24")) },
			[]string{"PostgreSQL 9.6.24", "too old", "14 or newer"},
		},
		"programs that are something else": {
			func(t *testing.T, o *postgres.Options) { *o = postgres.SearchOnly(*o, fakePrograms(t, "none")) },
			[]string{"not a PostgreSQL version"},
		},
		"a setting the server refuses": {
			func(t *testing.T, o *postgres.Options) {
				*o = made(t)
				o.Settings = map[string]string{"max_connections": "many"}
			},
			[]string{"did not start", `invalid value for parameter "max_connections"`, "server.log"},
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			row.given(t, &o)
			s, err := postgres.Start(t.Context(), o)
			if err == nil {
				stop(t, s)
				t.Fatal("started")
			}
			for _, want := range row.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want it to say %q", err, want)
				}
			}
			if errors.Is(err, postgres.ErrInUse) {
				t.Errorf("got ErrInUse: %v", err)
			}
			if _, err := postgres.Start(t.Context(), o); errors.Is(err, postgres.ErrInUse) {
				t.Errorf("the folder's lock was not released: %v", err)
			}
		})
	}
}

// fakePrograms returns a folder with programs that only print their version.
func fakePrograms(t *testing.T, version string) string {
	t.Helper()
	bin := dir(t)
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"initdb", "postgres"} {
		script := fmt.Sprintf("#!/bin/sh\necho '%s (PostgreSQL) %s'\n", name, version)
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

func TestFolderClosedToTheServersUser(t *testing.T) {
	t.Parallel()
	o := options(t)
	closed := filepath.Dir(o.DataDir)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := postgres.Start(t.Context(), o)
	if os.Geteuid() != 0 { // the server runs as our own user, who can traverse it
		if err != nil {
			t.Fatal(err)
		}
		stop(t, s)
		return
	}
	if err == nil {
		stop(t, s)
		t.Fatal("started")
	}
	if want := "chmod o+x " + closed + ")"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %q, want it to say %q", err, want)
	}
}

func TestIncompleteClusterIsReplaced(t *testing.T) {
	t.Parallel()
	o := options(t)
	half := filepath.Join(o.DataDir, "cluster.new-1")
	if err := os.MkdirAll(filepath.Join(half, "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.DataDir, "password"), []byte("of the half-made one"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustQuery(t, start(t, o).URL(), "SELECT 1")
	if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s still exists (%v)", half, err)
	}
}

func TestLogIsCut(t *testing.T) {
	t.Parallel()
	o := made(t)
	stop(t, start(t, o))
	log := filepath.Join(o.DataDir, "server.log")
	if err := os.Truncate(log, 20<<20); err != nil {
		t.Fatal(err)
	}
	stop(t, start(t, o))
	for name, most := range map[string]int64{log: 1 << 20, log + ".1": 8 << 20} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > most || info.Size() == 0 {
			t.Errorf("%s has %d bytes, want 1 to %d", name, info.Size(), most)
		}
	}
}

func TestTemporaryServerLeavesNothing(t *testing.T) {
	t.Parallel()
	s, err := postgres.StartTemporary(t.Context(), postgres.Options{NoDownload: true})
	if err != nil {
		t.Fatal(err)
	}
	cluster := mustQuery(t, s.URL(), "SHOW data_directory")
	stop(t, s)
	if _, err := os.Stat(filepath.Dir(cluster)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s still exists (%v)", filepath.Dir(cluster), err)
	}
}
