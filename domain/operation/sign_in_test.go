package operation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/domain/operation"
)

var (
	noon    = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	refusal = domain.Refuse(domain.Unauthorized, "sign in").About("claims", "e30").About("permission", "Item.Read.All")
	need    = operation.SignInNeeded{Code: domain.Unauthorized, Message: "sign in", Claims: "e30", Permission: "Item.Read.All", At: noon,
		Until: noon.Add(operation.SignInLife)}
)

// An operation asks its owner once, for the token that was refused; not when it has ended, waits already, or has had another token
// since.
func TestNeedSignIn(t *testing.T) {
	t.Parallel()
	long := domain.Refuse(domain.TokenExpired, "%s", strings.Repeat("x", 5000)).About("claims", strings.Repeat("x", 4001))
	for name, c := range map[string]struct {
		given   []domain.Event
		refusal *domain.Refusal
		seen    int
		want    []domain.Event
	}{
		"running":              {[]domain.Event{accepted, operation.Started{}}, refusal, 0, []domain.Event{need}},
		"not started":          {[]domain.Event{accepted}, refusal, 0, []domain.Event{need}},
		"asked already":        {[]domain.Event{accepted, need}, refusal, 0, nil},
		"waits for a read":     {[]domain.Event{accepted, operation.WaitingForOwner{}}, refusal, 0, nil},
		"has another token":    {[]domain.Event{accepted, need, operation.Resumed{}}, refusal, 0, nil},
		"the new one, refused": {[]domain.Event{accepted, need, operation.Resumed{}}, refusal, 1, []domain.Event{need}},
		"succeeded":            {[]domain.Event{accepted, operation.Succeeded{}}, refusal, 0, nil},
		"failed":               {[]domain.Event{accepted, broken}, refusal, 0, nil},
		"cancelled":            {[]domain.Event{accepted, operation.Cancelled{}}, refusal, 0, nil},
		"long texts": {[]domain.Event{accepted}, long, 0, []domain.Event{operation.SignInNeeded{Code: domain.TokenExpired,
			Message: domain.Shortened(strings.Repeat("x", 5000), 4000), At: noon, Until: need.Until}}},
	} {
		got, err := operation.NeedSignIn{Refusal: c.refusal, Seen: c.seen, At: noon.Add(time.Nanosecond)}.Decide(fold(c.given...))
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// Work continues with a token that was issued after the refusal or, a minute later, with any; when the time to wait is over, without.
func TestSignedIn(t *testing.T) {
	t.Parallel()
	late := need
	late.At = noon.Add(999 * time.Millisecond)
	for name, c := range map[string]struct {
		given   []domain.Event
		command domain.Command[operation.Operation]
		goesOn  bool
	}{
		"issued in the same second":  {[]domain.Event{accepted, late}, operation.SignedIn{Issued: noon, Now: noon}, true},
		"a later token":              {[]domain.Event{accepted, need}, operation.SignedIn{Issued: noon.Add(time.Second), Now: noon}, true},
		"the refused token":          {[]domain.Event{accepted, need}, operation.SignedIn{Issued: noon.Add(-time.Second), Now: noon.Add(59 * time.Second)}, false},
		"the refused token, later":   {[]domain.Event{accepted, need}, operation.SignedIn{Issued: noon.Add(-time.Second), Now: noon.Add(time.Minute)}, true},
		"a token that does not say":  {[]domain.Event{accepted, need}, operation.SignedIn{Now: noon.Add(time.Second)}, false},
		"no need":                    {[]domain.Event{accepted}, operation.SignedIn{Issued: noon.Add(time.Second), Now: noon}, false},
		"went on":                    {[]domain.Event{accepted, need, operation.Resumed{}}, operation.SignedIn{Issued: noon.Add(time.Second)}, false},
		"ended":                      {[]domain.Event{accepted, need, broken}, operation.SignedIn{Issued: noon.Add(time.Second)}, false},
		"cancelled":                  {[]domain.Event{accepted, need, operation.Cancelled{}}, operation.SignedIn{Issued: noon.Add(time.Second)}, false},
		"the time to wait is over":   {[]domain.Event{accepted, need}, operation.LapseSignIn{Now: need.Until.Add(1)}, true},
		"the last moment":            {[]domain.Event{accepted, need}, operation.LapseSignIn{Now: need.Until}, false},
		"over, but it waits no more": {[]domain.Event{accepted, need, operation.Resumed{}}, operation.LapseSignIn{Now: need.Until.Add(1)}, false},
	} {
		got, err := c.command.Decide(fold(c.given...))
		if err != nil || (len(got) == 1) != c.goesOn {
			t.Errorf("%s: recorded %v, %v", name, got, err)
		}
	}
	if o := fold(accepted, need); !o.Rests() || o.SignIn == nil || fold(accepted, need, operation.Resumed{}).Rests() {
		t.Errorf("the operation is %+v", o)
	}
}

// Only what another sign-in or consent can mend waits for the owner.
func TestNeedsOwner(t *testing.T) {
	t.Parallel()
	for code, want := range map[domain.Code]bool{domain.Unauthorized: true, domain.TokenExpired: true, domain.PlatformConsentRequired: true,
		domain.PlatformAccessDenied: false, domain.PlatformUnavailable: false, domain.ItemNotFound: false, domain.UserNotRegistered: false} {
		if got := operation.NeedsOwner(domain.Refuse(code, "x")); got != want {
			t.Errorf("%s: %v", code, got)
		}
	}
}
