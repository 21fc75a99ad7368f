package cli

import (
	"errors"
	"fmt"
)

// The exit codes of every command.
const (
	ExitOK      = 0
	ExitFailed  = 1 // failed, or refused by a rule
	ExitUsage   = 2 // the command line or an environment variable is wrong
	ExitDamaged = 3 // ran and found what it looks for: damage, a difference, or too low a score
	ExitPartly  = 4 // done except for some items, which the command has reported
	// ExitInterrupted: an interrupt stopped the command; a second one does at once.
	ExitInterrupted = 130
)

// ExitCodes explains the exit codes in the help of a program; found says when its commands end with ExitDamaged.
func ExitCodes(found string) string {
	return `Exit codes:
  0  done
  1  failed, or refused by a rule: there is no result
  2  wrong command line or environment
  3  ` + found + `
  4  done, except for items that could not be read, assessed or changed; the output says which and why
130  interrupted`
}

var (
	errUsage = errors.New("usage")
	// ErrDamaged is the error of a command that found damage or a difference and has printed it.
	ErrDamaged = errors.New("damage was found")
	// ErrFound is the error of a command that found what --fail-on or --fail-under define and has printed it.
	ErrFound = errors.New("findings fail the command")
)

// partlyError is the error of a command that succeeded for some of its items and has reported the others.
type partlyError struct{ text string }

func (e partlyError) Error() string { return e.text }

// Partly returns the error of a command that succeeded for some of its items and has reported the others.
func Partly(format string, args ...any) error { return partlyError{fmt.Sprintf(format, args...)} }

// IsPartly reports whether err is that of a command that succeeded for some of its items.
func IsPartly(err error) bool {
	_, partly := errors.AsType[partlyError](err)
	return partly
}

// Usage returns an error of the command line.
func Usage(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUsage, fmt.Errorf(format, args...))
}
