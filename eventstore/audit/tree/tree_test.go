package tree_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"readiness/eventstore/audit/tree"
)

// kept is what a caller keeps of a tree.
type kept map[tree.At][]byte

func (k kept) keep(t testing.TB, tiles []tree.Tile) {
	t.Helper()
	for _, tile := range tiles {
		if before := k[tile.At]; len(before) >= len(tile.Hashes) || !slices.Equal(before, tile.Hashes[:len(before)]) {
			t.Fatalf("tile %v had %d bytes and now has %d, which do not continue them", tile.At, len(before), len(tile.Hashes))
		}
		k[tile.At] = tile.Hashes
	}
}

func (k kept) read(places []tree.At) (map[tree.At][]byte, error) { return k, nil }

func leaf(i int64) tree.Hash { return tree.Leaf(binary.BigEndian.AppendUint64(nil, uint64(i))) }

// The root at every size is that of x/mod, whether the tree is appended to at once, one by one, or opened in between, and the tiles of a
// size are complete.
func TestRootAtEverySize(t *testing.T) {
	t.Parallel()
	const most = 1300
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for i, at := range indexes {
			found[i] = stored[at]
		}
		return found, nil
	})
	atOnce, tiles := &tree.Edge{}, kept{}
	for n := range int64(most + 1) {
		want := tree.Empty
		if n > 0 {
			more, err := tlog.StoredHashesForRecordHash(n-1, leaf(n-1), reader)
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, more...)
			if want, err = tlog.TreeHash(n, reader); err != nil {
				t.Fatal(err)
			}
			atOnce.Append(leaf(n - 1))
			opened, err := tree.Open(n-1, tiles)
			if err != nil {
				t.Fatal(err)
			}
			opened.Append(leaf(n - 1))
			tiles.keep(t, opened.Changed())
			if again := opened.Changed(); again != nil {
				t.Fatalf("at %d, tiles are changed again: %v", n, again)
			}
			if opened.Root() != want || opened.Size() != n {
				t.Fatalf("opened at %d: %s, want %s", n-1, opened.Root(), want)
			}
		}
		if got := atOnce.Root(); got != want {
			t.Fatalf("at %d: %s, want %s", n, got, want)
		}
		for _, at := range tree.EdgeOf(n) {
			if len(tiles[at]) == 0 {
				t.Fatalf("at %d, tile %v is missing", n, at)
			}
		}
	}
	all := kept{}
	all.keep(t, atOnce.Changed())
	for at, hashes := range tiles {
		if !slices.Equal(all[at], hashes) {
			t.Errorf("tile %v differs", at)
		}
	}
	if len(all) != len(tiles) {
		t.Errorf("%d tiles, want %d", len(all), len(tiles))
	}
}

func grown(t testing.TB, size int64) (kept, tree.Head) {
	t.Helper()
	e, tiles := &tree.Edge{}, kept{}
	for i := range size {
		e.Append(leaf(i))
	}
	tiles.keep(t, e.Changed())
	return tiles, tree.Head{Size: size, Root: e.Root()}
}

// A proof holds only for its entry at its index, or for a tree and its earlier state.
func TestProofs(t *testing.T) {
	t.Parallel()
	tiles, head := grown(t, 70_000)
	roots, e := []tree.Hash{tree.Empty}, &tree.Edge{} // by size
	for i := range head.Size {
		e.Append(leaf(i))
		roots = append(roots, e.Root())
	}
	rapid.Check(t, func(t *rapid.T) {
		earlier := tree.Head{Size: rapid.Int64Range(0, head.Size).Draw(t, "earlier")}
		earlier.Root = roots[earlier.Size]
		continues, err := tree.Continue(head, earlier.Size, tiles.read)
		if err != nil {
			t.Fatal(err)
		}
		if 0 < earlier.Size && earlier.Size < head.Size {
			if err := tlog.CheckTree(continues, head.Size, head.Root, earlier.Size, earlier.Root); err != nil {
				t.Fatal(err)
			}
			if tlog.CheckTree(continues, head.Size, head.Root, earlier.Size, leaf(1)) == nil {
				t.Error("another tree is continued")
			}
		}
		if earlier.Size == 0 {
			return
		}
		index := rapid.Int64Range(0, earlier.Size-1).Draw(t, "index")
		proof, err := tree.Include(earlier, index, tiles.read)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Included(proof, earlier, index, leaf(index)); err != nil {
			t.Fatal(err)
		}
		if tree.Included(proof, earlier, index, leaf(index+1)) == nil {
			t.Error("another entry is included")
		}
		if earlier.Size > 1 && tree.Included(proof, earlier, (index+1)%earlier.Size, leaf(index)) == nil {
			t.Error("the entry is included elsewhere")
		}
	})
}

// Proofs of missing entries, and tiles of another tree, are errors.
func TestProofsThatThereAreNot(t *testing.T) {
	t.Parallel()
	tiles, head := grown(t, 600)
	for name, do := range map[string]func() error{
		"an index below":  func() error { _, err := tree.Include(head, -1, tiles.read); return err },
		"an index above":  func() error { _, err := tree.Include(head, 600, tiles.read); return err },
		"a larger tree":   func() error { _, err := tree.Continue(head, 601, tiles.read); return err },
		"a negative tree": func() error { _, err := tree.Continue(head, -1, tiles.read); return err },
		"an edge without its tiles": func() error {
			_, err := tree.Open(600, kept{{Level: 0, Index: 2}: tiles[tree.At{Index: 2}]})
			return err
		},
		"a short tile": func() error {
			short := kept{{Level: 0, Index: 2}: tiles[tree.At{Index: 2}][:32], {Level: 1}: tiles[tree.At{Level: 1}]}
			_, err := tree.Include(head, 599, short.read)
			return err
		},
		"a changed tile": func() error {
			changed := kept{}
			for at, hashes := range tiles {
				changed[at] = slices.Clone(hashes)
			}
			changed[tree.At{Index: 1}][5] ^= 1
			_, err := tree.Include(head, 300, changed.read)
			return err
		},
		"another head": func() error {
			_, err := tree.Include(tree.Head{Size: 600, Root: leaf(0)}, 3, tiles.read)
			return err
		},
	} {
		if do() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestParsePath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]*tree.Request{
		"tile/0/000":                {Count: 256},
		"tile/5/000":                {At: tree.At{Level: 5}, Count: 256},
		"tile/0/x001/x234/067":      {At: tree.At{Index: 1_234_067}, Count: 256},
		"tile/1/001.p/8":            {At: tree.At{Level: 1, Index: 1}, Count: 8},
		"tile/0/x001/067.p/255":     {At: tree.At{Index: 1067}, Count: 255},
		"tile/entries/x001/067.p/1": {At: tree.At{Index: 1067}, Entries: true, Count: 1},
		"tile/entries/000":          {Entries: true, Count: 256},
		"":                          nil,
		"tile/":                     nil,
		"tile/0":                    nil,
		"tile/0/0":                  nil,
		"tile/0/1000":               nil,
		"tile/0/x000/001":           nil,
		"tile/0/-01":                nil,
		"tile/-1/000":               nil,
		"tile/6/000":                nil,
		"tile/00/000":               nil,
		"tile/data/000":             nil,
		"tile/8/0/000":              nil,
		"tile/0/000.p/0":            nil,
		"tile/0/000.p/256":          nil,
		"tile/0/000.p/01":           nil,
		"tile/0/000.p/":             nil,
		"tile/0/000/":               nil,
		"entries/000":               nil,
		"tile/0/x999/x999/x999/x999/x999/x999/x999/999": nil,
	} {
		got, err := tree.ParsePath(path)
		if (err == nil) != (want != nil) || want != nil && got != *want {
			t.Errorf("%q: got %+v, %v", path, got, err)
		}
	}
}

// BenchmarkAppend appends entries of the service's tree, with their hashes and all tiles.
func BenchmarkAppend(b *testing.B) {
	e := &tree.Edge{}
	var entry [40]byte
	for i := range b.N {
		binary.BigEndian.PutUint64(entry[:], uint64(i))
		e.Append(tree.Leaf(entry[:]))
		if i%5000 == 4999 {
			e.Changed()
			e.Root()
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "leaves/s")
}

func ExampleEdge() {
	e := &tree.Edge{}
	e.Append(tree.Leaf([]byte("a")))
	fmt.Println(e.Size(), e.Root() == tree.Hash(sha256.Sum256([]byte("\x00a"))))
	// Output: 1 true
}
