package emulator

import (
	"context"
	"net/url"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// users is a user store in which every object id exists and no one has a password.
type users struct{}

// GetUserByID implements storage.UserStore.
func (users) GetUserByID(id string) *storage.User { return &storage.User{ID: id, Username: id} }

// GetUserByUsername implements storage.UserStore.
func (users) GetUserByUsername(name string) *storage.User {
	return &storage.User{ID: name, Username: name}
}

// ExampleClientID implements storage.UserStore.
func (users) ExampleClientID() string { return "" }

// GetClientByClientID implements op.Storage.
func (t *tenant) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := t.Storage.GetClientByClientID(ctx, id)
	return publicClient{c, t.login}, err
}

// SaveAuthCode implements op.Storage.
func (t *tenant) SaveAuthCode(ctx context.Context, request, code string) error {
	t.entra.note(code, t.entra.noted(request))
	return t.Storage.SaveAuthCode(ctx, request, code)
}

// CreateAccessAndRefreshTokens implements op.Storage. The underlying storage does not keep the client of a device's sign-in.
func (t *tenant) CreateAccessAndRefreshTokens(ctx context.Context, of op.TokenRequest, current string) (string, string, time.Time, error) {
	if d, device := of.(*op.DeviceAuthorizationState); device {
		of = &storage.AuthRequest{ApplicationID: d.ClientID, UserID: d.Subject, Scopes: d.Scopes}
	}
	return t.Storage.CreateAccessAndRefreshTokens(ctx, of, current)
}

// GetPrivateClaimsFromScopes implements op.Storage. The granted scopes are taken from the access token again.
func (*tenant) GetPrivateClaimsFromScopes(_ context.Context, _, _ string, scopes []string) (map[string]any, error) {
	return map[string]any{"granted": scopes}, nil
}

// SigningKey implements op.Storage.
func (t *tenant) SigningKey(context.Context) (op.SigningKey, error) { return entraKey{t.entra}, nil }

// SignatureAlgorithms implements op.Storage.
func (*tenant) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{jose.RS256}, nil
}

// KeySet implements op.Storage.
func (t *tenant) KeySet(context.Context) ([]op.Key, error) {
	return []op.Key{publicKey{entraKey{t.entra}}}, nil
}

type entraKey struct{ e *Entra }

// ID implements op.SigningKey and op.Key.
func (entraKey) ID() string { return keyID }

// SignatureAlgorithm implements op.SigningKey.
func (entraKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }

// Key implements op.SigningKey.
func (k entraKey) Key() any { return k.e.key }

type publicKey struct{ entraKey }

// Algorithm implements op.Key.
func (publicKey) Algorithm() jose.SignatureAlgorithm { return jose.RS256 }

// Use implements op.Key.
func (publicKey) Use() string { return "sig" }

// Key implements op.Key.
func (k publicKey) Key() any { return &k.e.key.PublicKey }

// publicClient may request every scope, signs in by code and device, and gets access tokens that are JWTs.
type publicClient struct {
	op.Client
	login string
}

// AccessTokenType implements op.Client.
func (publicClient) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

// IsScopeAllowed implements op.Client.
func (publicClient) IsScopeAllowed(string) bool { return true }

// LoginURL implements op.Client.
func (c publicClient) LoginURL(request string) string { return c.login + url.QueryEscape(request) }

// GrantTypes implements op.Client.
func (publicClient) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeCode, oidc.GrantTypeRefreshToken, oidc.GrantTypeDeviceCode}
}
