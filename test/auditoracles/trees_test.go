package auditoracles_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"testing"

	"github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/merkle/compact"
	merkleproof "github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/client"

	"readiness/eventstore/audit"
	audittree "readiness/eventstore/audit/tree"
)

var errBehind = errors.New("the head that is served is not later than the one that was kept")

// At every size up to 70,000 the tree is the one that transparency-dev's merkle/compact makes.
func TestEverySize(t *testing.T) {
	t.Parallel()
	ours := &audittree.Edge{}
	theirs := (&compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}).NewEmptyRange(0)
	for i := range uint64(70_000) {
		entry := binary.BigEndian.AppendUint64(nil, i)
		ours.Append(audittree.Leaf(entry))
		if err := theirs.Append(rfc6962.DefaultHasher.HashLeaf(entry), nil); err != nil {
			t.Fatal(err)
		}
		want, err := theirs.GetRootHash(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := ours.Root(); !bytes.Equal(got[:], want) {
			t.Fatalf("at %d: %x, want %x", i+1, got, want)
		}
	}
}

// Tessera's fsck finds the trees of the running service complete, its client finds that they continue each earlier head, and its proofs
// equal those of the service. The file of a proof proves the line that the interface returns.
func TestRunningService(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fresh(t))
	kept := map[string][][]byte{}
	for range 6 { // ends with more than a full tile of all events and of acme
		w.change("acme", "ada", 60)
		w.change("other", "oscar", 3)
		w.seal()
		for _, of := range []string{audit.Service, "acme", "other"} {
			note, err := w.tree(of).ReadCheckpoint(t.Context())
			w.must(err)
			kept[of] = append(kept[of], note)
		}
	}
	for of, notes := range kept {
		tree := w.tree(of)
		if err := w.fsck(tree); err != nil {
			t.Errorf("fsck of %q: %v", of, err)
		}
		for _, note := range notes {
			if err := w.continues(tree, note); err != nil {
				t.Errorf("the client on %q: %v", of, err)
			}
		}
		head, _, _, err := client.FetchCheckpoint(t.Context(), tree.ReadCheckpoint, tree.verifier, tree.origin)
		w.must(err)
		builder, err := client.NewProofBuilder(t.Context(), head.Size, tree.ReadTile)
		w.must(err)
		if of != audit.Service {
			w.proofs(of, tree, head, builder)
		}
	}
}

// proofs checks the proof file of every event of an account.
func (w *world) proofs(of string, tree tree, head *log.Checkpoint, builder *client.ProofBuilder) {
	w.Helper()
	index := uint64(0)
	for r, err := range w.Store.ReadStream(w.Context(), "account-"+of, 0) {
		w.must(err)
		line, err := r.Line()
		w.must(err)
		if index%3 > 0 && index > 10 {
			index++
			continue
		}
		var file proof.TLogProof
		w.must(file.Unmarshal(w.get(of, "/v1/audit/proofs/"+r.ID.String())))
		signed, _, _, err := log.ParseCheckpoint(file.Checkpoint, tree.origin, tree.verifier)
		w.must(err)
		hashes := make([][]byte, len(file.Hashes))
		for i, h := range file.Hashes {
			hashes[i] = h[:]
		}
		if file.Index != index || signed.Size != head.Size || !json.Valid(line) {
			w.Fatalf("the file has the index %d of %d, want %d of %d", file.Index, signed.Size, index, head.Size)
		}
		if err := merkleproof.VerifyInclusion(rfc6962.DefaultHasher, file.Index, signed.Size, rfc6962.DefaultHasher.HashLeaf(line), hashes, signed.Hash); err != nil {
			w.Fatalf("event %d: %v", index, err)
		}
		if index%51 == 0 {
			theirs, err := builder.InclusionProof(w.Context(), index)
			w.must(err)
			if len(theirs) != len(hashes) || len(theirs) > 0 && !bytes.Equal(bytes.Join(theirs, nil), bytes.Join(hashes, nil)) {
				w.Errorf("the client's proof of event %d differs", index)
			}
		}
		index++
	}
	if index != head.Size {
		w.Errorf("%d events, and a tree of %d", index, head.Size)
	}
}
