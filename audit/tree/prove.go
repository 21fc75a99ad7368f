package tree

import (
	"crypto/sha256"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Head is the size of a tree and its hash.
type Head struct {
	Size int64
	Root Hash
}

// Read returns the hashes of tiles, at least as many of each as its place in paths needs.
type Read func(places []At) (map[At][]byte, error)

// Include returns the proof that the entry with the index is in the tree. Tiles that do not have the tree's hash are an error.
func Include(head Head, index int64, read Read) ([]Hash, error) {
	if index < 0 || index >= head.Size {
		return nil, fmt.Errorf("tree: a tree of %d entries has none with the index %d", head.Size, index)
	}
	proof, err := tlog.ProveRecord(head.Size, index, hashes(head, read))
	if err != nil {
		return nil, fmt.Errorf("tree: prove that entry %d is in %d: %w", index, head.Size, err)
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
	proof, err := tlog.ProveTree(head.Size, size, hashes(head, read))
	if err != nil {
		return nil, fmt.Errorf("tree: prove that %d continues %d: %w", head.Size, size, err)
	}
	return proof, nil
}

// RootAt returns the hash that the tree had when it had size entries.
func RootAt(head Head, size int64, read Read) (Hash, error) {
	if size == 0 {
		return Empty, nil
	}
	if size < 0 || size > head.Size {
		return Hash{}, fmt.Errorf("tree: a tree of %d entries never had %d", head.Size, size)
	}
	root, err := tlog.TreeHash(size, hashes(head, read))
	if err != nil {
		return Hash{}, fmt.Errorf("tree: the hash at %d: %w", size, err)
	}
	return root, nil
}

// Included checks a proof of Include.
func Included(proof []Hash, head Head, index int64, leaf Hash) error {
	return tlog.CheckRecord(proof, head.Size, head.Root, index, leaf)
}

// Continued checks a proof of Continue.
func Continued(proof []Hash, head, earlier Head) error {
	switch {
	case earlier.Size == head.Size && earlier.Root != head.Root:
		return fmt.Errorf("tree: two trees of %d entries have different hashes", head.Size)
	case earlier.Size == 0 || earlier.Size == head.Size:
		return nil
	}
	return tlog.CheckTree(proof, head.Size, head.Root, earlier.Size, earlier.Root)
}

// hashes reads nodes from tiles and checks these against the head.
func hashes(head Head, read Read) tlog.HashReader {
	return tlog.TileHashReader(tlog.Tree{N: head.Size, Hash: head.Root}, tiles(read))
}

// tiles implements tlog.TileReader.
type tiles Read

// Height implements tlog.TileReader.
func (tiles) Height() int { return height }

// SaveTiles implements tlog.TileReader.
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// ReadTiles implements tlog.TileReader.
func (r tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	places := make([]At, len(wanted))
	for i, t := range wanted {
		places[i] = At{t.L, t.N}
	}
	found, err := r(places)
	if err != nil {
		return nil, err
	}
	data := make([][]byte, len(wanted))
	for i, t := range wanted {
		hashes := found[places[i]]
		if len(hashes) < t.W*sha256.Size {
			return nil, fmt.Errorf("tree: of tile %d at level %d there are %d bytes, want %d", t.N, t.L, len(hashes), t.W*sha256.Size)
		}
		data[i] = hashes[:t.W*sha256.Size]
	}
	return data, nil
}
