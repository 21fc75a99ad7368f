package emulator

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// devicePath is the page below a tenant where a person enters the code of a device.
const devicePath = "/devicelogin"

// tenant is the provider behind one tenant's paths.
type tenant struct {
	*storage.Storage
	provider *op.Provider
	entra    *Entra
	login    string // the path of the sign-in page
}

// tenant returns the provider of a tenant; it exists from the first call on.
func (e *Entra) tenant(id string) (*tenant, error) {
	base := e.base(id)
	e.mu.Lock()
	defer e.mu.Unlock()
	if t := e.tenants[id]; t != nil {
		return t, nil
	}
	redirects := []string{"http://localhost", "http://localhost/", "http://localhost/callback", "http://localhost/sign-in/callback"}
	clients := map[string]*storage.Client{}
	for _, c := range []string{e.clientID, e.PublicClient()} {
		clients[c] = storage.NativeClient(c, redirects...)
	}
	t := &tenant{Storage: storage.NewStorageWithClients(users{}, clients), entra: e, login: base + "/login?request="}
	var err error
	t.provider, err = op.NewProvider(&op.Config{CryptoKey: sha256.Sum256([]byte(rand.Text())), CodeMethodS256: true,
		GrantTypeRefreshToken: true, DeviceAuthorization: op.DeviceAuthorizationConfig{Lifetime: 15 * time.Minute,
			PollInterval: time.Second, UserFormPath: "/" + id + devicePath, UserCode: op.UserCodeBase20}},
		t, op.StaticIssuer(base+"/v2.0"))
	if err != nil {
		return nil, err
	}
	e.tenants[id] = t
	return t, nil
}

// The provider's own paths. Options for others would change those of all providers in the process (op.DefaultEndpoints).
const (
	authorizePath  = "/authorize"
	callbackPath   = "/authorize/callback"
	tokenPath      = "/oauth/token"
	keysPath       = "/keys"
	deviceCodePath = "/device_authorization"
)

// behind returns the provider of the request's tenant and the request as it is made there, to a path.
func (e *Entra) behind(w http.ResponseWriter, r *http.Request, path string) (*tenant, *http.Request) {
	t, err := e.tenant(tenantIn(r))
	if err != nil {
		status, body := transient()
		answer(w, status, body)
		return nil, nil
	}
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.URL.RawPath = path, ""
	return t, inner
}

// keys answers with the keys of the tokens.
func (e *Entra) keys(w http.ResponseWriter, r *http.Request) {
	if t, inner := e.behind(w, r, keysPath); t != nil {
		t.provider.ServeHTTP(w, inner)
	}
}

// note stores the authentication context that leads to a token.
func (e *Entra) note(key, context string) {
	if context == "" || key == "" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.contexts) >= maxRemembered {
		clear(e.contexts)
	}
	e.contexts[key] = context
}

func (e *Entra) noted(key string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.contexts[key]
}

// authorize begins a sign-in with a code. The provider redirects to the sign-in page.
func (e *Entra) authorize(w http.ResponseWriter, r *http.Request) {
	t, inner := e.behind(w, r, authorizePath)
	if t == nil {
		return
	}
	begun := answerOf(t.provider, inner)
	if to, err := url.Parse(begun.Header().Get("Location")); err == nil {
		e.note(to.Query().Get("request"), contextIn(r.FormValue("claims")))
	}
	copyAnswer(w, begun.Result().Header, begun.Code, begun.Body.Bytes())
}

// callback ends a sign-in with a code.
func (e *Entra) callback(w http.ResponseWriter, r *http.Request) {
	if t, inner := e.behind(w, r, callbackPath); t != nil {
		t.provider.ServeHTTP(w, inner)
	}
}

func copyAnswer(w http.ResponseWriter, h http.Header, status int, body []byte) {
	for name, values := range h {
		w.Header()[name] = values
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// deviceCode begins a sign-in on another device.
func (e *Entra) deviceCode(w http.ResponseWriter, r *http.Request) {
	t, inner := e.behind(w, r, deviceCodePath)
	if t == nil {
		return
	}
	if err := r.ParseForm(); err != nil {
		answer(w, http.StatusBadRequest, aadsts(900144, "invalid_request", "The request body is not valid"))
		return
	}
	inner.Form, inner.PostForm = r.Form, r.PostForm
	begun := answerOf(t.provider, inner)
	var body map[string]any
	if begun.Code != http.StatusOK || json.Unmarshal(begun.Body.Bytes(), &body) != nil {
		e.failSignIn(w, begun.Code, begun.Body.Bytes())
		return
	}
	code, _ := body["device_code"].(string)
	e.note(code, contextIn(r.PostForm.Get("claims")))
	delete(body, "verification_uri_complete") // Entra has none
	body["message"] = "To sign in, use a web browser to open the page of verification_uri and enter the code of user_code."
	answer(w, http.StatusOK, body)
}

// signIn answers with the tokens of a sign-in, made as Entra makes them.
func (e *Entra) signIn(w http.ResponseWriter, r *http.Request) {
	t, inner := e.behind(w, r, tokenPath)
	if t == nil {
		return
	}
	form := url.Values{}
	for name, values := range r.PostForm {
		form[name] = slices.Clone(values)
	}
	if form.Get("grant_type") == "device_code" { // the name of an earlier draft, which MSAL uses
		form.Set("grant_type", deviceGrant)
	}
	inner.Form, inner.PostForm = form, form
	got := answerOf(t.provider, inner)
	var body map[string]any
	if got.Code != http.StatusOK || json.Unmarshal(got.Body.Bytes(), &body) != nil {
		e.failSignIn(w, got.Code, got.Body.Bytes())
		return
	}
	context := e.noted(form.Get("code") + form.Get("device_code") + form.Get("refresh_token"))
	if claims := contextIn(form.Get("claims")); context == "" && form.Get("grant_type") != "refresh_token" {
		context = claims
	}
	if refresh, _ := body["refresh_token"].(string); refresh != "" {
		e.note(refresh, context)
	}
	client, _, basic := r.BasicAuth()
	if !basic {
		client = form.Get("client_id")
	}
	if err := e.remake(body, tenantIn(r), client, form.Get("scope"), context); err != nil {
		status, failed := transient()
		answer(w, status, failed)
		return
	}
	answer(w, http.StatusOK, body)
}

// remake replaces the provider's tokens by Entra's: aud is a string, and the claims are tid, oid and scp.
func (e *Entra) remake(body map[string]any, tenant, client, scope, context string) error {
	access, _ := body["access_token"].(string)
	var given struct {
		jwt.RegisteredClaims
		Scopes []string `json:"granted"`
	}
	if _, _, err := jwt.NewParser().ParseUnverified(access, &given); err != nil {
		return err
	}
	if scope != "" {
		given.Scopes = strings.Fields(scope)
	}
	audience, names := e.audienceOf(given.Scopes)
	c := entraClaims{Tenant: tenant, Object: given.Subject, Name: e.name(given.Subject), Scopes: strings.Join(names, " "), Client: client,
		UserName: given.Subject + "@contoso.example"}
	if context != "" {
		c.Contexts = []string{context}
	}
	life := e.lifetime()
	var err error
	if body["access_token"], err = e.sign(c, audience, life); err != nil {
		return err
	}
	if id, ok := body["id_token"].(string); ok {
		var was struct {
			jwt.RegisteredClaims
			Nonce string `json:"nonce"`
		}
		if _, _, err := jwt.NewParser().ParseUnverified(id, &was); err != nil {
			return err
		}
		c.Scopes, c.Client, c.Contexts, c.Nonce = "", "", nil, was.Nonce
		if body["id_token"], err = e.sign(c, client, life); err != nil {
			return err
		}
	}
	body["expires_in"], body["ext_expires_in"] = int(life.Seconds()), int(life.Seconds())
	body["scope"], body["client_info"] = strings.Join(given.Scopes, " "), clientInfo(given.Subject, tenant)
	delete(body, "state")
	return nil
}

// numbers are the AADSTS numbers of the provider's errors.
var numbers = map[string]int{"authorization_pending": 70016, "slow_down": 70016, "expired_token": 70020, "access_denied": 65004,
	"invalid_grant": 70008, "invalid_client": 700016, "unauthorized_client": 700016}

// failSignIn answers with the provider's error as Entra says it.
func (*Entra) failSignIn(w http.ResponseWriter, status int, body []byte) {
	var failed struct {
		Name        string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(body, &failed)
	switch failed.Name {
	case "":
		failed.Name = "invalid_request"
	case "access_denied":
		failed.Name = "authorization_declined"
	}
	number := numbers[failed.Name]
	number = cmp.Or(number, 9002313)
	answer(w, max(status, http.StatusBadRequest), aadsts(number, failed.Name, failed.Description))
}

// clientInfo names the account of an answer, as MSAL wants it.
func clientInfo(object, tenant string) string {
	text, err := json.Marshal(map[string]string{"uid": object, "utid": tenant})
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func (e *Entra) lifetime() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.life
}
