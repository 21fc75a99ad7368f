package emulator

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

const (
	onBehalfOf  = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
)

// session is the sign-in that a refresh token of an exchange belongs to.
type session struct {
	tenant, object string
	contexts       []string
	ends           int64 // of the assertion, in seconds
}

// maxRemembered bounds the sessions and the contexts.
const maxRemembered = 10_000

// session reports whether the refresh token is one of an exchange.
func (e *Entra) session(token string) bool { return strings.HasPrefix(token, "obo.") }

// exchange answers a request of the service's application for a token of the platform.
func (e *Entra) exchange(tenant string, form func(string) string) (int, map[string]any) {
	if form("client_id") != e.clientID {
		return http.StatusBadRequest, aadsts(700016, "unauthorized_client", "The application was not found in the directory")
	}
	if form("client_secret") == "" && form("client_assertion") == "" {
		return http.StatusUnauthorized, aadsts(7000218, "invalid_client", "The request must contain a client secret or assertion")
	}
	if e.wrong(form("client_secret")) {
		return http.StatusUnauthorized, aadsts(7000215, "invalid_client", "Invalid client secret provided. Ensure the secret being "+
			"sent in the request is the client secret value, not the client secret ID")
	}
	if form("grant_type") == "client_credentials" {
		audience, _ := e.audienceOf(strings.Fields(form("scope")))
		return e.issue(entraClaims{Tenant: tenant, Object: e.clientID, IDType: "app"}, audience, form("scope"))
	}
	who, status, failed := e.onBehalf(tenant, form)
	if failed != nil {
		return status, failed
	}
	audience, names := e.audienceOf(strings.Fields(form("scope")))
	if status, failed := e.challenged(who, names); failed != nil {
		return status, failed
	}
	given := form("scope")
	if strings.Contains(given, "/.default") { // it is named in addition to what was granted
		for _, name := range names {
			given += " " + audience + "/" + name
		}
	}
	status, body := e.issue(entraClaims{Tenant: tenant, Object: who.object, Name: e.name(who.object), Scopes: strings.Join(names, " "),
		Contexts: who.contexts, Client: e.clientID, Ends: who.ends}, audience, given)
	if slices.Contains(strings.Fields(form("scope")), "offline_access") {
		body["refresh_token"] = e.keep(who)
	}
	body["client_info"] = clientInfo(who.object, tenant)
	idToken, err := e.sign(entraClaims{Tenant: tenant, Object: who.object, Name: e.name(who.object),
		UserName: who.object + "@contoso.example"}, e.clientID, e.lifetime())
	if err != nil {
		return transient()
	}
	body["id_token"] = idToken
	return status, body
}

// wrong reports whether a client secret differs from that of Expect.
func (e *Entra) wrong(secret string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return secret != "" && e.secret != "" && secret != e.secret
}

// onBehalf returns the person of the assertion or of the refresh token.
func (e *Entra) onBehalf(tenant string, form func(string) string) (session, int, map[string]any) {
	if form("grant_type") == "refresh_token" {
		e.mu.Lock()
		defer e.mu.Unlock()
		who, known := e.sessions[form("refresh_token")]
		if !known || who.tenant != tenant {
			return session{}, http.StatusBadRequest, aadsts(50173, "invalid_grant", "The provided grant has expired because it was revoked")
		}
		return who, 0, nil
	}
	if form("requested_token_use") != "on_behalf_of" {
		return session{}, http.StatusBadRequest, aadsts(70003, "unsupported_grant_type", "The grant type is not supported")
	}
	person, err := e.read(form("assertion"), e.clientID)
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return session{}, http.StatusBadRequest, aadsts(500133, "invalid_grant", "Assertion is not within its valid time range")
	case err != nil || person.Tenant != tenant:
		return session{}, http.StatusBadRequest, aadsts(50013, "invalid_grant", "Assertion failed signature validation")
	case person.IDType == "app":
		return session{}, http.StatusBadRequest, aadsts(50013, "invalid_grant", "The assertion belongs to an application")
	}
	return session{tenant, person.Object, person.Contexts, person.ExpiresAt.Unix()}, 0, nil
}

// challenged refuses an exchange for a permission without consent, and one for a person who lacks the authentication
// context that Require asks for.
func (e *Entra) challenged(who session, permissions []string) (int, map[string]any) {
	e.mu.Lock()
	requires, withheld := e.requires, e.withheld
	e.mu.Unlock()
	if slices.ContainsFunc(permissions, func(p string) bool { return slices.Contains(withheld, p) }) {
		body := aadsts(65001, "invalid_grant", "The user or administrator has not consented to use the application")
		body["suberror"] = "consent_required"
		return http.StatusBadRequest, body
	}
	if requires == "" || slices.Contains(who.contexts, requires) {
		return 0, nil
	}
	body := aadsts(50076, "interaction_required", "Due to a configuration change made by your administrator, you must use multi-factor "+
		"authentication")
	body["suberror"], body["claims"] = "basic_action", ClaimsFor(requires)
	return http.StatusBadRequest, body
}

// ClaimsFor returns the claims with which a person must sign in to have the authentication context.
func ClaimsFor(context string) string {
	text, err := json.Marshal(map[string]any{"access_token": map[string]any{"acrs": map[string]any{"essential": true, "value": context}}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// contextIn returns the authentication context that claims ask for.
func contextIn(claims string) string {
	var asked struct {
		Token struct {
			Contexts struct{ Value string } `json:"acrs"`
		} `json:"access_token"`
	}
	_ = json.Unmarshal([]byte(claims), &asked)
	return asked.Token.Contexts.Value
}

// keep returns a refresh token of the exchange.
func (e *Entra) keep(who session) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.sessions) >= maxRemembered {
		clear(e.sessions)
	}
	token := "obo." + uuid.NewString()
	e.sessions[token] = who
	return token
}

// issue answers with a token for the audience.
func (e *Entra) issue(c entraClaims, audience, scope string) (int, map[string]any) {
	life := e.lifetime()
	signed, err := e.sign(c, audience, life)
	if err != nil {
		return transient()
	}
	return http.StatusOK, map[string]any{"token_type": "Bearer", "scope": scope, "expires_in": int(life.Seconds()),
		"ext_expires_in": int(life.Seconds()), "access_token": signed}
}

func transient() (int, map[string]any) {
	return http.StatusInternalServerError, aadsts(90033, "server_error", "A transient error has occurred")
}
