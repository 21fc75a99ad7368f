package publish

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"readiness/eventstore/audit"
)

const (
	// witnessLimit bounds a request to a witness, maxAnswer what it answers in bytes.
	witnessLimit = 15 * time.Second
	maxAnswer    = 16 << 10
	// cosignature is the type of a witness's key (C2SP tlog-cosignature).
	cosignature = 4
)

// Witness signs heads that continue those that it signed before (C2SP tlog-witness).
type Witness struct {
	verifier verifier
	url      string
	client   *http.Client
	// size is that of the head of the tree origin that it signed last, as far as is known.
	origin string
	size   int64
}

// ParseWitness reads NAME+HASH+KEY=URL: the verifier key of a witness, and the address below which add-checkpoint is.
func ParseWitness(text string) (*Witness, error) {
	vkey, address, ok := strings.Cut(text, "=")
	v, err := newVerifier(vkey)
	if !ok || err != nil {
		return nil, fmt.Errorf("a witness is NAME+HASH+KEY=URL, with a key for cosignatures, not %q", text)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not the address of a witness", address)
	}
	return &Witness{verifier: v, url: strings.TrimSuffix(address, "/"), client: &http.Client{Timeout: witnessLimit}}, nil
}

// Name returns the name of the witness.
func (w *Witness) Name() string { return w.verifier.name }

// sign returns the line with the witness's signature of a head. A witness that has signed an unexpected size returns that size, and
// is asked again.
func (w *Witness) sign(ctx context.Context, log *audit.Log, head audit.Head) ([]byte, error) {
	origin, _, err := audit.ParseBody(head.Note)
	if err != nil {
		return nil, err
	}
	if origin != w.origin { // the first head, or a new epoch
		w.origin, w.size = origin, 0
	}
	line, err := w.add(ctx, log, head)
	if size, ok := errors.AsType[sizeError](err); ok && int64(size) <= head.Size {
		w.size = int64(size)
		line, err = w.add(ctx, log, head)
	}
	if err != nil {
		return nil, fmt.Errorf("publish: witness %s: %w", w.verifier.name, err)
	}
	w.size = head.Size
	return line, nil
}

// sizeError is the size that a witness has signed.
type sizeError int64

// Error implements error.
func (e sizeError) Error() string {
	return fmt.Sprintf("it has signed a head of %d entries, which is not the expected size", int64(e))
}

func (w *Witness) add(ctx context.Context, log *audit.Log, head audit.Head) ([]byte, error) {
	proof, err := log.Continuation(ctx, head, w.size)
	if err != nil {
		return nil, err
	}
	body := fmt.Appendf(nil, "old %d\n", w.size)
	for _, h := range proof {
		body = append(base64.StdEncoding.AppendEncode(body, h[:]), '\n')
	}
	body = append(append(body, '\n'), head.Note...)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+"/add-checkpoint", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	answer, err := w.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusConflict && answer.Header.Get("Content-Type") == "text/x.tlog.size" {
		size, err := strconv.ParseInt(strings.TrimSuffix(string(text), "\n"), 10, 64)
		if err != nil || size < 0 {
			return nil, fmt.Errorf("it answered the size %q", text)
		}
		return nil, sizeError(size)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered %s: %.200q", answer.Status, text)
	}
	return w.line(head.Note, text)
}

// line returns the line of the answer that is the witness's signature of the note.
func (w *Witness) line(signed, answer []byte) ([]byte, error) {
	for line := range strings.Lines(string(answer)) {
		n, err := note.Open(append(append([]byte(nil), signed...), line...), note.VerifierList(w.verifier))
		if err == nil && len(n.Sigs) == 1 {
			return []byte(strings.TrimSuffix(line, "\n") + "\n"), nil
		}
	}
	return nil, errors.New("its answer has no valid signature by the witness's key")
}

// verifier verifies cosignatures. It implements note.Verifier.
type verifier struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func newVerifier(vkey string) (v verifier, err error) {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 || parts[0] == "" || strings.ContainsFunc(parts[0], func(r rune) bool { return r <= ' ' }) {
		return v, errors.New("no verifier key")
	}
	key, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(key) != 1+ed25519.PublicKeySize || key[0] != cosignature {
		return v, errors.New("no key for cosignatures")
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	v = verifier{parts[0], binary.BigEndian.Uint32(sum[:]), key[1:]}
	if parts[1] != fmt.Sprintf("%08x", v.hash) {
		return v, errors.New("the hash is not that of the key")
	}
	return v, nil
}

// Name implements note.Verifier.
func (v verifier) Name() string { return v.name }

// KeyHash implements note.Verifier.
func (v verifier) KeyHash() uint32 { return v.hash }

// Verify implements note.Verifier. A cosignature is a time and a signature over it and the text.
func (v verifier) Verify(text, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	signed := fmt.Appendf(nil, "cosignature/v1\ntime %d\n", binary.BigEndian.Uint64(sig))
	return ed25519.Verify(v.key, append(signed, text...), sig[8:])
}
