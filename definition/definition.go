// Package definition represents item definitions as the platform and Git store them:
// a set of parts, each a path and bytes. Its subpackages parse and edit the parts
// without loss. Nothing here does I/O.
package definition

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
)

// Part is one file of a definition. Path is relative to the item's folder, with
// forward slashes; it never starts with a slash and never contains "..".
type Part struct {
	Path string `json:"path"`
	Data []byte `json:"data"`
}

// Definition is the set of all parts of an item, ordered by path (byte-wise).
type Definition struct {
	Parts []Part
	// Loose reports that the parts are the files of a semantic model that has no
	// item folder: one .bim file, or TMDL files in a folder. It can have no other
	// parts.
	Loose bool
	// MayLackCopilot reports that the platform may withhold the parts below Copilot/, so that a definition without them may belong to a
	// model that has them.
	MayLackCopilot bool
	// Format is what the platform calls the format of the parts; empty if it does not say. It is not part of the hash.
	Format string
}

// New returns a definition of the parts, sorted by path.
func New(parts ...Part) Definition {
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.Path, b.Path) })
	return Definition{Parts: parts}
}

// Part returns the bytes of the part at path.
func (d Definition) Part(path string) ([]byte, bool) {
	i, ok := slices.BinarySearchFunc(d.Parts, path, func(p Part, path string) int { return strings.Compare(p.Path, path) })
	if !ok {
		return nil, false
	}
	return d.Parts[i].Data, true
}

// With returns the definition with the parts put in the place of those with their paths; nil removes one.
func (d Definition) With(parts map[string][]byte) Definition {
	after := d
	after.Parts = nil
	for _, p := range d.Parts {
		if _, ok := parts[p.Path]; !ok {
			after.Parts = append(after.Parts, p)
		}
	}
	for path, data := range parts {
		if data != nil {
			after.Parts = append(after.Parts, Part{path, data})
		}
	}
	slices.SortFunc(after.Parts, func(a, b Part) int { return strings.Compare(a.Path, b.Path) })
	return after
}

// Named returns the part at path, ignoring letter case as Windows does. It prefers
// the part with exactly that path, else the first that differs only in letter case.
func (d Definition) Named(path string) (Part, bool) {
	if data, ok := d.Part(path); ok {
		return Part{path, data}, true
	}
	i := slices.IndexFunc(d.Parts, func(p Part) bool { return strings.EqualFold(p.Path, path) })
	if i < 0 {
		return Part{}, false
	}
	return d.Parts[i], true
}

// Spelled returns path in the letter case of the parts. If Named finds a part, that
// is the part's path; otherwise the existing folders of the path keep their letter
// case.
func (d Definition) Spelled(path string) string {
	if p, ok := d.Named(path); ok {
		return p.Path
	}
	elements := strings.Split(path, "/")
	spelled, depth := path, 0
	for _, p := range d.Parts {
		there := strings.Split(p.Path, "/")
		n := 0
		for n < len(elements)-1 && n < len(there)-1 && strings.EqualFold(elements[n], there[n]) {
			n++
		}
		exact := strings.HasPrefix(path, strings.Join(there[:n], "/")+"/")
		if n > depth || n == depth && n > 0 && exact {
			spelled, depth = strings.Join(append(there[:n:n], elements[n:]...), "/"), n
		}
	}
	return spelled
}

// Hash returns "sha256:" and the hex digest of every path and all bytes, each
// preceded by its length. Two definitions have the same hash only if they are equal
// byte for byte.
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
