package operation

import (
	"slices"
	"time"

	"readiness/domain"
)

const (
	// SignInLife is how long work waits for its owner to sign in again. After that it continues without a token, which ends it.
	SignInLife = 24 * time.Hour
	// signInPause is how long after a refusal the same token is tried again at the earliest: the owner may have agreed to something
	// meanwhile.
	signInPause = time.Minute
)

// SignInNeeded records that work cannot continue with its owner's token: the platform, or its identity provider, asks for a new
// sign-in or for consent. The work waits for a read by the owner with a token that was issued since, and no longer once Until has
// passed.
type SignInNeeded struct {
	Code    domain.Code `json:"errorCode"`
	Message string      `json:"message"`
	// Claims are what the sign-in must ask for, as JSON in base64url; "" if nothing in particular.
	Claims string `json:"claims,omitempty"`
	// Permission is the permission to agree to, as the refusal names it; "" if it names none.
	Permission string    `json:"permission,omitempty"`
	At         time.Time `json:"at"`
	// Until is when the work goes on without a sign-in, which ends it.
	Until time.Time `json:"until"`
}

func (SignInNeeded) EventType() string { return "operation.sign-in-needed" }

// NeedsOwner reports whether a refusal of a step means that only its owner can help: by another sign-in, or by consent.
func NeedsOwner(r *domain.Refusal) bool {
	return slices.Contains([]domain.Code{domain.Unauthorized, domain.TokenExpired, domain.PlatformConsentRequired}, r.Code)
}

// NeedSignIn records that a step was refused for its owner's token. Seen is how often the operation had continued when the step began:
// if it has continued since, it has another token, and nothing is recorded.
type NeedSignIn struct {
	Refusal *domain.Refusal
	Seen    int
	At      time.Time
}

// maxNeeded bounds each text of a SignInNeeded, in characters. Claims that are longer are dropped: a cut text is not JSON.
const maxNeeded = 4000

func (c NeedSignIn) Decide(o Operation) ([]domain.Event, error) {
	if o.Status.Ended() || o.Waiting != nil || o.SignIn != nil || o.Resumed > c.Seen {
		return nil, nil
	}
	at := c.At.UTC().Truncate(time.Microsecond)
	needed := SignInNeeded{Code: c.Refusal.Code, Message: domain.Shortened(c.Refusal.Message, maxNeeded), At: at, Until: at.Add(SignInLife)}
	for _, p := range c.Refusal.Params {
		switch {
		case p.Name == "claims" && len(p.Value) <= maxNeeded:
			needed.Claims = p.Value
		case p.Name == "permission":
			needed.Permission = domain.Shortened(p.Value, maxNeeded)
		}
	}
	return []domain.Event{needed}, nil
}

// SignedIn resumes work that waits for its owner to sign in. Issued is when the token of the owner's read was issued: a token
// that was issued before the refusal is tried again only after a while.
type SignedIn struct{ Issued, Now time.Time }

func (c SignedIn) Decide(o Operation) ([]domain.Event, error) {
	// Tokens say when they were issued in seconds.
	if o.SignIn == nil || c.Issued.Before(o.SignIn.At.Truncate(time.Second)) && c.Now.Sub(o.SignIn.At) < signInPause {
		return nil, nil
	}
	return []domain.Event{Resumed{}}, nil
}

// LapseSignIn resumes, without a token, work whose owner did not sign in.
type LapseSignIn struct{ Now time.Time }

func (c LapseSignIn) Decide(o Operation) ([]domain.Event, error) {
	if o.SignIn == nil || !c.Now.After(o.SignIn.Until) {
		return nil, nil
	}
	return []domain.Event{Resumed{}}, nil
}
