package token

import (
	"context"
	"crypto"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
	lru "github.com/hashicorp/golang-lru/v2"

	"readiness/domain"
)

// Options configures a Verifier.
type Options struct {
	Issuers []Trusted
	// Embedded is the embedded issuer; nil when it is off.
	Embedded *Issuer
	// Client fetches discovery documents and keys; nil for one that follows no redirect to another host.
	Client *http.Client
	// Transport is that of the client when Client is nil; nil for http.DefaultTransport.
	Transport http.RoundTripper
	Now       func() time.Time
	Log       *slog.Logger
}

// Verifier verifies tokens. It is safe for concurrent use.
type Verifier struct {
	issuers map[string]issuer // by iss
	several []string          // the URLs of Options.Issuers that have a place for the tenant
	scopes  []string          // to ask for at issuers, sorted
	// verified caches tokens with a verified signature, by hash. A signature stays valid as long as its key does. The
	// tokens themselves are not kept.
	verified *lru.Cache[[sha256.Size]byte, *verified]
}

// issuer is one trusted issuer: how to parse its tokens, check their claims and find their keys, and the tenant that they
// must name, if any.
type issuer struct {
	parser    *jwt.Parser
	validator *jwt.Validator
	key       func(context.Context, *jwt.Token) (any, error)
	tenant    string
}

// verifiedCacheSize bounds the cache of verified tokens.
const verifiedCacheSize = 4096

// verified is a token whose signature was verified.
type verified struct {
	from     issuer
	header   *jwt.Token // header and method only
	key      any        // the key that the token was signed with
	claims   claims
	identity Identity
}

// signed reports whether the issuer still has the key that the token was signed with.
func (t *verified) signed(ctx context.Context) bool {
	key, err := t.from.key(ctx, t.header)
	same, ok := key.(interface{ Equal(crypto.PublicKey) bool })
	return err == nil && ok && same.Equal(t.key)
}

// NewVerifier returns a Verifier. It fetches an issuer's keys when the first of its tokens arrives, so the service
// starts even when an issuer is down.
func NewVerifier(o Options) (*Verifier, error) {
	if len(o.Issuers) == 0 && o.Embedded == nil {
		return nil, errors.New("token: no issuer is configured and the embedded one is off, so no call could be authenticated")
	}
	seen, err := lru.New[[sha256.Size]byte, *verified](verifiedCacheSize)
	if err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	v := &Verifier{issuers: map[string]issuer{}, verified: seen}
	client := o.Client
	if client == nil {
		client = &http.Client{Transport: o.Transport, CheckRedirect: sameHost}
	}
	for _, t := range o.Issuers {
		if err := v.trust(t, client, o); err != nil {
			return nil, err
		}
	}
	if o.Embedded != nil {
		public := o.Embedded.key.Public()
		v.issuers[EmbeddedIssuer] = newIssuer(o.Now, EmbeddedIssuer, []string{EmbeddedAudience},
			func(context.Context, *jwt.Token) (any, error) { return public, nil })
	}
	return v, nil
}

// trust adds the issuers that t stands for.
func (v *Verifier) trust(t Trusted, client *http.Client, o Options) error {
	if len(t.Audiences) == 0 {
		return fmt.Errorf("token: issuer %s has no audience; configure the name this service has there", t.URL)
	}
	all, err := t.issuers()
	if err != nil {
		return err
	}
	for _, scope := range []string{ScopeRead, ScopeReadWrite} {
		v.scopes = append(v.scopes, askable(t.Audiences[0], scope))
	}
	slices.Sort(v.scopes)
	v.scopes = slices.Compact(v.scopes)
	for _, one := range all {
		if _, twice := v.issuers[one.url]; twice {
			return fmt.Errorf("token: issuer %s is configured twice", one.url)
		}
		keys, err := newKeys(one.url, client, o.Now, o.Log)
		if err != nil {
			return err
		}
		trusted := newIssuer(o.Now, one.url, t.Audiences, keys.find)
		trusted.tenant = one.tenant
		v.issuers[one.url] = trusted
		if one.tenant != "" && !slices.Contains(v.several, t.URL) {
			v.several = append(v.several, t.URL)
		}
	}
	return nil
}

func newIssuer(now func() time.Time, name string, audiences []string, key func(context.Context, *jwt.Token) (any, error)) issuer {
	options := []jwt.ParserOption{
		jwt.WithValidMethods([]string{jwt.SigningMethodRS256.Alg(), jwt.SigningMethodES256.Alg()}),
		jwt.WithIssuer(name), jwt.WithAudience(audiences...), jwt.WithExpirationRequired(),
		jwt.WithLeeway(skew), jwt.WithTimeFunc(now), jwt.WithStrictDecoding(),
	}
	return issuer{parser: jwt.NewParser(options...), validator: jwt.NewValidator(options...), key: key}
}

// Verify returns the identity of a token's bearer. Its errors are refusals: TokenExpired when only exp is wrong,
// otherwise Unauthorized.
func (v *Verifier) Verify(ctx context.Context, token string) (Identity, error) {
	if len(token) > MaxSize {
		return Identity{}, domain.Refuse(domain.Unauthorized, "the access token is longer than %d bytes", MaxSize)
	}
	hash := sha256.Sum256([]byte(token))
	if seen, ok := v.verified.Get(hash); ok && seen.signed(ctx) {
		if err := seen.from.validator.Validate(seen.claims); err != nil {
			return Identity{}, refusal(err)
		}
		return seen.identity, nil
	}
	seen, err := v.verify(ctx, token)
	if err != nil {
		return Identity{}, err
	}
	v.verified.Add(hash, seen)
	return seen.identity, nil
}

func (v *Verifier) verify(ctx context.Context, token string) (*verified, error) {
	var unverified claims
	if _, _, err := jwt.NewParser().ParseUnverified(token, &unverified); err != nil {
		return nil, domain.Refuse(domain.Unauthorized, "the access token is malformed")
	}
	from, known := v.issuers[unverified.Issuer]
	if !known {
		return nil, v.stranger(unverified.Issuer)
	}
	seen := &verified{from: from}
	_, err := from.parser.ParseWithClaims(token, &seen.claims, func(t *jwt.Token) (key any, err error) {
		// No critical header extension is supported, so each must be rejected (RFC 7515, 4.1.11).
		if _, critical := t.Header["crit"]; critical {
			return nil, errors.New("critical header")
		}
		seen.header = &jwt.Token{Header: t.Header, Method: t.Method}
		seen.key, err = from.key(ctx, t)
		return seen.key, err
	})
	if err != nil {
		return nil, refusal(err)
	}
	if err := seen.claims.ofTenant(from.tenant); err != nil {
		return nil, err
	}
	seen.identity = seen.claims.identity()
	return seen, nil
}

// faults maps errors of the JWT parser to messages. The first match is reported.
var faults = []struct {
	err     error
	message string
}{
	{jwt.ErrTokenSignatureInvalid, "the access token's signature is not the issuer's, or its algorithm is neither RS256 nor ES256"},
	{jwt.ErrTokenUnverifiable, "the access token is signed with a key that its issuer does not publish"},
	{jwt.ErrTokenRequiredClaimMissing, "the access token lacks one of the claims iss, aud and exp"},
	{jwt.ErrTokenInvalidAudience, "the access token is for another service; ask its issuer for one whose aud is this service"},
	{jwt.ErrTokenInvalidIssuer, "the access token is from an issuer that this service does not trust"},
	{jwt.ErrTokenNotValidYet, "the access token is not valid yet"},
}

func refusal(err error) error {
	if errors.Is(err, errKeysUnreachable) {
		// The caller is not at fault, but a call that cannot be authenticated must get 401.
		return domain.Refuse(domain.Unauthorized, "the keys of the access token's issuer cannot be read now, so the token cannot be "+
			"verified; call again").After(5 * time.Second)
	}
	for _, f := range faults {
		if errors.Is(err, f.err) {
			return domain.Refuse(domain.Unauthorized, "%s", f.message)
		}
	}
	if errors.Is(err, errNoPerson) {
		return domain.Refuse(domain.Unauthorized, "the access token names no person: it has neither sub nor tid with oid")
	}
	if errors.Is(err, jwt.ErrTokenExpired) {
		return domain.Refuse(domain.TokenExpired, "the access token has expired; get a new one and call again")
	}
	return domain.Refuse(domain.Unauthorized, "the access token is malformed")
}
