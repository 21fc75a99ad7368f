// Package definition holds item definitions as the platform and Git keep them:
// a set of parts, each a path and bytes. Its subpackages parse and edit the
// parts without loss. Nothing here does I/O.
package definition

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
)

// Part is one file of a definition. Path is relative to the item's folder, with
// forward slashes; it never starts with a slash and never holds "..".
type Part struct {
	Path string `json:"path"`
	Data []byte `json:"data"`
}

// Definition is every part of an item, ordered by path (byte-wise).
type Definition struct {
	Parts []Part
}

// New returns a definition of the parts, sorted by path.
func New(parts ...Part) Definition {
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.Path, b.Path) })
	return Definition{parts}
}

// Part returns the bytes of the part at path.
func (d Definition) Part(path string) ([]byte, bool) {
	i, ok := slices.BinarySearchFunc(d.Parts, path, func(p Part, path string) int { return strings.Compare(p.Path, path) })
	if !ok {
		return nil, false
	}
	return d.Parts[i].Data, true
}

// Hash is "sha256:" and the hex digest over every path and every byte, each
// preceded by its length, so that two definitions share a hash only when they
// are the same byte for byte.
func (d Definition) Hash() string {
	h := sha256.New()
	var n [8]byte
	write := func(b []byte) {
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	for _, p := range d.Parts {
		write([]byte(p.Path))
		write(p.Data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
