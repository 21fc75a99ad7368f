package emulator

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// signingKey returns the key of every provider of this process: making one takes long.
var signingKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// keyID is the kid of signingKey.
const keyID = "emulated"

type entraClaims struct {
	jwt.RegisteredClaims
	Version  string   `json:"ver"`
	Tenant   string   `json:"tid"`
	Object   string   `json:"oid,omitempty"`
	Name     string   `json:"name,omitempty"`
	Scopes   string   `json:"scp,omitempty"`
	IDType   string   `json:"idtyp,omitempty"`
	Client   string   `json:"azp,omitempty"`
	Contexts []string `json:"acrs,omitempty"`
	Nonce    string   `json:"nonce,omitempty"`
	UserName string   `json:"preferred_username,omitempty"`
	Unique   string   `json:"uti"`
	// Ends is not Entra's: when the token ends for which this one was exchanged, in seconds.
	Ends int64 `json:"emulated_ends,omitempty"`
}

// MarshalJSON writes the audience as a string, as Entra does.
func (c entraClaims) MarshalJSON() ([]byte, error) {
	type plain entraClaims
	return json.Marshal(struct {
		plain
		Audience string `json:"aud"`
	}{plain(c), strings.Join(c.Audience, " ")})
}

// SignIn returns the token that a person sends to the service.
func (e *Entra) SignIn(tenant, object string, life time.Duration) (string, error) {
	return e.sign(entraClaims{Tenant: tenant, Object: object, Name: e.name(object), Scopes: "Service.ReadWrite.All"}, e.clientID, life)
}

// SignInAt is SignIn for a token that was issued at the time.
func (e *Entra) SignInAt(tenant, object string, at time.Time, life time.Duration) (string, error) {
	return e.signAt(entraClaims{Tenant: tenant, Object: object, Name: e.name(object), Scopes: "Service.ReadWrite.All"},
		e.clientID, at, life)
}

// AppOnly returns a token of an application without a person, for the service.
func (e *Entra) AppOnly(tenant string, life time.Duration) (string, error) {
	return e.sign(entraClaims{Tenant: tenant, Object: e.clientID, IDType: "app"}, e.clientID, life)
}

func (e *Entra) sign(c entraClaims, audience string, life time.Duration) (string, error) {
	return e.signAt(c, audience, e.now(), life)
}

func (e *Entra) signAt(c entraClaims, audience string, now time.Time, life time.Duration) (string, error) {
	c.Version, c.Unique = "2.0", rand.Text()
	c.RegisteredClaims = jwt.RegisteredClaims{Issuer: e.base(c.Tenant) + "/v2.0",
		Audience: jwt.ClaimStrings{audience}, Subject: c.Object, NotBefore: jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(now.Add(life)), IssuedAt: jwt.NewNumericDate(now)}
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, c)
	token.Header["kid"] = keyID
	return token.SignedString(e.key)
}

func (e *Entra) read(token, audience string) (entraClaims, error) {
	var c entraClaims
	_, err := jwt.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return &e.key.PublicKey, nil },
		jwt.WithValidMethods([]string{"RS256"}), jwt.WithAudience(audience), jwt.WithTimeFunc(e.now), jwt.WithExpirationRequired())
	return c, err
}

// platformAudience is the application of both interfaces of the platform.
const platformAudience = "https://api.fabric.microsoft.com"

// resources are what scopes of the platform begin with.
var resources = []string{platformAudience + "/", "https://analysis.windows.net/powerbi/api/"}

// platformScopes are the scopes that .default means at the platform.
var platformScopes = []string{"Workspace.Read.All", "Item.ReadWrite.All", "Item.Read.All", "Report.Read.All", "Dataset.Read.All",
	"Capacity.Read.All", "DataAgent.Execute.All"}

// storageAudience is Azure Storage, whose only delegated permission a person consents to apart from those of the platform.
const (
	storageAudience = "https://storage.azure.com"
	storageScope    = "user_impersonation"
)

// audienceOf returns for which application the scopes are, and their names in a token.
func (e *Entra) audienceOf(scopes []string) (audience string, names []string) {
	audience = e.clientID
	all := []string{"Service.ReadWrite.All"}
	for _, s := range scopes {
		if slices.ContainsFunc(resources, func(r string) bool { return strings.HasPrefix(s, r) }) {
			audience, all = platformAudience, platformScopes
		}
		if strings.HasPrefix(s, storageAudience+"/") {
			audience, all = storageAudience, []string{storageScope}
		}
		at := strings.LastIndexByte(s, '/')
		switch name := s[at+1:]; {
		case name == ".default":
			names = append(names, all...)
		case slices.Contains([]string{"openid", "profile", "email", "offline_access"}, name):
		default:
			names = append(names, name)
		}
	}
	return audience, names
}

// Person is Options.Person for tokens of this provider: the id of its people is their name, or tenant and object for
// a person whom the provider does not know.
func (e *Entra) Person(bearer string) (Person, error) {
	c, err := e.read(bearer, platformAudience)
	if errors.Is(err, jwt.ErrTokenExpired) {
		return Person{}, ErrExpired
	}
	if err != nil {
		return Person{}, err
	}
	p := Person{ID: c.Tenant + "/" + c.Object, Scopes: strings.Fields(c.Scopes), AppOnly: c.IDType == "app"}
	if c.Ends != 0 {
		p.Ends = time.Unix(c.Ends, 0)
	}
	if name := e.name(c.Object); name != "" {
		p.ID = name
	}
	return p, nil
}

// name returns the name of a person whom the provider knows.
func (e *Entra) name(object string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.people {
		if p.ID() == object {
			return p.Name
		}
	}
	return ""
}
