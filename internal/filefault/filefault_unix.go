//go:build unix

package filefault

import "syscall"

const denied = "get permission for it and its folder"

var (
	inUse    = []error{syscall.EBUSY, syscall.ETXTBSY}
	full     = []error{syscall.ENOSPC, syscall.EDQUOT}
	readOnly = []error{syscall.EROFS}
)
