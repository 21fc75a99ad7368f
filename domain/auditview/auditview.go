// Package auditview holds the operation that lists the rows of a view, of one account, as of a position of the log. It knows no view.
package auditview

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"readiness/domain"
	"readiness/domain/operation"
)

// Moment is what a caller asks for: a position of the log, or a time, which stands for the last head signed at or before it.
type Moment struct {
	Position *int64
	Time     *time.Time
}

// Head is a signed head of the tree of all events.
type Head struct {
	Position int64 // of the last event that it covers
	Note     string
	SignedAt time.Time
}

// Asked records what is listed. It follows operation.Accepted on its stream.
type Asked struct {
	// View is the view's name.
	View     string `json:"view"`
	Position int64  `json:"position"` // of the last event that counts
	// Note is the signed head that covers the event at Position; absent if none did yet.
	Note string `json:"checkpointNote,omitempty"`
	// SignedAt is when the head in checkpointNote was signed.
	SignedAt *time.Time `json:"signedAt,omitempty"`
}

// Listed records the rows, which are in a document.
type Listed struct {
	DocumentHash string `json:"documentHash"`
	// Rows is how many rows there are.
	Rows int `json:"rows"`
}

func (Asked) EventType() string  { return "auditview.asked" }
func (Listed) EventType() string { return "auditview.listed" }

// Result is what the operation answers.
type Result struct {
	View           string            `json:"view"`
	Position       int64             `json:"position"`
	CheckpointNote string            `json:"checkpointNote,omitempty"`
	SignedAtUtc    *time.Time        `json:"signedAtUtc,omitempty"`
	Value          []json.RawMessage `json:"value"`
}

// ResultLife is how long the rows are kept.
const ResultLife = 7 * 24 * time.Hour

// MaxSize bounds the rows of a result, in bytes of their JSON.
const MaxSize = 16 << 20

// Listing is the operation, folded from its stream.
type Listing struct {
	Operation operation.Operation
	Asked     Asked
	Listed    *Listed
}

// Evolve returns l after e.
func Evolve(l Listing, e domain.Event) Listing {
	switch e := e.(type) {
	case Asked:
		l.Asked = e
	case Listed:
		l.Listed = &e
	default:
		l.Operation = operation.Evolve(l.Operation, e)
	}
	return l
}

// Ask starts a listing.
type Ask struct {
	Operation operation.Accepted
	View      string
	Views     []string // those that there are
	Moment    Moment
	End       int64 // the last position of the log
	Head      *Head // what Moment's time stands for, or the first that covers its position; nil if there is none
}

func (c Ask) Decide(Listing) ([]domain.Event, error) {
	asked := Asked{View: c.View}
	switch {
	case !slices.Contains(c.Views, c.View):
		return nil, domain.Refuse(domain.AuditRecordNotFound, "there is no view %q; the views are %s", c.View, strings.Join(c.Views, ", "))
	case (c.Moment.Position == nil) == (c.Moment.Time == nil):
		return nil, domain.Refuse(domain.InvalidRequest, "asOf names either position or timeUtc")
	case c.Moment.Position != nil:
		asked.Position = *c.Moment.Position
	case c.Head == nil:
		return nil, domain.Refuse(domain.AuditRecordNotFound, "no head of the log was signed at or before %s",
			c.Moment.Time.UTC().Format(time.RFC3339Nano))
	default:
		asked.Position = c.Head.Position
	}
	if asked.Position < 0 || asked.Position > c.End {
		return nil, domain.Refuse(domain.InvalidRequest, "the log has no position %d; it ends at %d", asked.Position, c.End)
	}
	if c.Head != nil {
		at := c.Head.SignedAt.UTC()
		asked.Note, asked.SignedAt = c.Head.Note, &at
	}
	return []domain.Event{c.Operation, asked}, nil
}

// Begin records that the work began; nothing when it has begun already.
type Begin struct{}

func (Begin) Decide(l Listing) ([]domain.Event, error) { return operation.Begin{}.Decide(l.Operation) }

// End ends the operation with its result, once.
type End struct{ Listed Listed }

func (c End) Decide(l Listing) ([]domain.Event, error) {
	if l.Operation.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{c.Listed, operation.Succeeded{}}, nil
}

// Fail ends the operation without a result, once.
type Fail struct{ Message string }

func (c Fail) Decide(l Listing) ([]domain.Event, error) {
	if l.Operation.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{operation.Failed{Failure: operation.Failure{Code: domain.AuditViewFailed, Message: c.Message}}}, nil
}
