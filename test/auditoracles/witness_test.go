package auditoracles_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/transparency-dev/formats/log"
	cosigned "github.com/transparency-dev/formats/note"
	merkleproof "github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"

	"readiness/eventstore/audit"
	"readiness/eventstore/audit/publish"
)

// witness simulates a public witness: C2SP tlog-witness, with the packages that public witnesses use.
type witness struct {
	flag     string // as --witness has it
	log      note.Verifier
	signer   note.Signer
	verifier note.Verifier

	mu     sync.Mutex
	broken bool
	asked  int
	size   uint64
	root   []byte
}

func newWitness(t *testing.T, name string, of tree) *witness {
	t.Helper()
	skey, vkey, err := note.GenerateKey(rand.Reader, name)
	must(t, err)
	cosignature, err := cosigned.VKeyToCosignatureV1(vkey)
	must(t, err)
	w := &witness{log: of.verifier}
	w.signer, err = cosigned.NewSignerForCosignatureV1(skey)
	must(t, err)
	w.verifier, err = cosigned.NewVerifierForCosignatureV1(vkey)
	must(t, err)
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.flag = cosignature + "=" + server.URL + "/"
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ServeHTTP answers add-checkpoint.
func (w *witness) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	body, err := io.ReadAll(r.Body)
	request, signed, ok := bytes.Cut(body, []byte("\n\n"))
	lines := strings.Split(string(request), "\n")
	var old uint64
	_, scanned := fmt.Sscanf(lines[0], "old %d", &old)
	head, _, n, parsed := log.ParseCheckpoint(signed, w.log.Name(), w.log)
	switch {
	case w.broken || r.URL.Path != "/add-checkpoint" || r.Method != http.MethodPost:
		http.Error(to, "this witness is broken", http.StatusInternalServerError)
		return
	case err != nil || !ok || scanned != nil || parsed != nil || old > head.Size:
		http.Error(to, fmt.Sprint(err, scanned, parsed), http.StatusBadRequest)
		return
	case old != w.size:
		to.Header().Set("Content-Type", "text/x.tlog.size")
		to.WriteHeader(http.StatusConflict)
		fmt.Fprintf(to, "%d\n", w.size)
		return
	}
	proof := make([][]byte, len(lines)-1)
	for i, line := range lines[1:] {
		if proof[i], err = base64.StdEncoding.DecodeString(line); err != nil {
			http.Error(to, err.Error(), http.StatusBadRequest)
			return
		}
	}
	if old > 0 {
		err = merkleproof.VerifyConsistency(rfc6962.DefaultHasher, old, head.Size, proof, w.root, head.Hash)
	} else if len(proof) > 0 {
		err = fmt.Errorf("a first head needs no proof")
	}
	if err != nil {
		http.Error(to, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	line, err := note.Sign(&note.Note{Text: n.Text}, w.signer)
	if err != nil {
		http.Error(to, err.Error(), http.StatusInternalServerError)
		return
	}
	w.size, w.root = head.Size, head.Hash
	_, _ = to.Write(bytes.TrimPrefix(line, []byte(n.Text+"\n")))
}

// publisher returns a publisher of a process that has just started.
func (w *world) publisher(folder string, needed int, by ...*witness) *publish.Publisher {
	w.Helper()
	bucket, err := publish.Open(w.Context(), "file://"+folder)
	w.must(err)
	w.Cleanup(func() { w.must(bucket.Close()) })
	o := publish.Options{Log: w.log, Bucket: bucket, Needed: needed, Leads: func(context.Context) (bool, error) { return true, nil }, Now: w.Now,
		Logger: slog.New(slog.DiscardHandler)}
	for _, one := range by {
		parsed, err := publish.ParseWitness(one.flag)
		w.must(err)
		o.Witnesses = append(o.Witnesses, parsed)
	}
	return publish.New(o)
}

// Witnesses sign each published head, and package formats verifies their signatures. If too few sign, no head of the tree is published. A
// witness that has seen another history signs nothing.
func TestWitnesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fresh(t))
	tree, folder := w.tree(audit.Service), t.TempDir()
	one, two := newWitness(t, "one.example.com", tree), newWitness(t, "two.example.com", tree)
	head := func() audit.Head {
		t.Helper()
		h, err := w.log.Head(t.Context(), audit.Service, audit.Current)
		w.must(err)
		return h
	}
	grow := func() audit.Head {
		t.Helper()
		w.change("acme", "ada", 30)
		w.seal()
		return head()
	}
	published := func(h audit.Head, by ...*witness) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(folder, publish.Key(tree.origin, h.Size)))
		if len(by) == 0 {
			if !os.IsNotExist(err) {
				t.Errorf("%d is published: %s, %v", h.Size, text, err)
			}
			return
		}
		w.must(err)
		verifiers := make([]note.Verifier, len(by))
		for i, one := range by {
			verifiers[i] = one.verifier
		}
		served := w.get(audit.Service, "/v1/audit/checkpoint")
		for name, text := range map[string][]byte{"published": text, "served": served} {
			if _, _, n, err := log.ParseCheckpoint(text, tree.origin, tree.verifier, verifiers...); err != nil || len(n.Sigs) != 1+len(by) {
				t.Errorf("%s at %d, %v:\n%s", name, h.Size, err, text)
			}
		}
	}
	p := w.publisher(folder, 2, one, two)
	for range 3 {
		h := grow()
		w.must(p.Round(t.Context()))
		published(h, one, two)
	}
	if one.asked != 3 {
		t.Errorf("a witness was asked %d times", one.asked)
	}

	p = w.publisher(folder, 2, one, two) // does not know the sizes: the witnesses return them
	h := grow()
	w.must(p.Round(t.Context()))
	published(h, one, two)
	if one.asked != 5 {
		t.Errorf("a witness was asked %d times", one.asked)
	}

	two.broken = true
	h = grow()
	if err := p.Round(t.Context()); err == nil || !strings.Contains(err.Error(), "1 of 2 witnesses signed") || !strings.Contains(err.Error(), "two.example.com") {
		t.Errorf("with one of two: %v", err)
	}
	published(h)
	w.must(w.publisher(folder, 1, one, two).Round(t.Context()))
	published(h, one)
	two.broken = false
	h = grow()
	w.must(p.Round(t.Context())) // what it missed is in the proof
	published(h, one, two)

	one.root = bytes.Repeat([]byte{1}, 32)
	h = grow()
	if err := p.Round(t.Context()); err == nil || !strings.Contains(err.Error(), "422") {
		t.Errorf("before a witness of another history: %v", err)
	}
	published(h)
	one.size = uint64(h.Size) + 1
	if err := p.Round(t.Context()); err == nil || !strings.Contains(err.Error(), "one.example.com") {
		t.Errorf("before a witness of a longer history: %v", err)
	}
	published(h)
	if got := head(); string(got.Note) != string(h.Note) {
		t.Errorf("the stored note changed to %s", got.Note)
	}
}
