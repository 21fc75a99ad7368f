// Package disk says how much space a disk has.
package disk

import "errors"

// ErrUnknown is the error of Space on systems where it does not know.
var ErrUnknown = errors.New("disk: this system does not say how much space is left")
