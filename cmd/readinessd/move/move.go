// Package move carries an account from one deployment to another: its events, the documents that they name, its people, its sealed keys,
// and the trees of its log, as one file. The target is a separate deployment with an empty log, because positions are hashed:
// new ones would break every chain and proof.
//
// The file is a tar archive. It has no secret in plain text: people and keys are sealed for the target (HPKE), which only its service.key
// opens. It decides nothing about the account.
package move

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/eventstore"
	"readiness/eventstore/audit"
	"readiness/storage/documents"
	"readiness/storage/people"
	"readiness/storage/vault"
)

// Deployment is what an account is moved from or to.
type Deployment struct {
	Pool      *pgxpool.Pool
	Store     *eventstore.Store
	Documents *documents.Store
	People    *people.People
	Keys      *vault.Credentials
	Trees     *audit.Log
	// Key verifies the heads that the deployment signs.
	Key ed25519.PublicKey
}

// Moved counts what an export or an import moved.
type Moved struct {
	Account string
	// Sealed are rows whose secrets are sealed: people and keys. Rows are rows that are copied as they are.
	Events, Documents, Sealed, Rows int64
	Last                            int64 // the position of the last event
}

// header is the first entry of the file.
type header struct {
	Format  int    `json:"format"`
	Account string `json:"accountId"`
	// Sealed is the encapsulated key of what is sealed (HPKE).
	Sealed []byte `json:"sealed"`
	// Signer is the key of the source's signed heads.
	Signer []byte `json:"signer"`
}

const (
	format = 1
	// chunk is how many bytes of lines an entry has, at least; the last of a kind has fewer.
	chunk = 4 << 20
	// maxEntry bounds an entry that is no document; a line of an event has at most a part of it.
	maxEntry = 64 << 20
)

// The names of the entries, in their order; events and documents take turns.
const (
	headerEntry    = "account.json"
	eventsFolder   = "events/"
	documentFolder = "documents/"
	treesEntry     = "trees.ndjson"
	rowsFolder     = "rows/"
	sealedFolder   = "sealed/"
	endEntry       = "end.json"
)

// The records of an entry: until when its document is kept, and the sum of all entries up to it, by which a reader finds the first entry
// that was changed.
const (
	expires = "READINESS.expires"
	upTo    = "READINESS.sha256"
)

// end is the last entry of the file. Its sum covers every entry before it, in order, with the names.
type end struct {
	Entries int    `json:"entries"`
	Sum     string `json:"sha256"`
}

// summed is the sum of the entries so far.
type summed struct {
	hash    hash.Hash
	entries int
}

// add returns the sum of the entries up to this one.
func (s *summed) add(name, until string, body []byte) string {
	if s.hash == nil {
		s.hash = sha256.New()
	}
	s.entries++
	fmt.Fprintf(s.hash, "%d %q %q %d\n", s.entries, name, until, len(body))
	s.hash.Write(body)
	return s.end().Sum
}

func (s *summed) end() end { return end{s.entries, hex.EncodeToString(s.hash.Sum(nil))} }

// writer writes entries.
type writer struct {
	tar *tar.Writer
	summed
}

func (w *writer) add(name string, body []byte) error { return w.addUntil(name, body, nil) }

func (w *writer) addUntil(name string, body []byte, until *time.Time) error {
	h := &tar.Header{Name: name, Mode: 0o600, Size: int64(len(body)), Format: tar.FormatPAX, PAXRecords: map[string]string{}}
	if until != nil {
		h.PAXRecords[expires] = until.UTC().Format(time.RFC3339Nano)
	}
	if name != endEntry {
		h.PAXRecords[upTo] = w.summed.add(name, h.PAXRecords[expires], body)
	}
	if err := w.tar.WriteHeader(h); err != nil {
		return err
	}
	_, err := w.tar.Write(body)
	return err
}

func (w *writer) addJSON(name string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.add(name, body)
}

// close writes the last entry.
func (w *writer) close() error {
	if err := w.addJSON(endEntry, w.end()); err != nil {
		return err
	}
	return w.tar.Close()
}

// entry is one that was read.
type entry struct {
	name, until string
	body        []byte
}

// reader reads entries one by one, each completely into memory.
type reader struct {
	raw  io.Reader
	tar  *tar.Reader
	last string // the name of the entry that was read last
	summed
}

func newReader(from io.Reader) reader { return reader{raw: from, tar: tar.NewReader(from)} }

var errDamaged = errors.New("the file is cut off or damaged: export the account again")

// next returns the next entry. With the last, which must match those before it, it returns io.EOF.
func (r *reader) next() (e entry, err error) {
	h, err := r.tar.Next()
	if err != nil {
		//nolint:errorlint // io.EOF is no end here
		return e, fmt.Errorf("%w; it ends after entry %d, %q (%v)", errDamaged, r.entries, r.last, err)
	}
	limit := int64(maxEntry)
	if len(h.Name) > len(documentFolder) && h.Name[:len(documentFolder)] == documentFolder {
		limit = documents.MaxSize
	}
	if h.Typeflag != tar.TypeReg || h.Size > limit {
		return e, fmt.Errorf("readinessd accounts export does not write entry %d, %q: import the file that it wrote", r.entries+1, h.Name)
	}
	e = entry{name: h.Name, until: h.PAXRecords[expires]}
	if e.body, err = io.ReadAll(r.tar); err != nil {
		return e, fmt.Errorf("%w; it ends in entry %d, %q (%w)", errDamaged, r.entries+1, h.Name, err)
	}
	r.last = e.name
	if e.name != endEntry {
		if r.summed.add(e.name, e.until, e.body) != h.PAXRecords[upTo] {
			return e, fmt.Errorf("%w; entry %d, %q, was changed", errDamaged, r.entries, e.name)
		}
		return e, nil
	}
	var said end
	if err := decode(e.body, &said); err != nil || r.hash == nil || said != r.end() {
		return e, fmt.Errorf("%w; its entry %s does not match the entries before it", errDamaged, endEntry)
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) || !onlyZeros(r.raw) {
		return e, fmt.Errorf("%w; it has more after its entry %s", errDamaged, endEntry)
	}
	return e, io.EOF
}

// onlyZeros reports whether nothing is left to read but zeros, with which tools may fill a tar archive.
func onlyZeros(from io.Reader) bool {
	var block [4096]byte
	for {
		n, err := from.Read(block[:])
		for _, b := range block[:n] {
			if b != 0 {
				return false
			}
		}
		if err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// decode decodes one JSON text without unknown members.
func decode(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
