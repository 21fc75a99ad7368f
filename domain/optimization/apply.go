package optimization

import (
	"time"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/proposal"
)

// WaitLife is how long an apply or a revert waits for its owner's next read. After that
// it ends with what it has written.
const WaitLife = 24 * time.Hour

// AcceptWrite records a new apply or revert. If the writes are known, the first one
// starts with the call. An operation known to have none ends with the call.
type AcceptWrite struct {
	Operation operation.Accepted
	Apply     ApplyAccepted
}

func (c AcceptWrite) Decide(Work) ([]domain.Event, error) {
	apply := c.Apply
	first, more := listed(apply.Writes, nil)
	apply.Writes = first.Writes
	events := append([]domain.Event{c.Operation, apply}, more...)
	switch {
	case len(c.Apply.Writes) > 0:
		events = append(events, WriteStarted{0})
	case c.Apply.NothingToWrite():
		events = append(events, operation.Succeeded{})
	}
	return events, nil
}

// Begin records that work began; nothing when it has begun already.
type Begin struct{}

func (Begin) Decide(w Work) ([]domain.Event, error) {
	if w.Operation.Status != operation.StatusNotStarted {
		return nil, nil
	}
	return []domain.Event{operation.Started{}}, nil
}

// RecordPreview ends a preview with its document.
type RecordPreview struct{ Previewed Previewed }

func (c RecordPreview) Decide(w Work) ([]domain.Event, error) {
	if w.Operation.Status.Ended() {
		return nil, nil
	}
	return []domain.Event{c.Previewed, operation.Succeeded{}}, nil
}

// RecordProposal records what an unattended apply will write. The operation ends when
// that is nothing, and otherwise waits for its owner.
type RecordProposal struct {
	Proposed Proposed
	At       time.Time
}

func (c RecordProposal) Decide(w Work) ([]domain.Event, error) {
	if w.Operation.Status.Ended() || w.Proposed {
		return nil, nil
	}
	proposed := c.Proposed
	first, more := listed(proposed.Writes, proposed.Skipped)
	proposed.Writes, proposed.Skipped = first.Writes, first.Skipped
	events := append([]domain.Event{proposed}, more...)
	if n := len(c.Proposed.Writes); n != w.Applies {
		impact := w.Operation.Impact
		impact.OptimizationApplies = &n
		events = append(events, operation.ImpactCorrected{Impact: impact})
	}
	if len(c.Proposed.Writes) == 0 {
		return append(events, operation.Succeeded{}), nil
	}
	return append(events, waiting(c.At)), nil
}

func waiting(at time.Time) domain.Event {
	until := at.UTC().Truncate(time.Microsecond).Add(WaitLife)
	return operation.WaitingForOwner{Until: &until}
}

// StartWrite starts the next write at a read by the operation's owner. Only the first
// read starts it.
type StartWrite struct{}

func (StartWrite) Decide(w Work) ([]domain.Event, error) {
	next := w.Next()
	if w.Operation.Waiting == nil || next < 0 {
		return nil, nil
	}
	return []domain.Event{operation.Resumed{}, WriteStarted{next}}, nil
}

// Intend records what is about to be written, before the platform is touched.
type Intend struct{ Intended WriteIntended }

func (c Intend) Decide(w Work) ([]domain.Event, error) {
	if !w.At(c.Intended.Write) {
		return nil, nil
	}
	return c.Intended.events(), nil
}

// Send records that the platform has taken a write.
type Send struct{ Sent WriteSent }

func (c Send) Decide(w Work) ([]domain.Event, error) {
	if !w.At(c.Sent.Write) || w.Progress[c.Sent.Write].Intended == nil {
		return nil, nil
	}
	return []domain.Event{c.Sent}, nil
}

// At reports whether the write is the current one and has been started.
func (w Work) At(write int) bool {
	return !w.Operation.Status.Ended() && w.Next() == write && w.Progress[write].Started
}

// Land records that a write is on the platform. The next write waits for the owner.
// After the last one the operation has succeeded.
type Land struct {
	Write int
	At    time.Time
}

func (c Land) Decide(w Work) ([]domain.Event, error) {
	if !w.At(c.Write) {
		return nil, nil
	}
	landed := WriteLanded{c.Write, c.At.UTC().Truncate(time.Microsecond)}
	if c.Write == len(w.Writes)-1 {
		return []domain.Event{landed, operation.Succeeded{}}, nil
	}
	return []domain.Event{landed, waiting(c.At)}, nil
}

// Correct is operation.Correct for a Work.
type Correct operation.Correct

func (c Correct) Decide(w Work) ([]domain.Event, error) {
	return operation.Correct(c).Decide(w.Operation)
}

// Fail ends the work with the failure; the writes that are left are not made. An apply
// or a revert that has written something succeeds in part.
type Fail struct{ Failure operation.Failure }

func (c Fail) Decide(w Work) ([]domain.Event, error) {
	if w.Operation.Status.Ended() {
		return nil, nil
	}
	var events []domain.Event
	if w.Operation.Waiting != nil {
		events = append(events, operation.Resumed{})
	}
	for i, p := range w.Progress {
		if !p.done() {
			events = append(events, WriteFailed{i, c.Failure})
		}
	}
	if len(w.written()) > 0 {
		return append(events, operation.Succeeded{}), nil
	}
	impact := w.Operation.Impact
	if w.Refunds(c.Failure.Code) {
		none := 0
		impact.OptimizationApplies = &none
	}
	return append(events, operation.Failed{Failure: c.Failure, Impact: impact}), nil
}

// Refunds reports whether failing with the code now refunds the applies that were
// spent: the work has done nothing for the caller (docs/decisions.md 5 and 8.5). A
// platform that did not answer a write may have made it, so that is not refunded.
func (w Work) Refunds(code domain.Code) bool {
	if w.Applies == 0 || len(w.written()) > 0 {
		return false
	}
	switch code {
	case domain.PlatformUnavailable:
		return !w.InDoubt()
	case domain.CapacityPaused, domain.CapacityBusy, domain.AssessmentNotStarted:
		return true
	}
	return false
}

// Lapse ends an apply or a revert whose wait for its owner is over.
type Lapse struct{ Now time.Time }

func (c Lapse) Decide(w Work) ([]domain.Event, error) {
	if at := w.Operation.Waiting; at == nil || at.Until == nil || !c.Now.After(*at.Until) {
		return nil, nil
	}
	return Fail{operation.Failure{Code: domain.OptimizationFailed,
		Message: "the person who started the operation did not read it for 24 hours, so the remaining changes were not written; " +
			"start it again"}}.Decide(w)
}

// Now is the model as it was read for a write.
type Now struct {
	// Values are the values of the write's objects, in their order.
	Values []rewrite.Value
	// Hash is the hash of the definition.
	Hash string
	// Refused is true when the write was intended before and the platform rejected it.
	Refused bool
	// Made is true when the platform reports that it made the write, so that the values show what it kept.
	Made bool
}

// Plan is what a write will do, decided on the model as it was read.
type Plan struct {
	// Landed is true when the write was already made, before a crash.
	Landed bool
	// Objects are the objects to write; Skipped are those left out.
	Objects []Object
	Skipped []Skip
}

// Plan compares the write's objects with the model. An object that has changed since
// the preview or the apply either refuses the write with ItemChanged or is skipped (see
// leavesOut).
func (w Work) Plan(write int, now Now) (Plan, error) {
	if intended := w.Progress[write].Intended; intended != nil {
		if intended.WrittenHash != "" && intended.WrittenHash == now.Hash {
			return Plan{Landed: true}, nil
		}
		if now.Made {
			return w.readBack(write, now.Values)
		}
		if !now.Refused {
			return w.planAgain(write, now.Values)
		}
	}
	var p Plan
	for i, o := range w.Writes[write].Objects {
		switch v := now.Values[i]; {
		case w.neverWritten(o):
			p.Skipped = append(p.Skipped, notWritten(o))
		case v.Found && rewrite.Same(o.Target().Property, v.Text, o.Previous):
			p.Objects = append(p.Objects, o)
		case w.leavesOut(o, v):
			p.Skipped = append(p.Skipped, Skip{o.Key, string(domain.ItemChanged), w.changedMessage(o, v)})
		default:
			return Plan{}, w.changed(o, w.changedMessage(o, v))
		}
	}
	return p, nil
}

// neverWritten reports whether an earlier version accepted to write an object that this
// one only reverts: Q&A stays as it is (docs/decisions.md 12).
func (w Work) neverWritten(o Object) bool {
	return w.Reverts == nil && o.Property == rewrite.QnAEnabled
}

func notWritten(o Object) Skip {
	return Skip{o.Key, string(proposal.NothingProposed), "the setting of Q&A is no longer changed; it stays as it is"}
}

// leavesOut reports whether a changed object is skipped. An apply skips objects that
// the model no longer has (for kinds from findings) and measures that moved to another
// folder. A revert of properties skips any changed object. A revert of what an earlier
// version wrote skips a setting of Q&A that was changed, so that the AI instructions are
// still reverted.
func (w Work) leavesOut(o Object, v rewrite.Value) bool {
	if o.Property == rewrite.QnAEnabled {
		return true
	}
	if w.Reverts != nil {
		return w.Kind == Properties
	}
	return o.Type == proposal.DisplayFolder || !v.Found && w.Kind.FromFindings()
}

// planAgain plans a write that was interrupted after it was intended. It was made, was
// not made at all, or the model has been changed by someone else.
func (w Work) planAgain(write int, values []rewrite.Value) (Plan, error) {
	p := Plan{Skipped: w.Progress[write].Intended.Skipped}
	before, after := true, false
	var other Object
	for o, found := range w.found(write, values) {
		if w.neverWritten(o) && !found.written {
			p.Skipped = append(p.Skipped, notWritten(o))
			continue
		}
		p.Objects = append(p.Objects, o)
		if found.same {
			continue
		}
		after = after || found.written
		if !found.previous {
			before, other = false, o
		}
	}
	switch {
	case before:
		return p, nil
	case after:
		return Plan{Landed: true}, nil
	}
	return Plan{}, w.changed(other, other.named()+" was changed while the write was interrupted")
}

func same(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// changed returns the refusal of a write because an object has changed.
func (w Work) changed(o Object, how string) error {
	remedy := "make a new preview"
	if w.Reverts != nil {
		remedy = "restore by hand what should be as it was before the apply"
	}
	return domain.Refuse(domain.ItemChanged, "%s; this write changed nothing; %s", how, remedy).About("key", o.Key)
}

// changedMessage says how an object has changed.
func (w Work) changedMessage(o Object, v rewrite.Value) string {
	changed := " was changed "
	if o.Property == rewrite.Synonyms {
		changed = " were changed "
	}
	switch {
	case !v.Found && o.Property == rewrite.QnAEnabled:
		return "the definition.pbism of the semantic model is gone or no longer a JSON object"
	case !v.Found:
		return "the semantic model no longer holds " + o.named()
	case w.Reverts != nil:
		return "the " + string(o.Property) + " of " + o.named() + changed + "after the apply"
	}
	return "the " + string(o.Property) + " of " + o.named() + changed + "after the preview"
}

// named returns the name of the object in messages.
func (o Object) named() string {
	switch {
	case o.Table == "" && o.Object == "":
		return "the semantic model"
	case o.Object == "":
		return "the table " + domain.Excerpt(o.Table)
	}
	return domain.Excerpt(o.Table) + "[" + domain.Excerpt(o.Object) + "]"
}
