package signin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"readiness/client"
	"readiness/http/console/page"
)

// session is a sign-in that the service stores, sealed. The browser has only its id.
type session struct {
	page.Person
	// Issuer is the issuer's address; "" for the trial.
	Issuer  string    `json:"issuer,omitempty"`
	Access  string    `json:"access"`
	Refresh string    `json:"refresh,omitempty"`
	Expires time.Time `json:"expires"`
}

// Account returns the account that the content of a session is for; "" if it is none.
func Account(content []byte) string {
	var s session
	if err := json.Unmarshal(content, &s); err != nil {
		return ""
	}
	return s.Account
}

// renewEarly is how long before its end a token is renewed.
const renewEarly = time.Minute

// errEnded is the error of a sign-in that cannot be renewed.
var errEnded = errors.New("the sign-in has ended")

// Current returns who is signed in, and the source of their access tokens. who is nil when no one is.
func (d *Desk) Current(r *http.Request) (who *page.Person, tokens Tokens, err error) {
	cookie, err := r.Cookie(d.cookie(sessionCookie))
	if err != nil {
		return nil, Tokens{}, nil //nolint:nilerr // no cookie, no session
	}
	s, ok, err := d.read(r.Context(), cookie.Value)
	if err != nil || !ok {
		return nil, Tokens{}, err
	}
	if d.o.Now().After(s.Expires) && s.Refresh == "" {
		return nil, Tokens{}, nil
	}
	return &s.Person, Tokens{d, cookie.Value, s}, nil
}

func (d *Desk) read(ctx context.Context, id string) (s session, ok bool, err error) {
	content, ok, err := d.o.Sessions.Read(ctx, id, d.o.Now())
	if err != nil || !ok {
		return s, false, err
	}
	return s, true, json.Unmarshal(content, &s)
}

// Tokens are the access tokens of a session.
type Tokens struct {
	desk *Desk
	id   string
	s    session
}

// Token is a client.TokenSource. It renews a token that is about to end.
func (t Tokens) Token(ctx context.Context) (string, error) {
	if t.s.Refresh == "" || t.desk.o.Now().Before(t.s.Expires.Add(-renewEarly)) {
		return t.s.Access, nil
	}
	return t.renewed(ctx)
}

// Renew is for client.Options: it renews a token that the service refused.
func (t Tokens) Renew(ctx context.Context, refused *client.Error) (string, error) {
	if t.s.Refresh == "" || refused.Claims() != "" { // a refresh does not meet the requirements for a new sign-in
		return "", refused
	}
	access, err := t.renewed(ctx)
	if errors.Is(err, errEnded) {
		return "", refused
	}
	return access, err
}

// renewed renews the session's tokens. Calls for one session share the request, because many issuers accept a refresh token
// once; of two processes, the second finds what the first stored.
func (t Tokens) renewed(ctx context.Context) (string, error) {
	access, err, _ := t.desk.renewals.Do(t.id, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		defer cancel()
		s, ok, err := t.desk.read(ctx, t.id)
		switch {
		case err != nil:
			return "", err
		case !ok:
			return "", errEnded
		case s.Access != t.s.Access: // renewed meanwhile
			return s.Access, nil
		}
		fresh, err := t.desk.refresh(ctx, s)
		if err != nil {
			if again, ok, _ := t.desk.read(ctx, t.id); ok && again.Access != s.Access {
				return again.Access, nil
			}
			return "", err
		}
		s.Access, s.Refresh, s.Expires = fresh.AccessToken, cmp.Or(fresh.RefreshToken, s.Refresh), t.desk.expires(fresh)
		content, err := json.Marshal(s)
		if err != nil {
			return "", err
		}
		return s.Access, t.desk.o.Sessions.Replace(ctx, t.id, content)
	})
	if err != nil {
		return "", err
	}
	return access.(string), nil
}

// refresh asks the session's issuer for new tokens.
func (d *Desk) refresh(ctx context.Context, s session) (*oauth2.Token, error) {
	for _, i := range d.issuers {
		if i.URL != s.Issuer {
			continue
		}
		found, err := i.discovered(d.with(ctx))
		if err != nil {
			return nil, err
		}
		fresh, err := i.config(found, d.o.BaseURL).TokenSource(d.with(ctx), &oauth2.Token{RefreshToken: s.Refresh}).Token()
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode != "" {
			return nil, errEnded
		}
		if err != nil {
			return nil, errors.New("the issuer did not answer")
		}
		return fresh, nil
	}
	return nil, errEnded
}

// expires returns when a token ends; an hour from now when the issuer does not say.
func (d *Desk) expires(t *oauth2.Token) time.Time {
	if t.Expiry.IsZero() {
		return d.o.Now().Add(time.Hour)
	}
	return t.Expiry
}
