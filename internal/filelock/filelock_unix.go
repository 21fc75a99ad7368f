//go:build unix

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// OpenFolder returns the file whose lock is the folder's: the folder.
func OpenFolder(root *os.Root) (*os.File, error) { return root.Open(".") }

// try locks f unless another holds it.
func try(f *os.File, how Kind) (bool, error) {
	op := unix.LOCK_SH
	if how == Exclusive {
		op = unix.LOCK_EX
	}
	err := unix.Flock(int(f.Fd()), op|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}
