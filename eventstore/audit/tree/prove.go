package tree

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"readiness/internal/lists"
)

// Head is the size of a tree and its hash.
type Head struct {
	Size int64
	Root Hash
}

// Read returns the hashes of tiles, at least as many of each as its place in paths needs.
type Read func(places []At) (map[At][]byte, error)

// ErrDamaged is the error of tiles that are missing, or whose hashes do not give the head's.
var ErrDamaged = errors.New("its stored tiles do not give the hash of its head")

// Has reports whether a tree of the size has what is asked for.
func (r Request) Has(size int64) bool { return size>>(height*r.Level) >= r.Index*Width+int64(r.Count) }

// Hashes returns the hashes of a tile that the tree has (Request.Has), ErrDamaged unless they give the tree's hash.
func Hashes(head Head, r Request, read Read) ([]byte, error) {
	t := &tiles{read: read}
	_, err := tlog.TileHashReader(tlog.Tree{N: head.Size, Hash: head.Root}, t).
		ReadHashes([]int64{tlog.StoredHashIndex(height*r.Level, r.Index*Width)})
	if err != nil {
		return nil, t.failed(fmt.Sprintf("tile %d at level %d", r.Index, r.Level), err)
	}
	return t.found[r.At][:r.Count*sha256.Size], nil
}

// Include returns the proof that the entry with the index is in the tree, ErrDamaged if it cannot be made.
func Include(head Head, index int64, read Read) ([]Hash, error) {
	if index < 0 || index >= head.Size {
		return nil, fmt.Errorf("tree: a tree of %d entries has none with the index %d", head.Size, index)
	}
	t := &tiles{read: read}
	proof, err := tlog.ProveRecord(head.Size, index, hashes(head, t))
	if err != nil {
		return nil, t.failed(fmt.Sprintf("prove that entry %d is in %d", index, head.Size), err)
	}
	return proof, nil
}

// Continue returns the proof that the tree continues the one that it was when it had size entries.
func Continue(head Head, size int64, read Read) ([]Hash, error) {
	if size < 0 || size > head.Size {
		return nil, fmt.Errorf("tree: a tree of %d entries does not continue one of %d", head.Size, size)
	}
	if size == 0 || size == head.Size {
		return nil, nil
	}
	t := &tiles{read: read}
	proof, err := tlog.ProveTree(head.Size, size, hashes(head, t))
	if err != nil {
		return nil, t.failed(fmt.Sprintf("prove that %d continues %d", head.Size, size), err)
	}
	return proof, nil
}

// Included checks a proof of Include.
func Included(proof []Hash, head Head, index int64, leaf Hash) error {
	return tlog.CheckRecord(proof, head.Size, head.Root, index, leaf)
}

// hashes reads nodes from tiles and checks these against the head.
func hashes(head Head, t *tiles) tlog.HashReader {
	return tlog.TileHashReader(tlog.Tree{N: head.Size, Hash: head.Root}, t)
}

// tiles implements tlog.TileReader.
type tiles struct {
	read  Read
	err   error         // of reading
	found map[At][]byte // the tiles that were read last
}

// failed returns the error of what was to be done: that of reading, or else ErrDamaged.
func (t *tiles) failed(what string, err error) error {
	if t.err != nil {
		return fmt.Errorf("tree: %s: %w", what, t.err)
	}
	return fmt.Errorf("tree: %s: %w: %w", what, ErrDamaged, err)
}

// Height implements tlog.TileReader.
func (*tiles) Height() int { return height }

// SaveTiles implements tlog.TileReader.
func (*tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// ReadTiles implements tlog.TileReader.
func (t *tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	places := lists.Map(wanted, func(w tlog.Tile) At { return At{w.L, w.N} })
	if t.found, t.err = t.read(places); t.err != nil {
		return nil, t.err
	}
	data := make([][]byte, len(wanted))
	for i, w := range wanted {
		hashes := t.found[places[i]]
		if len(hashes) < w.W*sha256.Size {
			return nil, fmt.Errorf("of tile %d at level %d there are %d bytes, want %d", w.N, w.L, len(hashes), w.W*sha256.Size)
		}
		data[i] = hashes[:w.W*sha256.Size]
	}
	return data, nil
}
