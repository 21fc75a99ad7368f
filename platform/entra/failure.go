package entra

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	msal "github.com/AzureAD/microsoft-authentication-library-for-go/apps/errors"

	"readiness/domain"
	"readiness/domain/item"
)

// failure is the body of the identity provider's error.
type failure struct {
	Error    string `json:"error"`
	SubError string `json:"suberror"`
	Codes    []int  `json:"error_codes"`
	Claims   string `json:"claims"`
	TraceID  string `json:"trace_id"`
	status   int
}

// Refused is why the identity provider refused an exchange: what it means to the person, and the numbers of the provider's errors
// (AADSTS…), which say to the operator of the service what is wrong with its registration.
type Refused struct {
	*domain.Refusal
	Codes []int
}

// Unwrap returns the refusal.
func (r *Refused) Unwrap() error { return r.Refusal }

// maxFailure bounds the body of an error, in bytes.
const maxFailure = 64 << 10

// The numbers of errors (AADSTS…), as groups that mean the same to the person. Microsoft may renumber them, so error,
// suberror and claims decide first.
var (
	consentCodes  = []int{65001, 65004, 90094, 90008, 650052, 650057}
	policyCodes   = []int{53003, 530035, 53011, 50105, 50131}
	expiredCodes  = []int{500133, 50013, 50173, 50132, 50133}
	strangerCodes = []int{50020, 51004, 50034}
	awayCodes     = []int{50033, 50087, 90033}
	ourCodes      = []int{7000215, 7000222, 700016, 650056, 500011, 700027, 70021}
)

func (f failure) any(codes []int) bool {
	return slices.ContainsFunc(f.Codes, func(c int) bool { return slices.Contains(codes, c) })
}

// failed returns the refusal for an exchange that failed. Missing consent is kept for a short time.
func (x *Exchange) failed(ctx context.Context, k key, err error) error {
	f, answered := readFailure(err)
	if !answered {
		if errors.Is(ctx.Err(), context.Canceled) {
			return ctx.Err()
		}
		x.o.Log.Warn("a token exchange failed", "permission", k.permission, "error", "the identity provider did not answer")
		return unavailable("the identity provider of your organization did not answer")
	}
	// Neither token nor assertion is in these members.
	x.o.Log.Info("a token exchange was refused", "permission", k.permission, "error", f.Error, "suberror", f.SubError, "codes", f.Codes,
		"traceId", f.TraceID)
	refusal := f.refusal(k.permission)
	if refusal.Code == domain.PlatformConsentRequired {
		x.kept.Add(k, entry{expires: x.o.Now().Add(consentLife)})
	}
	return &Refused{refusal, f.Codes}
}

func (f failure) refusal(p item.Permission) *domain.Refusal {
	switch {
	case f.SubError == "consent_required", f.Error == "consent_required", f.any(consentCodes):
		return consentMissing(p)
	case f.Claims != "" && json.Valid([]byte(f.Claims)):
		return domain.Refuse(domain.Unauthorized, "your organization asks for a new sign-in before the service may act for you; sign in "+
			"again with the claims of the WWW-Authenticate header").About("claims", base64.RawURLEncoding.EncodeToString([]byte(f.Claims)))
	case f.any(awayCodes), f.status == http.StatusTooManyRequests:
		return failed()
	case f.any(policyCodes):
		return domain.Refuse(domain.PlatformAccessDenied, "a sign-in policy of your organization does not let the service act for you; "+
			"ask your administrator")
	case f.any(expiredCodes):
		return domain.Refuse(domain.TokenExpired, "the token has expired or was revoked; sign in again")
	case f.any(strangerCodes):
		return domain.Refuse(domain.PlatformAccessDenied, "your account is not one of the organization's (tenant of your token); sign in "+
			"with one that is")
	case f.any(ourCodes), f.Error == "invalid_client", f.Error == "unauthorized_client":
		return domain.Refuse(domain.PlatformUnavailable, "the service's own registration with Microsoft Entra ID is wrong; ask the "+
			"operator of the service to run: readinessd fabric check")
	case f.Error == "interaction_required", f.Error == "login_required":
		return domain.Refuse(domain.Unauthorized, "your organization asks for a new sign-in before the service may act for you; sign "+
			"in again")
	case f.Error == "invalid_grant" && f.status < http.StatusInternalServerError:
		return domain.Refuse(domain.PlatformAccessDenied, "your organization's identity provider does not let the service act for you")
	}
	return failed()
}

func failed() *domain.Refusal {
	return unavailable("the identity provider of your organization failed")
}

func consentMissing(p item.Permission) *domain.Refusal {
	return domain.Refuse(domain.PlatformConsentRequired, "you have not granted the service the permission %s; grant it on the page of the "+
		"parameter consentUrl, then call again", p)
}

func unavailable(what string) *domain.Refusal {
	return domain.Refuse(domain.PlatformUnavailable, "%s; try again", what).After(5 * time.Second)
}

// readFailure reads the body of an error of the library; false when the provider did not answer.
func readFailure(err error) (failure, bool) {
	call, ok := errors.AsType[msal.CallErr](err)
	if !ok || call.Resp == nil {
		return failure{}, false
	}
	f := failure{status: call.Resp.StatusCode}
	if text, err := io.ReadAll(io.LimitReader(call.Resp.Body, maxFailure)); err == nil {
		_ = json.Unmarshal(text, &f) // a member of another type counts as absent
	}
	return f, true
}
