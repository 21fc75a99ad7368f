package move_test

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/eventstore/audit/tree"
)

// proofs returns the proof file of every event of the account that is in its newest tree, by the event's id.
func (s *site) proofs() map[uuid.UUID][]byte {
	s.Helper()
	all := map[uuid.UUID][]byte{}
	for r, err := range eventstore.ReadAccountIn(s.Context(), s.Pool, "acme", 1, 1<<62) {
		s.must(err)
		file, err := s.Trees.Proof(s.Context(), "acme", r.ID)
		s.must(err)
		all[r.ID] = file
	}
	return all
}

// proven checks that every proof shows the event that the deployment has under the id to be in the tree that the proof's head signs, and no
// other event. It returns the newest head.
func (s *site) proven(proofs map[uuid.UUID][]byte) (note []byte) {
	s.Helper()
	if len(proofs) == 0 {
		s.Error("there is no proof")
	}
	for r, err := range eventstore.ReadAccountIn(s.Context(), s.Pool, "acme", 1, 1<<62) {
		s.must(err)
		entry, err := r.Entry()
		s.must(err)
		text, signed, _ := strings.Cut(string(proofs[r.ID]), "\n\n")
		note = []byte(signed)
		lines := strings.Split(text, "\n")
		var index int64
		_, err = fmt.Sscanf(lines[1], "index %d", &index)
		s.must(err)
		var path []tree.Hash
		for _, line := range lines[2:] {
			hash, err := base64.StdEncoding.DecodeString(line)
			s.must(err)
			path = append(path, tree.Hash(hash))
		}
		_, head, err := audit.ParseBody(note)
		s.must(err)
		if err := tree.Included(path, head, index, tree.Leaf(entry)); err != nil {
			s.Errorf("the proof of event %s: %v", r.ID, err)
		}
		if err := tree.Included(path, head, index, tree.Leaf(append(entry, ' '))); err == nil {
			s.Errorf("the proof of event %s proves another one", r.ID)
		}
	}
	return note
}
