//go:build !linux

package folder_test

// asNobody does nothing: only Linux has users by thread.
func asNobody() {}
