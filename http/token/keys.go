package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

const (
	fetchTimeout = 5 * time.Second
	maxDocument  = 1 << 20 // bytes of a discovery document or a key set
	// keysLife is how long fetched keys are fresh. Stale keys stay in use while fetching new ones fails.
	keysLife = time.Hour
	// keysPause is the least time between two fetches of an issuer's keys, however many tokens have an unknown kid.
	keysPause = 30 * time.Second
)

// errKeysUnreachable means that the issuer's keys have never been fetched, so its tokens cannot be verified.
var errKeysUnreachable = errors.New("token: the issuer's keys cannot be read")

// keys caches the signing keys of an issuer, found by OpenID Connect discovery.
type keys struct {
	issuer string
	client *http.Client
	now    func() time.Time
	log    *slog.Logger

	set atomic.Pointer[keySet] // nil until keys were fetched

	reading sync.Mutex // held during a fetch, so that all waiting callers share one
	tried   time.Time  // when the last fetch began, successful or not
	failed  error      // the error of the last fetch
}

// keySet is a set of keys and when it was fetched.
type keySet struct {
	keyfunc.Keyfunc
	read time.Time
}

func newKeys(issuer string, client *http.Client, now func() time.Time, log *slog.Logger) (*keys, error) {
	if err := fetchable(issuer); err != nil {
		return nil, fmt.Errorf("token: issuer %q: %w", issuer, err)
	}
	return &keys{issuer: issuer, client: client, now: now, log: log}, nil
}

// find returns the key that t is signed with. An unknown kid triggers a fetch, so a rotated key is accepted at once,
// but at most one fetch per keysPause.
func (k *keys) find(ctx context.Context, t *jwt.Token) (any, error) {
	set, err := k.current(ctx, false)
	if err != nil {
		return nil, err
	}
	key, err := set.KeyfuncCtx(ctx)(t)
	if !errors.Is(err, jwkset.ErrKeyNotFound) {
		return key, err
	}
	if set, err = k.current(ctx, true); err != nil {
		return nil, err
	}
	return set.KeyfuncCtx(ctx)(t)
}

// current returns the issuer's keys. It fetches them when there are none, when they are stale, or when unknown
// reports that a kid was not found. Callers for whom stale keys suffice do not wait for another caller's fetch, so an
// issuer that hangs does not block them.
func (k *keys) current(ctx context.Context, unknown bool) (*keySet, error) {
	set := k.set.Load()
	if set == nil || unknown {
		k.reading.Lock()
	} else if k.now().Sub(set.read) < keysLife || !k.reading.TryLock() {
		return set, nil
	}
	defer k.reading.Unlock()
	if now := k.now(); k.tried.IsZero() || now.Sub(k.tried) >= keysPause {
		k.tried = now
		// The first caller may give up, but the keys are for all callers.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
		defer cancel()
		read, err := k.fetch(ctx)
		k.failed = err
		if err == nil {
			k.set.Store(&keySet{read, now})
		} else {
			k.log.ErrorContext(ctx, "the keys of an issuer cannot be read", "issuer", k.issuer, "err", err)
		}
	}
	if set = k.set.Load(); set == nil {
		return nil, errors.Join(errKeysUnreachable, k.failed)
	}
	return set, nil
}

// Reach reads the keys of each issuer that t stands for once, as the service does for its first token. The error says why it
// cannot. A nil transport is http.DefaultTransport.
func Reach(ctx context.Context, t Trusted, transport http.RoundTripper) error {
	all, err := t.issuers()
	if err != nil {
		return err
	}
	client := &http.Client{Transport: transport, CheckRedirect: sameHost}
	for _, one := range all {
		k, err := newKeys(one.url, client, time.Now, slog.New(slog.DiscardHandler))
		if err == nil {
			_, err = k.fetch(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetch reads the discovery document and the key set that it names.
func (k *keys) fetch(ctx context.Context) (keyfunc.Keyfunc, error) {
	text, err := k.get(ctx, strings.TrimSuffix(k.issuer, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return nil, err
	}
	var found struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, fmt.Errorf("discovery document: %w", err)
	}
	if found.Issuer != k.issuer {
		return nil, fmt.Errorf("the discovery document names issuer %q; configure the issuer exactly as its tokens name it", found.Issuer)
	}
	if err := fetchable(found.JWKSURI); err != nil {
		return nil, fmt.Errorf("jwks_uri %q: %w", found.JWKSURI, err)
	}
	if text, err = k.get(ctx, found.JWKSURI); err != nil {
		return nil, err
	}
	var marshaled jwkset.JWKSMarshal
	if err := json.Unmarshal(text, &marshaled); err != nil {
		return nil, fmt.Errorf("key set: %w", err)
	}
	// Skip keys of unsupported types. UseWhitelist below drops encryption keys.
	storage := jwkset.NewMemoryStorage()
	for _, m := range marshaled.Keys {
		key, err := jwkset.NewJWKFromMarshal(m, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
		if err != nil || m.KTY != jwkset.KtyRSA && m.KTY != jwkset.KtyEC {
			continue
		}
		if err := storage.KeyWrite(ctx, key); err != nil {
			return nil, err
		}
	}
	return keyfunc.New(keyfunc.Options{Storage: storage, UseWhitelist: []jwkset.USE{jwkset.UseSig, ""}})
}

func (k *keys) get(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := k.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s returned %s", address, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxDocument+1))
	if err == nil && len(text) > maxDocument {
		err = fmt.Errorf("%s returned more than %d bytes", address, maxDocument)
	}
	return text, err
}

// fetchable returns an error unless the address may serve keys: https, or http on this machine.
func fetchable(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return errors.New("not an absolute address")
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return errors.New("must begin with https://, or with http:// on this machine")
}

// sameHost is a CheckRedirect that follows redirects only on the host that was asked.
func sameHost(r *http.Request, via []*http.Request) error {
	if len(via) >= 3 || r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
		return fmt.Errorf("a redirect to %s is not followed", r.URL.Host)
	}
	return nil
}
