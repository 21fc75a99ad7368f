package domain

import (
	"errors"
	"fmt"
	"time"
)

// Param is an id, a permission or a limit that a refusal concerns.
type Param struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Refusal is the error of a call that a rule rejected, or of a step of work that the
// platform rejected. A refused call changes nothing and spends nothing. Any other error
// is the service's own fault and is not shown to callers.
type Refusal struct {
	Code    Code
	Message string // one sentence for people: what is wrong, where, what to do
	Params  []Param
	// RetryAfter is how long to wait before trying again; zero when waiting does not
	// help.
	RetryAfter time.Duration
}

// Error implements error.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

// Refuse returns a Refusal with a formatted message.
func Refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

// About adds a parameter that the refusal concerns and returns r.
func (r *Refusal) About(name string, value any) *Refusal {
	r.Params = append(r.Params, Param{name, fmt.Sprint(value)})
	return r
}

// After sets how long to wait before trying again and returns r.
func (r *Refusal) After(d time.Duration) *Refusal {
	r.RetryAfter = d
	return r
}

// Refused returns the Refusal that err is or wraps; false when there is none.
func Refused(err error) (*Refusal, bool) { return errors.AsType[*Refusal](err) }

// IsRefused reports whether err is or wraps a Refusal with the code.
func IsRefused(err error, code Code) bool {
	r, ok := Refused(err)
	return ok && r.Code == code
}
