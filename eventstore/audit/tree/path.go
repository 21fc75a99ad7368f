package tree

import (
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Request is a tile or a bundle of entries that a reader asks for.
type Request struct {
	At
	// Entries asks for the entries of the tile at level 0.
	Entries bool
	// Count is how many hashes or entries are asked for: Width, or fewer.
	Count int
}

// ParsePath reads the path of a tile or bundle as C2SP tlog-tiles writes it: tile/LEVEL/INDEX or tile/entries/INDEX, with .p/COUNT if
// not all Width are asked for. Every request has exactly one path.
func ParsePath(path string) (Request, error) {
	rest, ok := strings.CutPrefix(path, "tile/")
	if after, entries := strings.CutPrefix(rest, "entries/"); entries {
		rest = "data/" + after
	} else if strings.HasPrefix(rest, "data/") {
		ok = false
	}
	t, err := tlog.ParseTilePath(fmt.Sprintf("tile/%d/%s", height, rest))
	if !ok || err != nil || t.L > maxLevel {
		return Request{}, fmt.Errorf("tree: %q is not the path of a tile", path)
	}
	return Request{At{max(0, t.L), t.N}, t.L < 0, t.W}, nil
}

// maxLevel is the last level that C2SP tlog-tiles has.
const maxLevel = 5
