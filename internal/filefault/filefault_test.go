//go:build unix

package filefault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"readiness/internal/filefault"
)

// The cause is named without the path, and what to do behind it.
func TestWith(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		&fs.PathError{Op: "open", Path: "/p", Err: syscall.EACCES}:                                    "permission denied; get permission for it and its folder",
		fmt.Errorf("x: %w", &fs.PathError{Op: "write", Path: "/p", Err: syscall.ENOSPC}):              "no space left on device; make room on the disk",
		&os.LinkError{Op: "rename", Old: "/a", New: "/b", Err: syscall.EROFS}:                         "read-only file system; copy it to a disk that can be written",
		errors.Join(&fs.PathError{Op: "open", Path: "/p", Err: syscall.ETXTBSY}, errors.New("other")): "text file busy; close the program that has it open",
		&fs.PathError{Op: "open", Path: "/p", Err: syscall.EIO}:                                       "input/output error",
		errors.New("another process or call holds the lock"):                                          "another process or call holds the lock",
	} {
		if got := filefault.With(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
