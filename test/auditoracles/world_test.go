package auditoracles_test

import (
	"bytes"
	"crypto/ed25519"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"

	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/eventstore/audit"
	readinesshttp "readiness/http"
	"readiness/http/rate"
	"readiness/http/token"
	"readiness/test/testlog"
	"readiness/test/testworld"
)

const origin = "readiness.example.com/v1/audit"

var (
	seed = bytes.Repeat([]byte{3}, ed25519.SeedSize)
	key  = ed25519.NewKeyFromSeed(seed)
)

// world is the service on a database, with administrators ada of acme and oscar of other.
type world struct {
	testing.TB
	*testworld.World
	url    string // of the service
	issuer *token.Issuer
	log    *audit.Log
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func newWorld(t testing.TB, databaseURL string) *world {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), databaseURL)
	testworld.Check(t, err)
	t.Cleanup(pool.Close)
	w := &world{TB: t, World: testworld.New(t, testworld.Options{Pool: pool, Clock: testworld.RunningFrom(time.Now()), Declared: true})}
	w.log = audit.New(audit.Options{Pool: pool, Watermark: w.Store.Watermark, Key: key, Now: w.Now, Log: slog.New(slog.DiscardHandler)})
	w.must(w.log.Begin(t.Context(), origin))
	w.issuer, err = token.OpenIssuer(t.TempDir())
	w.must(err)
	w.serve(databaseURL)
	return w
}

func (w *world) serve(databaseURL string) {
	limiter, err := rate.Open(w.Context(), databaseURL, rate.Options{Connections: 1, Timeout: time.Minute})
	w.must(err)
	verifier, err := token.NewVerifier(token.Options{Embedded: w.issuer, Now: w.Now, Log: slog.New(slog.DiscardHandler)})
	w.must(err)
	listening := httptest.NewUnstartedServer(nil)
	w.url = "http://" + listening.Listener.Addr().String()
	s, err := readinesshttp.New(readinesshttp.Options{Commands: w.Commands, Views: w.Views, Audit: w.log, Verifier: verifier, Limiter: limiter,
		BaseURL: w.url, PortalURL: w.url, TokenKey: make([]byte, 32), Registry: prometheus.NewRegistry(),
		Log: slog.New(slog.DiscardHandler), Now: w.Now})
	w.must(err)
	listening.Config.Handler = s.Handler()
	listening.Start()
	w.Cleanup(func() { listening.Close(); limiter.Close() })
}

// change records n changes of an account, each an event.
func (w *world) change(id, person string, n int) {
	w.Helper()
	for i := range n {
		_, err := w.Accounts.Apply(w.Context(), []account.Declaration{{AccountID: id, Plan: account.Team, Status: account.Active,
			Settings: account.Settings{AIFeatures: true, DefinitionCopies: account.CopiesNone}, Region: "region " + string(rune('a'+i%2)),
			People: []account.Person{{Person: item.Person{ID: person}, Role: account.Admin}}}})
		w.must(err)
	}
}

func (w *world) seal() {
	w.Helper()
	w.must(w.log.Seal(w.Context()))
}

// get reads a path of the service as the account's administrator.
func (w *world) get(of, path string) []byte {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.url+path, nil)
	w.must(err)
	r.Header.Set("Authorization", "Bearer "+w.token(of))
	answer, err := http.DefaultClient.Do(r)
	w.must(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	w.must(err)
	if answer.StatusCode != http.StatusOK {
		w.Fatalf("%s: %d %s", path, answer.StatusCode, body)
	}
	return body
}

func (w *world) token(of string) string {
	w.Helper()
	person := map[string]string{audit.Service: "ada", "acme": "ada", "other": "oscar"}[of]
	id := of
	if of == audit.Service {
		id = "acme"
	}
	signed, err := w.issuer.Mint(id, person, []string{token.ScopeRead}, w.Now(), time.Hour)
	w.must(err)
	return signed
}

// tree is a tree as its reader knows it: an address, a name and a key.
type tree struct {
	*client.HTTPFetcher
	of, origin string
	verifier   note.Verifier
}

func (w *world) tree(of string) tree {
	w.Helper()
	path := "/v1/audit/"
	if of != audit.Service {
		path += "accounts/" + of + "/"
	}
	root, err := url.Parse(w.url + path)
	w.must(err)
	f, err := client.NewHTTPFetcher(root, nil)
	w.must(err)
	f.SetAuthorizationHeader("Bearer " + w.token(of))
	named := audit.Origin(origin, of, 1)
	vkey, err := audit.VerifierKey(named, key.Public().(ed25519.PublicKey))
	w.must(err)
	v, err := note.NewVerifier(vkey)
	w.must(err)
	return tree{f, of, named, v}
}

// fsck runs Tessera's fsck on the tree.
func (w *world) fsck(t tree) error {
	return fsck.New(t.origin, t.verifier, t, leaves, fsck.Opts{N: 2}).Check(w.Context())
}

// leaves returns the hashes of a bundle's entries, as Tessera's own command does.
func leaves(bundle []byte) (hashes [][]byte, err error) {
	var b api.EntryBundle
	if err := b.UnmarshalText(bundle); err != nil {
		return nil, err
	}
	for _, e := range b.Entries {
		hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(e))
	}
	return hashes, nil
}

// continues reports with Tessera's client whether the tree that is served now continues a head that was kept.
func (w *world) continues(t tree, kept []byte) error {
	tracker, err := client.NewLogStateTracker(w.Context(), t.ReadTile, kept, t.verifier, t.origin, client.UnilateralConsensus(t.ReadCheckpoint))
	if err != nil {
		return err
	}
	if _, _, _, err = tracker.Update(w.Context()); err != nil {
		return err
	}
	served, _, _, err := client.FetchCheckpoint(w.Context(), t.ReadCheckpoint, t.verifier, t.origin)
	if err != nil {
		return err
	}
	if latest := tracker.Latest(); latest.Size != served.Size || !bytes.Equal(latest.Hash, served.Hash) {
		return errBehind
	}
	return nil
}

// as runs SQL as the owner of the database with the triggers off.
func (w *world) as(sql string, args ...any) {
	w.Helper()
	w.must(pgx.BeginFunc(w.Context(), w.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(w.Context(), "SET LOCAL session_replication_role = replica"); err != nil {
			return err
		}
		_, err := tx.Exec(w.Context(), sql, args...)
		return err
	}))
}

// fresh returns the address of an empty log.
func fresh(t testing.TB) string { return testlog.URL(t) }
