package fabric

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
)

// subject is what a call is about, which decides what its refusal says.
type subject struct {
	workspace uuid.UUID
	item      item.Item // no type for a call about a workspace or about none
	// definition reports that the call reads a definition, writes that it writes one, operation that it asks for the
	// operation which does.
	definition, writes, operation bool
	// queries reports that the call runs a query.
	queries bool
	// everybodys reports that the call lists workspaces, which everybody may: it cannot be about a workspace that is not there.
	everybodys bool
}

// failure is the platform's error. Code is Fabric's errorCode or Power BI's error.code.
type failure struct {
	Code      string    `json:"errorCode"`
	Message   string    `json:"message"`
	RequestID string    `json:"requestId"`
	Details   []failure `json:"moreDetails"`
	// PowerBI is how the older interface says it.
	PowerBI struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Inner   struct {
			Code    string `json:"code"`
			Details []struct {
				Code   string
				Detail struct{ Value any }
			} `json:"details"`
		} `json:"pbi.error"`
	} `json:"error"`

	status     int
	body       []byte
	retryAfter time.Duration
	claims     string      // of a challenge, in base64url
	met        domain.Code // what a probe found the code to mean; "" for nothing
}

// maxFailure bounds the body of an error, in bytes.
const maxFailure = 256 << 10

// readFailure reads an error. Whatever its body is, the result has a code.
func readFailure(a *answer) *failure {
	f := &failure{}
	if text, err := a.text(maxFailure); err == nil {
		f.body = text
		// A member of another type counts as absent; in malformed JSON, all do.
		_ = json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), f)
	}
	f.status = a.status
	f.claims = challenge(a.header)
	f.Message = cmp.Or(f.Message, f.PowerBI.Message)
	f.name(f.Code, f.PowerBI.Code, f.PowerBI.Inner.Code, a.header.Get("x-ms-public-api-error-code"))
	f.Code = cmp.Or(f.Code, fmt.Sprintf("HTTP %d", a.status))
	return f
}

// name sets the code: the first that the service knows, of the error itself or of its details, else the first there is.
func (f *failure) name(all ...string) {
	for _, d := range f.Details {
		all = append(all, d.Code)
	}
	known := slices.IndexFunc(all, func(code string) bool { return codes[code] != "" || blocks[code] })
	if f.Code = cmp.Or(all...); known >= 0 {
		f.Code = all[known]
	}
	f.Code = line(f.Code, maxCode)
}

// line returns the first n characters of a text of the platform's, in one line of characters that can be printed.
func line(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.Clone(domain.FirstCharacters(strings.Join(strings.Fields(text), " "), n))
}

// maxCode bounds what is repeated of an error code, in characters.
const maxCode = 100

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

// blocks are the codes of calls that were refused because there were too many of them.
var blocks = map[string]bool{"RequestBlocked": true, "TooManyRequests": true, "TooManyRequestsForJobs": true}

func (f *failure) throttled() bool {
	return blocks[f.Code] || f.status == http.StatusTooManyRequests && f.Code != overloaded
}

// overloaded is the code of a capacity that has too much to do for all its callers.
const overloaded = "CapacityLimitExceeded"

var untilText = regexp.MustCompile(`until: (\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}:\d{2} [AP]M) \(UTC\)`)

// unsaidHold is how long calls are held after a 429 that does not say until when.
const unsaidHold = 30 * time.Second

// wait returns how long the platform wants no calls: as the header says or, without one, the message.
func (f *failure) wait(header time.Duration, now time.Time) time.Duration {
	if header > 0 || !f.throttled() {
		return header
	}
	if said := untilText.FindStringSubmatch(f.Message); said != nil {
		if until, err := time.Parse("1/2/2006 3:04:05 PM", said[1]); err == nil {
			return min(max(until.Sub(now), time.Second), longestHold)
		}
	}
	return unsaidHold
}

// code returns the service's code for the platform's.
func (f *failure) code() (code domain.Code, known bool) {
	if code, known = codes[f.Code]; known {
		return code, true
	}
	return f.met, f.met != ""
}

// passes reports whether the same call may succeed a little later.
func (f *failure) passes() bool {
	if f.throttled() || f.Code == overloaded {
		return true
	}
	_, known := f.code()
	return !known && f.status >= http.StatusInternalServerError
}

// codes maps the platform's error codes to the service's. A code that the table lacks is mapped by its status.
var codes = map[string]domain.Code{
	"WorkspaceNotFound":             domain.WorkspaceNotFound,
	"PowerBIFolderNotFound":         domain.WorkspaceNotFound,
	"EntityNotFound":                domain.ItemNotFound,
	"ItemNotFound":                  domain.ItemNotFound,
	"PowerBIEntityNotFound":         domain.ItemNotFound,
	"TokenExpired":                  domain.TokenExpired,
	"Unauthorized":                  domain.PlatformAccessDenied,
	"InsufficientPrivileges":        domain.PlatformAccessDenied,
	"InsufficientWorkspaceRole":     domain.PlatformAccessDenied,
	"InsufficientScopes":            domain.PlatformAccessDenied,
	"PowerBINotAuthorizedException": domain.PlatformAccessDenied,
	"FeatureNotAvailable":           domain.PlatformAccessDenied,
	"TenantSwitchDisabled":          domain.PlatformAccessDenied,
	"PrincipalTypeNotSupported":     domain.PlatformAccessDenied,
	"CapacityNotActive":             domain.CapacityPaused,
	overloaded:                      domain.CapacityBusy,
	"ItemHasProtectedLabel":         domain.ItemNotReadable,
	"ItemsHaveProtectedLabels":      domain.ItemNotReadable,
	"OperationNotSupportedForItem":  domain.ItemNotReadable,
	"UnsupportedItemType":           domain.ItemNotReadable,
	"InvalidItemType":               domain.ItemNotReadable,
	"CorruptedPayload":              domain.ItemNotReadable,
}

// refusal returns what the service says about the failure.
func (f *failure) refusal(of subject) error {
	if f.claims != "" {
		return SignInAgain(f.claims)
	}
	code, known := f.code()
	notFound := code == domain.ItemNotFound || code == domain.WorkspaceNotFound || !known && f.status == http.StatusNotFound
	switch {
	case of.operation && (notFound || f.Code == "OperationHasNoResult"):
		return &ended{gone: notFound, error: f.unavailable()}
	case of.queries && f.status == http.StatusBadRequest && (!known || code == domain.ItemNotReadable):
		return f.unanswered(of)
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
	what := "failed"
	if f.Code == overloaded {
		what = "is overloaded"
	}
	r := domain.Refuse(domain.PlatformUnavailable, "the platform %s (%s)%s; try again", what, f.Code, f.detail())
	return r.After(max(f.retryAfter, 5*time.Second))
}

// refusalOf says what the code means for what the call is about. Without privileges, a workspace or an item is reported
// as not found, because the caller cannot see it.
func (f *failure) refusalOf(code domain.Code, of subject) error {
	lacksRole := f.Code == "InsufficientPrivileges" || f.Code == "InsufficientWorkspaceRole"
	hidden := code == domain.PlatformAccessDenied && lacksRole
	if of.everybodys {
		switch hidden = false; code {
		case domain.WorkspaceNotFound, domain.ItemNotFound:
			return f.unavailable()
		}
	}
	switch {
	case code == domain.WorkspaceNotFound, of.item.Type == "" && (code == domain.ItemNotFound || hidden):
		return workspaceNotFound(of.workspace)
	case code == domain.ItemNotFound, hidden && !of.definition && !of.writes:
		return itemNotFound(of.item)
	case hidden && of.writes:
		return about(domain.Refuse(domain.PlatformAccessDenied, "you may not write to %s; ask for the Contributor role in its workspace, "+
			"or for write permission on it", nameOf(of.item)), of)
	case hidden:
		return about(domain.Refuse(domain.PlatformAccessDenied, "you may not read the definition of %s: the platform gives it only to "+
			"people who may write to it; ask for the Contributor role in its workspace, or for write permission on it",
			nameOf(of.item)), of)
	case code == domain.TokenExpired:
		return domain.Refuse(code, "the token with which the service acts for you has expired; sign in again")
	case code == domain.PlatformAccessDenied:
		return about(domain.Refuse(code, "the platform does not let you do this (%s)%s", f.Code, f.detail()), of)
	case code == domain.CapacityPaused:
		return domain.Refuse(code, "the capacity of workspace %s is paused; resume it and call again", of.workspace).
			About("workspaceId", of.workspace)
	case !of.definition && !of.writes: // a code of operations, which a look-up cannot be refused with
		return f.unavailable()
	case code == domain.CapacityBusy:
		return domain.Refuse(code, "the capacity of workspace %s is overloaded; try again later", of.workspace).
			About("workspaceId", of.workspace).After(max(f.retryAfter, 30*time.Second))
	}
	verb := "read"
	if of.writes {
		verb = "written"
	}
	return about(domain.Refuse(code, "the definition of %s cannot be %s: the platform says %s%s", nameOf(of.item), verb, f.Code,
		f.detail()), of)
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
	if words = line(words, maxQuoted); words == "" {
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

func nameOf(it item.Item) string { return string(it.Type) + " " + it.ID.String() }

func notReadable(it item.Item, format string, args ...any) error {
	return domain.Refuse(domain.ItemNotReadable, "the definition of %s cannot be read: %s", nameOf(it), fmt.Sprintf(format, args...)).
		About(it.Type.IDName(), it.ID)
}
