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

// The embedded issuer's tokens name it so, whatever the address of the service; people of the accounts file without an
// issuer are its people.
const (
	EmbeddedIssuer   = "readiness:embedded"
	EmbeddedAudience = "readiness"
)

// keyFile holds the embedded issuer's private key, in PKCS #8.
const keyFile = "issuer.pem"

// Issuer is the embedded issuer: it exists for one machine, and whoever reads its key file can be anybody.
type Issuer struct{ key *ecdsa.PrivateKey }

// OpenIssuer returns the embedded issuer of a data directory. Its key is made the first time; several processes may open
// it at once.
func OpenIssuer(dir string) (*Issuer, error) {
	path := filepath.Join(dir, keyFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(dir, path); err != nil {
			return nil, fmt.Errorf("token: make the embedded issuer's key: %w", err)
		}
	}
	return FindIssuer(dir)
}

// FindIssuer returns the embedded issuer of a data directory whose key is there; else an error that is fs.ErrNotExist.
func FindIssuer(dir string) (*Issuer, error) {
	path := filepath.Join(dir, keyFile)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("token: the embedded issuer's key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("token: %s may be read by others than its owner, who could then be anybody; delete it, or chmod 600 it if nobody did", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("token: the embedded issuer's key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("token: %s holds no key; delete it and a new one is made (tokens made before are void then)", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("token: %s holds no key; delete it and a new one is made (tokens made before are void then)", path)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, fmt.Errorf("token: the key in %s is not for ES256; delete it and a new one is made", path)
	}
	return &Issuer{key}, nil
}

// makeKey writes a new key whole or not at all, and leaves one that another process wrote in the meantime.
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

// Mint returns a token for a person of an account that is valid from at until life later.
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
