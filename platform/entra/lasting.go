package entra

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/cache"
	"github.com/AzureAD/microsoft-authentication-library-for-go/apps/confidential"

	"readiness/domain/item"
)

// LastingLife is how long a lasting token is kept at most. The identity provider may end it earlier.
const LastingLife = 24 * time.Hour

// lastingPrefix begins a lasting token. No token of a caller has it, because a JWT begins with its header.
const lastingPrefix = "lasting."

// lasting is a caller's token together with what the library keeps for it: above all the refresh token of an exchange, with
// which it goes on after the caller's token has ended. It is the library's cache for this one caller.
type lasting struct {
	Assertion string
	Cache     []byte
}

// Replace implements cache.ExportReplace.
func (l *lasting) Replace(_ context.Context, c cache.Unmarshaler, _ cache.ReplaceHints) error {
	if len(l.Cache) == 0 {
		return nil
	}
	return c.Unmarshal(l.Cache)
}

// Export implements cache.ExportReplace.
func (l *lasting) Export(_ context.Context, c cache.Marshaler, _ cache.ExportHints) (err error) {
	l.Cache, err = c.Marshal()
	return err
}

// lastingOf reads a lasting token.
func lastingOf(token string) (l lasting, ok bool) {
	encoded, ok := strings.CutPrefix(token, lastingPrefix)
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	return l, ok && err == nil && json.Unmarshal(text, &l) == nil && l.Assertion != ""
}

// Lasting returns a token in place of the caller's that For accepts after the caller's has ended, and when it is no longer
// kept. It holds a refresh token, so it is for the vault alone, for work that may outlast the caller's token, and is deleted
// with the work.
func (x *Exchange) Lasting(ctx context.Context, as item.Caller) (string, time.Time, error) {
	tenant, err := x.actable(as)
	if err != nil {
		return "", time.Time{}, err
	}
	if _, lasts := lastingOf(as.Token); lasts {
		return as.Token, x.o.Now().Add(LastingLife), nil
	}
	l := lasting{Assertion: as.Token}
	client, err := x.newClient(tenant, confidential.WithCache(&l))
	if err != nil {
		return "", time.Time{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, exchangeTimeout)
	defer cancel()
	if _, err := client.AcquireTokenOnBehalfOf(ctx, as.Token, x.o.Scopes[item.PermissionPlatform]); err != nil {
		return "", time.Time{}, x.failed(ctx, key{person: as.Person, permission: item.PermissionPlatform}, err)
	}
	text, err := json.Marshal(l)
	if err != nil {
		return "", time.Time{}, err
	}
	return lastingPrefix + base64.RawURLEncoding.EncodeToString(text), x.o.Now().Add(LastingLife), nil
}
