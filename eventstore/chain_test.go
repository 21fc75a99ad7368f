package eventstore_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"
	"time"

	"readiness/eventstore"
	"readiness/test/pgtest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// The way hashes are computed must never change, or every existing log would seem tampered with. The
// test computes them again, from the description, and compares them with the values stored when the
// format was introduced.
func TestHashFormatIsStable(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("0193fd4c-0000-7000-8000-000000000001")
	at := time.Date(2026, 11, 21, 12, 0, 0, 123456000, time.UTC)
	s := eventstore.New(pgtest.Pool(t), codec(t), eventstore.Options{
		Now:   func() time.Time { return at },
		NewID: func() uuid.UUID { id[15]++; return id },
	})
	mustAdd(t, s, "note-é", noted{"<a>"}, noted{"\u0000"})

	var want, got []string
	chain := make([]byte, 32)
	position := uint64(0)
	for r, err := range s.ReadStream(t.Context(), "note-é", 0) {
		if err != nil {
			t.Fatal(err)
		}
		position++
		form := chain
		for _, member := range [][]byte{
			{0x01, 0x93, 0xfd, 0x4c, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, byte(1 + position)},
			[]byte("acme"), []byte("note-é"), number(position), []byte("note.noted"), number(1), number(uint64(at.UnixMicro())),
			[]byte([]string{`{"text":"\u003ca\u003e"}`, `{"text":"\u0000"}`}[position-1]), []byte(`{"account":"acme","person":"ann","requestId":"r-1"}`),
		} {
			form = append(append(form, number(uint64(len(member)))...), member...)
		}
		sum := sha256.Sum256(form)
		chain = sum[:]
		seal := sha256.Sum256(append(sum[:], number(position)...))
		want, got = append(want, hex.EncodeToString(seal[:])), append(got, hex.EncodeToString(r.Hash))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not as described: %s", diff)
	}
	stored := []string{
		"71ab153ecda6f438ab4c29272ddc6464db0172fbbad9ccd705891a2d167b0e9d",
		"f7b37d83829cf56957e31ae86abac7cbf531180f84d3014bbf55c2b47ddb6deb",
	}
	if diff := cmp.Diff(stored, got); diff != "" {
		t.Errorf("not as when the format was introduced: %s", diff)
	}
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
