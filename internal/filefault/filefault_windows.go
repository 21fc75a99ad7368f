package filefault

import "golang.org/x/sys/windows"

const denied = "close the program that has it open, and get permission for it and its folder"

var (
	inUse    = []error{windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION, windows.ERROR_USER_MAPPED_FILE}
	full     = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL}
	readOnly = []error{windows.ERROR_WRITE_PROTECT}
)
