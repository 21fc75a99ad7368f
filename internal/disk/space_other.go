//go:build !linux && !darwin

package disk

// Space returns ErrUnknown.
func Space(string) (free, total uint64, err error) { return 0, 0, ErrUnknown }
