package folder

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// stamp is what the system says of a file or folder without opening it. The zero
// stamp is of what the system says nothing of.
type stamp struct {
	unix.Stat_t
	absent bool
}

// proof is what stands for what was read: the stamps, from before it was read, of
// a file and of the folder it is in, for who may not list that may not read it;
// of what a folder holds, that of the folder alone. The zero proof is none.
type proof struct{ folder, file stamp }

// seen is what was read from a file or folder.
type seen[T any] struct {
	proof proof
	says  T
}

// settled is how old a change must be for its time to tell it from the next one:
// the coarsest clock of a file system in use ticks every two seconds.
const settled = 3 * time.Second

// stampAt returns the stamp of what is at a path below the open folder fd, and
// whether it will be another one after the next change: when the last is settled
// at now, by the time of the content and by that of the inode, which nobody can
// set back and which a change of permissions moves, too.
func stampAt(fd int, path string, now time.Time) (s stamp, tells bool) {
	switch err := unix.Fstatat(fd, path, &s.Stat_t, unix.AT_SYMLINK_NOFOLLOW); {
	case errors.Is(err, unix.ENOENT):
		return stamp{absent: true}, true
	case err != nil:
		return stamp{}, false
	}
	s.Atim = unix.Timespec{} // reading moves it
	old := func(t unix.Timespec) bool { return now.Sub(time.Unix(t.Unix())) >= settled }
	return s, old(s.Ctim) && old(s.Mtim)
}
