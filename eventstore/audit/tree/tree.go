// Package tree computes Merkle trees as RFC 6962 defines them, stored as the tiles of C2SP tlog-tiles: heads, and proofs that an entry is
// in a tree and that a tree continues an earlier one. It does no I/O: callers pass and keep the tiles.
package tree

import (
	"crypto/sha256"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Width is how many hashes a full tile has. A tile of one level has the roots of the full tiles of the level below.
const Width = 1 << height

const height = 8

// Hash is the hash of an entry, of a node or of a tree.
type Hash = tlog.Hash

// Empty is the hash of a tree without entries.
var Empty = Hash(sha256.Sum256(nil))

// Leaf returns the hash of an entry.
func Leaf(entry []byte) Hash { return tlog.RecordHash(entry) }

// At is the place of a tile.
type At struct {
	Level int
	Index int64
}

// Tile is a tile with its hashes, one after another. It is full if it has Width hashes.
type Tile struct {
	At
	Hashes []byte
}

// Edge is the right edge of a tree: the tiles that are not full yet, which is all that appending needs. The zero Edge is that of an empty
// tree.
type Edge struct {
	size   int64
	levels []Tile
	full   []Tile // filled since the last call of Changed
	from   int64  // the size at the last call of Changed
}

// EdgeOf returns the places of the tiles that the edge of a tree of a size consists of.
func EdgeOf(size int64) (places []At) {
	for level := 0; size > 0; level, size = level+1, size>>height {
		if size%Width != 0 {
			places = append(places, At{level, size >> height})
		}
	}
	return places
}

// Open returns the edge of a tree of a size. tiles has the hashes of its tiles; it may have more hashes of a tile than the size has.
func Open(size int64, tiles map[At][]byte) (*Edge, error) {
	e := &Edge{size: size, from: size}
	for level, n := 0, size; n > 0; level, n = level+1, n>>height {
		t := Tile{At: At{level, n >> height}}
		if width := int(n % Width); width > 0 {
			hashes := tiles[t.At]
			if len(hashes) < width*sha256.Size {
				return nil, fmt.Errorf("tree: of tile %d at level %d there are %d bytes, and a tree of %d entries has %d",
					t.Index, level, len(hashes), size, width*sha256.Size)
			}
			t.Hashes = append(make([]byte, 0, Width*sha256.Size), hashes[:width*sha256.Size]...)
		}
		e.levels = append(e.levels, t)
	}
	return e, nil
}

// Size returns how many entries the tree has.
func (e *Edge) Size() int64 { return e.size }

// Append adds an entry, by its hash.
func (e *Edge) Append(leaf Hash) {
	e.size++
	for level := 0; ; level++ {
		if level == len(e.levels) {
			e.levels = append(e.levels, Tile{At: At{Level: level}})
		}
		t := &e.levels[level]
		if t.Hashes == nil {
			t.Hashes = make([]byte, 0, Width*sha256.Size)
		}
		t.Hashes = append(t.Hashes, leaf[:]...)
		if len(t.Hashes) < Width*sha256.Size {
			return
		}
		leaf = rootOf(t.Hashes)
		e.full = append(e.full, *t)
		*t = Tile{At: At{level, t.Index + 1}}
	}
}

// Changed returns the tiles that have more hashes than at the last call, or than when the edge was opened. Later appends do not change
// them.
func (e *Edge) Changed() []Tile {
	changed := e.full
	before, after := e.from, e.size
	for level := 0; after > 0 && level < len(e.levels); level, before, after = level+1, before>>height, after>>height {
		if t := e.levels[level]; len(t.Hashes) > 0 && before != after {
			t.Hashes = append([]byte(nil), t.Hashes...)
			changed = append(changed, t)
		}
	}
	e.full, e.from = nil, e.size
	return changed
}

// Root returns the hash of the tree.
func (e *Edge) Root() Hash {
	root, some := Empty, false
	for _, t := range e.levels {
		// The hashes of a tile are the roots of complete subtrees of one size. Those of its last 1, 2, 4, … hashes are joined first.
		for rest := t.Hashes; len(rest) > 0; {
			n := len(rest) / sha256.Size
			last := n & -n
			subtree := rootOf(rest[(n-last)*sha256.Size:])
			rest = rest[:(n-last)*sha256.Size]
			if some {
				subtree = node(subtree, root)
			}
			root, some = subtree, true
		}
	}
	return root
}

// node returns the hash of a node.
func node(left, right Hash) Hash {
	var b [1 + 2*sha256.Size]byte
	b[0] = 1
	copy(b[1:], left[:])
	copy(b[1+sha256.Size:], right[:])
	return sha256.Sum256(b[:])
}

// rootOf returns the root of a complete subtree over hashes, a power of two of them.
func rootOf(hashes []byte) Hash {
	var level [Width]Hash
	n := len(hashes) / sha256.Size
	for i := range n {
		copy(level[i][:], hashes[i*sha256.Size:])
	}
	for ; n > 1; n /= 2 {
		for i := range n / 2 {
			level[i] = node(level[2*i], level[2*i+1])
		}
	}
	return level[0]
}
