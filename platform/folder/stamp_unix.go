//go:build unix

package folder

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// metadata is what a change of a file or folder changes.
type metadata = unix.Stat_t

// stampAt returns the stamp of a path relative to the open folder fd. distinct reports whether the next change will alter
// the stamp. That requires that the last change of the content and of the inode was settled at now. The inode's time
// cannot be set back, and a change of permissions moves it too.
func stampAt(fd int, path string, now time.Time) (s stamp, distinct bool) {
	switch err := unix.Fstatat(fd, path, &s.metadata, unix.AT_SYMLINK_NOFOLLOW); {
	case errors.Is(err, unix.ENOENT):
		return stamp{absent: true}, true
	case err != nil:
		return stamp{}, false
	}
	s.Atim = unix.Timespec{} // reading changes it
	old := func(t unix.Timespec) bool { return now.Sub(time.Unix(t.Unix())) >= settled }
	return s, old(s.Ctim) && old(s.Mtim)
}
