package token

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The iss and aud of the embedded issuer's tokens, which do not depend on the address of the service. People in the
// accounts file without an issuer belong to this issuer.
const (
	EmbeddedIssuer   = "readiness:embedded"
	EmbeddedAudience = "readiness"
)

// keyFile contains the embedded issuer's private key, in PKCS #8.
const keyFile = "issuer.pem"

// Issuer is the embedded issuer, meant for a single machine. Any process that can read its key file can impersonate
// anyone.
type Issuer struct{ key *ecdsa.PrivateKey }

// OpenIssuer returns the embedded issuer of a data directory. It creates the key when there is none; several
// processes may call it concurrently.
func OpenIssuer(dir string) (*Issuer, error) {
	path := filepath.Join(dir, keyFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(dir, path); err != nil {
			return nil, fmt.Errorf("token: make the embedded issuer's key: %w", err)
		}
	}
	return FindIssuer(dir)
}

// FindIssuer returns the embedded issuer of a data directory that already has a key. Without a key, the error wraps
// fs.ErrNotExist.
func FindIssuer(dir string) (*Issuer, error) {
	path := filepath.Join(dir, keyFile)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("token: the embedded issuer's key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("token: %s is readable by users other than its owner, who could impersonate anyone with it; delete it, or "+
			"chmod 600 it if no one else has read it", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("token: the embedded issuer's key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("token: %s contains no valid key; delete it to create a new one, which invalidates all existing tokens",
			path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("token: %s contains no valid key; delete it to create a new one, which invalidates all existing tokens",
			path)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, fmt.Errorf("token: the key in %s is not for ES256; delete it to create a new one", path)
	}
	return &Issuer{key}, nil
}

// makeKey creates the key file atomically. It keeps a file that another process created in the meantime.
func makeKey(dir, path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, keyFile+".*") // created with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	err = pem.Encode(f, &pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Mint returns a signed token for a person of an account. It expires at at+life.
func (i *Issuer) Mint(account, person string, scopes []string, at time.Time, life time.Duration) (string, error) {
	scope := strings.Join(scopes, " ")
	signed, err := jwt.NewWithClaims(jwt.SigningMethodES256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: EmbeddedIssuer, Audience: jwt.ClaimStrings{EmbeddedAudience}, Subject: person,
			IssuedAt: jwt.NewNumericDate(at), ExpiresAt: jwt.NewNumericDate(at.Add(life)),
		},
		Scope:   &scope,
		Account: account,
	}).SignedString(i.key)
	if err != nil {
		return "", fmt.Errorf("token: sign: %w", err)
	}
	return signed, nil
}
