package folder

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// stamp is a file's or folder's metadata. The zero stamp means that none could be read.
type stamp struct {
	unix.Stat_t
	absent bool
}

// proof identifies the state of what was read by stamps taken before reading it. For a file these are the stamps of the
// file and of its folder, because reading needs permission for both. For a folder's contents it is the folder's stamp
// alone. The zero proof proves nothing.
type proof struct{ folder, file stamp }

// seen is what was read from a file or folder, with its proof.
type seen[T any] struct {
	proof proof
	says  T
}

// settled is how old a change must be for its timestamp to distinguish it from the next one. The coarsest file system
// clock in use ticks every two seconds.
const settled = 3 * time.Second

// stampAt returns the stamp of a path relative to the open folder fd. distinct reports whether the next change will alter
// the stamp. That requires that the last change of the content and of the inode was settled at now. The inode's time
// cannot be set back, and a change of permissions moves it too.
func stampAt(fd int, path string, now time.Time) (s stamp, distinct bool) {
	switch err := unix.Fstatat(fd, path, &s.Stat_t, unix.AT_SYMLINK_NOFOLLOW); {
	case errors.Is(err, unix.ENOENT):
		return stamp{absent: true}, true
	case err != nil:
		return stamp{}, false
	}
	s.Atim = unix.Timespec{} // reading changes it
	old := func(t unix.Timespec) bool { return now.Sub(time.Unix(t.Unix())) >= settled }
	return s, old(s.Ctim) && old(s.Mtim)
}
