package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/oauth2"
)

const (
	// leastInterval and mostInterval bound the pause between two polls for the sign-in; RFC 8628 has
	// defaultInterval where the provider names none.
	leastInterval   = time.Second
	defaultInterval = 5 * time.Second
	mostInterval    = time.Minute
	// slower is what slow_down adds to the pause.
	slower = 5 * time.Second
	// unanswered is how many questions in a row may get no answer.
	unanswered = 5
)

// Device is where a person enters which code.
type Device struct{ Address, Code string }

// WithDevice signs a person in who enters a code on another device. show shows them where. claims is as in WithBrowser. It
// waits until the person has signed in, for as long as the code is valid and for at most ten minutes.
func (p *Provider) WithDevice(ctx context.Context, claims string, show func(Device) error) (Tokens, error) {
	if p.found.Device == "" {
		return Tokens{}, errors.New("the provider has no sign-in with a code for another device")
	}
	config := p.config("")
	begun, err := config.DeviceAuth(p.with(ctx), asked(claims)...)
	if err != nil {
		return Tokens{}, failed("the sign-in failed", err)
	}
	if err := sealed(begun.VerificationURI); err != nil || begun.UserCode == "" || begun.DeviceCode == "" {
		return Tokens{}, errors.New("the sign-in failed: the provider named no page and no code")
	}
	if err := show(Device{begun.VerificationURI, begun.UserCode}); err != nil {
		return Tokens{}, err
	}
	ends := p.o.Now().Add(signInLife)
	if !begun.Expiry.IsZero() && begun.Expiry.Before(ends) {
		ends = begun.Expiry
	}
	interval := defaultInterval
	if begun.Interval != 0 {
		interval = time.Duration(min(max(begun.Interval, 1), int64(mostInterval/time.Second))) * time.Second
	}
	for lost := 0; ; {
		interval = min(max(interval, leastInterval), mostInterval)
		if err := p.o.Pause(ctx, interval); err != nil {
			return Tokens{}, err
		}
		if p.o.Now().After(ends) {
			return Tokens{}, errors.New("no one signed in before the code expired")
		}
		got, err := p.ask(ctx, config, begun.DeviceCode, claims)
		if err == nil {
			return p.tokens(got, "")
		}
		refused, answered := errors.AsType[*oauth2.RetrieveError](err)
		switch {
		case ctx.Err() != nil:
			return Tokens{}, ctx.Err()
		case answered && refused.ErrorCode == "authorization_pending":
			lost = 0
		case answered && refused.ErrorCode == "slow_down":
			lost = 0
			interval += slower
		case answered && refused.Response.StatusCode < 500:
			return Tokens{}, declined(refused)
		default: // the provider may be away for a moment
			if lost++; lost >= unanswered {
				return Tokens{}, failed("the sign-in failed", err)
			}
			interval *= 2
		}
	}
}

// ask asks once whether the person has signed in.
func (p *Provider) ask(ctx context.Context, config *oauth2.Config, code, claims string) (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return config.Exchange(p.with(ctx), "", append(asked(claims),
		oauth2.SetAuthURLParam("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
		oauth2.SetAuthURLParam("device_code", code))...)
}

// declined says why a person is not signed in.
func declined(refused *oauth2.RetrieveError) error {
	switch refused.ErrorCode {
	case "expired_token", "code_expired":
		return errors.New("no one signed in before the code expired")
	case "access_denied", "authorization_declined":
		return errors.New("the sign-in was refused on the other device")
	}
	return fmt.Errorf("%w", failed("the sign-in failed", refused))
}
