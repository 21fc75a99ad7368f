package clientcmd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pkg/browser"

	"readiness/client"
	"readiness/client/signin"
	"readiness/cmd/cli"
)

// renewsBefore is how long before its end a token is renewed.
const renewsBefore = time.Minute

// session is a profile in use. Its token is renewed when it ends or when the service asks for another.
type session struct {
	c    *calls
	path string

	mu   sync.Mutex
	kept profile
}

// openProfile returns the service that a profile is for.
func (c *calls) openProfile(to profile) (*client.Service, error) {
	if to.SignedIn == nil {
		return c.open(to, nil)
	}
	if c.timeout <= 0 {
		return nil, cli.Usage("--timeout must be more than 0")
	}
	path, err := c.profilePath()
	if err != nil {
		return nil, err
	}
	s := &session{c: c, path: path, kept: to}
	o := c.options(s.token)
	o.Renew = s.renew
	if o.Transport, err = to.SignedIn.transport(); err != nil {
		return nil, err
	}
	return client.Open(to.BaseURL, o)
}

// token is the client's token source.
func (s *session) token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.kept.ends(time.Now().Add(renewsBefore)) {
		return s.kept.Token, nil
	}
	if err := s.change(ctx, s.refresh); err != nil {
		return "", err
	}
	return s.kept.Token, nil
}

// ends reports whether the token has ended at the time.
func (p profile) ends(at time.Time) bool {
	return p.SignedIn != nil && !p.SignedIn.Expires.IsZero() && !at.Before(p.SignedIn.Expires)
}

// renew returns another token after the service refused this one.
func (s *session) renew(ctx context.Context, refused *client.Error) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	claims := refused.Claims()
	var err error
	switch {
	case claims != "" && s.c.someone():
		err = s.change(ctx, func(ctx context.Context, p *profile) error {
			fmt.Fprintln(s.c.program.Stderr, "readiness: your organization asks you to sign in again")
			return s.c.signIn(ctx, p, claims)
		})
	case claims == "" && refused.ErrorCode == "TokenExpired":
		err = s.change(ctx, s.refresh)
	default:
		return "", refused
	}
	if err != nil {
		return "", err
	}
	return s.kept.Token, nil
}

// change renews the tokens, unless another command did meanwhile, and stores them.
func (s *session) change(ctx context.Context, how func(context.Context, *profile) error) error {
	unlock, err := s.c.lock(ctx, s.path)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := s.c.readProfile(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.c.noProfile()
	case err != nil:
		return err
	case now.SignedIn == nil || now.BaseURL != s.kept.BaseURL:
		return fmt.Errorf("profile %s was changed by another command", s.c.profile)
	}
	if now.Token == s.kept.Token || now.ends(time.Now().Add(renewsBefore)) {
		if err := how(ctx, &now); err != nil {
			return err
		}
		if err := now.write(s.path); err != nil {
			return err
		}
	}
	s.kept = now
	return nil
}

// refresh replaces the tokens of p by those for its refresh token.
func (s *session) refresh(ctx context.Context, p *profile) error {
	again := fmt.Errorf("the sign-in of profile %s has ended; sign in again with readiness client login%s", s.c.profile, s.c.profileFlag())
	if p.SignedIn.Refresh == "" {
		return again
	}
	provider, err := s.c.provider(ctx, p.SignedIn)
	if err != nil {
		return err
	}
	got, err := provider.Refresh(ctx, p.SignedIn.Refresh)
	if errors.Is(err, signin.ErrEnded) {
		return again
	}
	if err == nil {
		p.take(got)
	}
	return err
}

func (p *profile) take(got signin.Tokens) {
	p.Token, p.SignedIn.Refresh, p.SignedIn.Expires = got.Access, got.Refresh, got.Expires.UTC().Truncate(time.Second)
}

// signIn signs the person in as the profile says, and stores the tokens in p.
func (c *calls) signIn(ctx context.Context, p *profile, claims string) error {
	provider, err := c.provider(ctx, p.SignedIn)
	if err != nil {
		return err
	}
	asked := ""
	if claims != "" {
		text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(claims, "="))
		if err != nil || !json.Valid(text) {
			return errors.New("the claims are not JSON in base64url")
		}
		asked = string(text)
	}
	var got signin.Tokens
	if p.SignedIn.Device {
		got, err = provider.WithDevice(ctx, asked, func(d signin.Device) error {
			_, err := fmt.Fprintf(c.program.Stderr, "Open %s on any device and enter the code %s\n", cli.Printable(d.Address),
				cli.Printable(d.Code))
			return err
		})
	} else {
		got, err = provider.WithBrowser(ctx, asked, c.showPage)
	}
	if err != nil {
		return err
	}
	if before, after := subjectOf(p.Token), subjectOf(got.Access); claims != "" && before != after {
		return errors.New("another person signed in; sign in as the person of the profile")
	}
	p.take(got)
	return nil
}

// showPage shows the sign-in page. Where no browser opens, the person opens it.
func (c *calls) showPage(address string) error {
	fmt.Fprintf(c.program.Stderr, "Sign in with a browser on this machine; if none opens, open:\n%s\n", cli.Printable(address))
	if c.program.Browse != nil {
		return c.program.Browse(address)
	}
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	_ = browser.OpenURL(address)
	return nil
}

func (c *calls) provider(ctx context.Context, s *signedIn) (*signin.Provider, error) {
	transport, err := s.transport()
	if err != nil {
		return nil, err
	}
	return signin.Discover(ctx, signin.Options{Issuer: s.Issuer, ClientID: s.ClientID, Scopes: s.Scopes, Transport: transport,
		Pause: c.program.Pause})
}

func (c *calls) someone() bool {
	if c.program.Someone != nil {
		return c.program.Someone()
	}
	return cli.OnTerminal(c.program.Stderr)
}

// transport returns a transport that trusts the certificate authorities in CAFile; nil without one.
func (s *signedIn) transport() (http.RoundTripper, error) {
	file := s.CAFile
	if file == "" {
		return nil, nil //nolint:nilnil // the usual transport
	}
	text, err := os.ReadFile(file) //nolint:gosec // the user's own file
	if err != nil {
		return nil, fmt.Errorf("--ca-file: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("--ca-file: %w", err)
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--ca-file: %s holds no certificate in PEM", file)
	}
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, errors.New("--ca-file: the transport cannot be changed")
	}
	t = t.Clone()
	t.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return t, nil
}

// subjectOf returns the subject of a token, "" if it has none; the token is not verified.
func subjectOf(token string) string {
	_, rest, _ := strings.Cut(token, ".")
	payload, _, _ := strings.Cut(rest, ".")
	text, err := base64.RawURLEncoding.DecodeString(payload)
	var claims struct{ Iss, Sub, Tid, Oid string }
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return ""
	}
	return strings.Join([]string{claims.Iss, claims.Sub, claims.Tid, claims.Oid}, "\n")
}
