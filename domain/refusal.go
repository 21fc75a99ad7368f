package domain

import (
	"errors"
	"fmt"
	"time"
)

// Param names an id (or a permission, a limit) that a refusal concerns.
type Param struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Refusal is a call that a rule turned down, or a step of work that the
// platform did. It changes nothing and spends nothing. Any other error is the
// service's own fault and is shown to no caller.
type Refusal struct {
	Code    Code
	Message string // one sentence for people: what is wrong, where, what to do
	Params  []Param
	// RetryAfter is when the same call may be accepted; zero when time alone
	// does not help.
	RetryAfter time.Duration
}

// Error implements error.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

// Refuse returns a Refusal with a formatted message.
func Refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

// About adds an id the refusal concerns and returns r.
func (r *Refusal) About(name string, value any) *Refusal {
	r.Params = append(r.Params, Param{name, fmt.Sprint(value)})
	return r
}

// After says when the call may be tried again and returns r.
func (r *Refusal) After(d time.Duration) *Refusal {
	r.RetryAfter = d
	return r
}

// Refused returns err's Refusal, if it is one.
func Refused(err error) (*Refusal, bool) { return errors.AsType[*Refusal](err) }

// IsRefused reports whether err is a Refusal with the code.
func IsRefused(err error, code Code) bool {
	r, ok := Refused(err)
	return ok && r.Code == code
}
