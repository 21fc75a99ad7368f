package fabric

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// subject is what a call is about, which decides what its refusal says.
type subject struct {
	workspace uuid.UUID
	item      item.Item // no type for a call about a workspace or about none
	// definition reports that the call reads a definition.
	definition bool
}

// failure is the platform's error. Code is Fabric's errorCode or Power BI's error.code.
type failure struct {
	Code      string    `json:"errorCode"`
	Message   string    `json:"message"`
	RequestID string    `json:"requestId"`
	Details   []failure `json:"moreDetails"`
	// PowerBI is how the older interface says it.
	PowerBI struct {
		Code  string `json:"code"`
		Inner struct {
			Code string `json:"code"`
		} `json:"pbi.error"`
	} `json:"error"`

	status     int
	retryAfter time.Duration
	claims     string // of a challenge, in base64url
}

// maxFailure bounds the body of an error, in bytes.
const maxFailure = 256 << 10

// readFailure reads an error. Whatever its body is, the result has a code.
func readFailure(a *answer) *failure {
	f := &failure{}
	if text, err := readAll(a.body, maxFailure); err == nil {
		// A member of another type counts as absent; in malformed JSON, all do.
		_ = json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), f)
	}
	f.status = a.status
	f.claims = challenge(a.header)
	f.Code = cmp.Or(f.Code, f.PowerBI.Code, f.PowerBI.Inner.Code, a.header.Get("x-ms-public-api-error-code"),
		fmt.Sprintf("HTTP %d", a.status))
	return f
}

var claimsParameter = regexp.MustCompile(`(?i)(?:^|[\s,])claims="([A-Za-z0-9+/_=-]+)"`)

// challenge returns the claims that a 401 asks for, in base64url; "" if it asks for none.
func challenge(h http.Header) string {
	for _, value := range h.Values("WWW-Authenticate") {
		found := claimsParameter.FindStringSubmatch(value)
		if found == nil {
			continue
		}
		encoded := strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(found[1], "="))
		if text, err := base64.RawURLEncoding.DecodeString(encoded); err == nil && json.Valid(text) {
			return encoded
		}
	}
	return ""
}

func (f *failure) throttled() bool {
	return f.status == http.StatusTooManyRequests || f.Code == "RequestBlocked" || f.Code == "TooManyRequests"
}

// passes reports whether the same call may succeed a little later.
func (f *failure) passes() bool {
	if f.throttled() {
		return true
	}
	_, known := codes[f.Code]
	return !known && f.status >= http.StatusInternalServerError
}

// codes maps the platform's error codes to the service's. A code that the table lacks is mapped by its status.
var codes = map[string]domain.Code{
	"WorkspaceNotFound":             domain.WorkspaceNotFound,
	"EntityNotFound":                domain.ItemNotFound,
	"ItemNotFound":                  domain.ItemNotFound,
	"PowerBIEntityNotFound":         domain.ItemNotFound,
	"PowerBIFolderNotFound":         domain.WorkspaceNotFound,
	"PowerBINotAuthorizedException": domain.PlatformAccessDenied,
	"InsufficientPrivileges":        domain.PlatformAccessDenied,
	"InsufficientScopes":            domain.PlatformAccessDenied,
	"FeatureNotAvailable":           domain.PlatformAccessDenied,
	"PrincipalTypeNotSupported":     domain.PlatformAccessDenied,
	"CapacityNotActive":             domain.CapacityPaused,
	"CapacityLimitExceeded":         domain.CapacityBusy,
	"ItemHasProtectedLabel":         domain.ItemNotReadable,
	"OperationNotSupportedForItem":  domain.ItemNotReadable,
	"CorruptedPayload":              domain.ItemNotReadable,
}

// refusal returns what the service says about the failure.
func (f *failure) refusal(of subject) error {
	if f.claims != "" {
		return SignInAgain(f.claims)
	}
	code, known := codes[f.Code]
	switch {
	case known:
	case f.throttled():
		return domain.Refuse(domain.PlatformUnavailable, "the platform lets you make no further calls for now (%s); try again in %s",
			f.Code, max(f.retryAfter, time.Second)).After(max(f.retryAfter, time.Second))
	case f.status == http.StatusUnauthorized || f.status == http.StatusForbidden:
		code = domain.PlatformAccessDenied
	case f.status == http.StatusNotFound:
		code = domain.ItemNotFound
	default:
		return f.unavailable()
	}
	return f.refusalOf(code, of)
}

func (f *failure) unavailable() error {
	r := domain.Refuse(domain.PlatformUnavailable, "the platform failed (%s)%s; try again", f.Code, f.detail())
	return r.After(max(f.retryAfter, 5*time.Second))
}

// refusalOf says what the code means for what the call is about. Without privileges, a workspace or an item is reported
// as not found, because the caller cannot see it.
func (f *failure) refusalOf(code domain.Code, of subject) error {
	hidden := code == domain.PlatformAccessDenied && f.Code == "InsufficientPrivileges"
	switch {
	case code == domain.WorkspaceNotFound, of.item.Type == "" && (code == domain.ItemNotFound || hidden):
		return workspaceNotFound(of.workspace)
	case code == domain.ItemNotFound, hidden && !of.definition:
		return itemNotFound(of.item)
	case hidden:
		return about(domain.Refuse(domain.PlatformAccessDenied, "you may not read the definition of %s: the platform gives it only to "+
			"people who may write to it; ask for the Contributor role in its workspace, or for write permission on it", named(of.item)), of)
	case code == domain.PlatformAccessDenied:
		return about(domain.Refuse(code, "the platform does not let you do this (%s)%s", f.Code, f.detail()), of)
	case code == domain.CapacityPaused:
		return domain.Refuse(code, "the capacity of workspace %s is paused; resume it and call again", of.workspace).
			About("workspaceId", of.workspace)
	case code == domain.CapacityBusy:
		return domain.Refuse(code, "the capacity of workspace %s is overloaded; try again later", of.workspace).
			About("workspaceId", of.workspace).After(max(f.retryAfter, 30*time.Second))
	}
	return about(domain.Refuse(code, "the definition of %s cannot be read: the platform says %s%s", named(of.item), f.Code, f.detail()), of)
}

// SignInAgain is the refusal of a call for which the platform wants a new sign-in with the claims, which are JSON in
// base64url.
func SignInAgain(claims string) error {
	return domain.Refuse(domain.Unauthorized, "your organization asks for a new sign-in before the service may act for you; sign in again "+
		"with the claims of the WWW-Authenticate header").About("claims", claims)
}

// maxQuoted bounds what a message repeats of the platform's words, in characters.
const maxQuoted = 200

// detail quotes the platform's words: of the first detail, or of the error itself.
func (f *failure) detail() string {
	words := f.Message
	for _, d := range f.Details {
		if d.Message != "" {
			words = d.Message
			break
		}
	}
	words = domain.FirstCharacters(strings.Join(strings.Fields(strings.ToValidUTF8(words, "\ufffd")), " "), maxQuoted)
	if words == "" {
		return ""
	}
	return fmt.Sprintf(": %q", words)
}

func about(r *domain.Refusal, of subject) error {
	if of.item.Type != "" && of.item.ID != uuid.Nil {
		return r.About(of.item.Type.IDName(), of.item.ID)
	}
	if of.workspace != uuid.Nil {
		return r.About("workspaceId", of.workspace)
	}
	return r
}

func workspaceNotFound(id uuid.UUID) error {
	return domain.Refuse(domain.WorkspaceNotFound, "workspace %s is not there, or you cannot see it", id).About("workspaceId", id)
}

func itemNotFound(it item.Item) error {
	return domain.Refuse(domain.ItemNotFound, "%s %s is not in workspace %s", it.Type, it.ID, it.WorkspaceID).About(it.Type.IDName(), it.ID)
}

func named(it item.Item) string { return string(it.Type) + " " + it.ID.String() }

func notReadable(it item.Item, format string, args ...any) error {
	return domain.Refuse(domain.ItemNotReadable, "the definition of %s cannot be read: %s", named(it), fmt.Sprintf(format, args...)).
		About(it.Type.IDName(), it.ID)
}
