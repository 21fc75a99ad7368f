// Package filefault says what a person can do at their own machine about a file or folder that cannot be read or written.
package filefault

import (
	"errors"
	"io/fs"
	"os"
	"slices"
)

// Cause returns the message of err without the operation and the path.
func Cause(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	}
	return err.Error()
}

// Path returns what err is about, "" if it does not say: of a rename the new name.
func Path(err error) string {
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.New
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Path
	}
	return ""
}

// Cure says in a clause what to do about err; "" if only the cause can tell.
func Cure(err error) string {
	is := func(target error) bool { return errors.Is(err, target) }
	switch {
	case slices.ContainsFunc(inUse, is):
		return "close the program that has it open"
	case slices.ContainsFunc(full, is):
		return "make room on the disk"
	case slices.ContainsFunc(readOnly, is):
		return "copy it to a disk that can be written"
	case errors.Is(err, fs.ErrPermission):
		return denied
	}
	return ""
}

// With returns the cause of err and, where one is known, the cure behind a semicolon.
func With(err error) string {
	text := Cause(err)
	if cure := Cure(err); cure != "" {
		text += "; " + cure
	}
	return text
}
