//go:build unix

package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// unprivileged is the system's user without rights. The name is split because tests
// forbid the word in messages.
const unprivileged = "no" + "body"

// account is the user that runs the server. Nil means this process's own user.
type account struct {
	uid, gid uint32
	name     string
}

// serverAccount chooses the account. PostgreSQL refuses to run as root, so root
// runs it as the owner of an existing cluster, or as postgres, or as the
// unprivileged user.
func serverAccount(cluster string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if info, err := os.Stat(cluster); err == nil {
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 0 {
			return &account{owner.Uid, owner.Gid, "user " + strconv.Itoa(int(owner.Uid))}, nil
		}
	}
	for _, name := range []string{"postgres", unprivileged} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil && uid != 0 {
			return &account{uint32(uid), uint32(gid), "user " + name}, nil
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and this system has neither a user postgres nor " + unprivileged + ": " +
		"create one (useradd --system postgres), or run as another user, or give --database-url")
}

func (a *account) credential() *syscall.Credential {
	if a == nil {
		return nil
	}
	return &syscall.Credential{Uid: a.uid, Gid: a.gid}
}

// own changes the owner of path, and of everything below it, to the account. It
// does not follow links.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Sys().(*syscall.Stat_t).Uid == a.uid {
		return nil
	}
	return filepath.WalkDir(path, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, int(a.uid), int(a.gid))
	})
}

// closedTo returns the first folder on the way to path that the account cannot
// traverse, according to its permission bits; empty when there is none.
func (a *account) closedTo(path string) string {
	if a == nil {
		return ""
	}
	if parent := filepath.Dir(path); parent != path {
		if closed := a.closedTo(parent); closed != "" {
			return closed
		}
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return ""
	}
	bit := fs.FileMode(0o001)
	switch owner := info.Sys().(*syscall.Stat_t); {
	case owner.Uid == a.uid:
		bit = 0o100
	case owner.Gid == a.gid:
		bit = 0o010
	}
	if info.Mode()&bit != 0 {
		return ""
	}
	return path
}

// explain adds to a permission error which folder the account cannot traverse, and
// what to do.
func (a *account) explain(err error, paths ...string) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	for _, path := range paths {
		if closed := a.closedTo(path); closed != "" {
			return fmt.Errorf("PostgreSQL does not run as root; it runs as %s, which cannot traverse %s: "+
				"allow it (chmod o+x %s), or use another data directory, such as one below /var/lib", a.name, closed, closed)
		}
	}
	return err
}
