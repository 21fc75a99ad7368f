package memdir

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// enough is how many bytes of memory must be free to keep files in it: ten times
// what the tests of all packages need.
const enough = 8 << 30

// Make creates a folder in memory and returns it with a function that removes it. dir is empty if TMPDIR is set, if the system has too
// little memory, or if programs cannot run from there.
func Make() (dir string, remove func() error) {
	const memory, noexec = "/dev/shm", 0x8 // ST_NOEXEC
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil || fs.Flags&noexec != 0 ||
		min(fs.Bavail*uint64(fs.Bsize), available()) < enough {
		return "", nil
	}
	removeAbandoned(memory)
	dir, err := os.MkdirTemp(memory, "readiness-test-")
	if err != nil {
		return "", nil
	}
	held, err := hold(dir)
	if err != nil || os.Chmod(dir, 0o711) != nil { // the server may run as another user
		_ = os.RemoveAll(dir)
		return "", nil
	}
	return dir, func() error {
		defer held.Close()
		return os.RemoveAll(dir)
	}
}

// hold locks dir for as long as this process lives, and fails if another process
// holds it.
func hold(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// removeAbandoned removes the folders of processes that were killed.
func removeAbandoned(memory string) {
	left, _ := filepath.Glob(filepath.Join(memory, "readiness-test-*"))
	for _, dir := range left {
		if held, err := hold(dir); err == nil {
			_ = os.RemoveAll(dir)
			held.Close()
		}
	}
}

// available returns how many bytes of memory programs can still use; 0 if the
// system does not report it.
func available() uint64 {
	var free uint64
	said, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(said)) {
		if kB, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			n, _ := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kB), "kB")), 10, 64)
			free = n << 10
		}
	}
	for limit, used := range map[string]string{ // of a container
		"/sys/fs/cgroup/memory.max":                   "/sys/fs/cgroup/memory.current",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes": "/sys/fs/cgroup/memory/memory.usage_in_bytes",
	} {
		if n, ok := number(limit); ok {
			u, _ := number(used)
			free = min(free, max(n, u)-u)
		}
	}
	return free
}

// number reads a file that contains only a number.
func number(path string) (uint64, bool) {
	text, err := os.ReadFile(path)
	n, bad := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil && bad == nil
}
