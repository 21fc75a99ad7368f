package optimization

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/operation"
)

// Source is the assessment that an optimization's objects come from.
type Source struct {
	AssessmentID uuid.UUID `json:"assessmentId"`
	// DocumentHash addresses the assessment's document.
	DocumentHash string `json:"documentHash"`
	Score        *int   `json:"score"`
}

// PreviewAccepted follows operation.Accepted on the stream of a preview. Source
// is nil for a kind that needs no assessment.
type PreviewAccepted struct {
	Kind      Kind    `json:"kind"`
	ModelName string  `json:"semanticModelName"`
	Source    *Source `json:"source,omitempty"`
	// Bundle is the bundle that the preview is a child of.
	Bundle *uuid.UUID `json:"bundle,omitempty"`
}

// Previewed: the preview was made and its document stored.
type Previewed struct {
	DocumentHash string    `json:"documentHash"`
	Changes      int       `json:"changes"`
	ExpiresAt    time.Time `json:"expiresAtUtc"`
}

// ApplyAccepted follows operation.Accepted on the stream of an apply or a
// revert. What is written, with what was there before, is known from here on;
// of an unattended apply it is from Proposed on.
type ApplyAccepted struct {
	Kind      Kind   `json:"kind"`
	ModelName string `json:"semanticModelName"`
	// PreviewID is the preview that is written; nil for a revert and for an
	// unattended apply that makes its own proposal.
	PreviewID *uuid.UUID `json:"previewId,omitempty"`
	// Unattended says that nobody reviews what is written.
	Unattended bool    `json:"unattended,omitempty"`
	Source     *Source `json:"source,omitempty"`
	// Reverts is the apply that a revert puts back.
	Reverts *uuid.UUID `json:"reverts,omitempty"`
	Writes  []Write    `json:"writes,omitempty"`
	// Applies is how many of the day's optimization applies were spent, Allowance
	// the stream on which they were counted.
	Applies   int        `json:"applies"`
	Allowance string     `json:"allowance"`
	Bundle    *uuid.UUID `json:"bundle,omitempty"`
}

// known reports whether what is written is known with the call.
func (a ApplyAccepted) known() bool { return !a.Unattended || a.PreviewID != nil }

// NothingToWrite reports whether it is known with the call that there is nothing
// to write: no lock is needed for it and nothing is spent.
func (a ApplyAccepted) NothingToWrite() bool { return a.known() && len(a.Writes) == 0 }

// Proposed: an unattended apply's proposal was made; these are its writes.
type Proposed struct {
	DocumentHash string  `json:"documentHash"`
	Writes       []Write `json:"writes"`
	Skipped      []Skip  `json:"skipped,omitempty"`
}

// WriteStarted: the write may be made now, with the token of the read that
// started it, or of the call.
type WriteStarted struct {
	Write int `json:"write"`
}

// WriteIntended: the platform is about to be touched. Undo puts each object's
// bytes back; Skipped are left out.
type WriteIntended struct {
	Write   int            `json:"write"`
	Undo    []rewrite.Undo `json:"undo"`
	Skipped []Skip         `json:"skipped,omitempty"`
	// DefinitionHash is that of the definition before the write, WrittenHash of
	// what it will be.
	DefinitionHash string `json:"definitionHash"`
	WrittenHash    string `json:"writtenHash,omitempty"`
}

// WriteLanded: what was intended is on the platform.
type WriteLanded struct {
	Write int       `json:"write"`
	At    time.Time `json:"at"`
}

// WriteFailed: the write was not made, and will not be.
type WriteFailed struct {
	Write   int               `json:"write"`
	Failure operation.Failure `json:"failure"`
}

// PutBack: a revert put objects of this apply back. Whole says that nothing of
// it is left.
type PutBack struct {
	By    uuid.UUID `json:"by"`
	Keys  []string  `json:"keys"`
	Whole bool      `json:"whole"`
}

// EventType implements domain.Event.
func (PreviewAccepted) EventType() string { return "optimization.preview-accepted" }
func (Previewed) EventType() string       { return "optimization.previewed" }
func (ApplyAccepted) EventType() string   { return "optimization.apply-accepted" }
func (Proposed) EventType() string        { return "optimization.proposed" }
func (WriteStarted) EventType() string    { return "optimization.write-started" }
func (WriteIntended) EventType() string   { return "optimization.write-intended" }
func (WriteLanded) EventType() string     { return "optimization.write-landed" }
func (WriteFailed) EventType() string     { return "optimization.write-failed" }
func (PutBack) EventType() string         { return "optimization.put-back" }

// Progress is how far one write is.
type Progress struct {
	Started bool
	// Intended is what was recorded before the platform was touched.
	Intended *WriteIntended
	Landed   bool
	At       time.Time // when it landed
	Failure  *operation.Failure
}

// done reports whether the write has its outcome.
func (p Progress) done() bool { return p.Landed || p.Failure != nil }

// Work is a preview, an apply or a revert, folded from its operation's stream.
type Work struct {
	Operation  operation.Operation
	Kind       Kind
	ModelName  string
	Source     *Source
	Bundle     *uuid.UUID
	PreviewID  *uuid.UUID
	Unattended bool
	Reverts    *uuid.UUID
	Applies    int
	Allowance  string

	// Document is the preview's, of a preview or an unattended apply; "" before
	// it is made.
	Document  string
	Changes   int
	ExpiresAt time.Time

	Proposed bool // the writes are known
	Writes   []Write
	Skipped  []Skip // by the proposal
	Progress []Progress

	// PutBack are the keys that reverts have put back, RevertedBy the revert that
	// put back the last of them.
	PutBack    map[string]bool
	RevertedBy *uuid.UUID
}

// Evolve returns w after e.
func Evolve(w Work, e domain.Event) Work {
	switch e := e.(type) {
	case PreviewAccepted:
		w.Kind, w.ModelName, w.Source, w.Bundle = e.Kind, e.ModelName, e.Source, e.Bundle
	case Previewed:
		w.Document, w.Changes, w.ExpiresAt = e.DocumentHash, e.Changes, e.ExpiresAt
	case ApplyAccepted:
		w.Kind, w.ModelName, w.PreviewID, w.Unattended, w.Source, w.Reverts, w.Applies, w.Allowance, w.Bundle =
			e.Kind, e.ModelName, e.PreviewID, e.Unattended, e.Source, e.Reverts, e.Applies, e.Allowance, e.Bundle
		if e.known() {
			w.Proposed, w.Writes, w.Progress = true, e.Writes, make([]Progress, len(e.Writes))
		}
	case Proposed:
		w.Proposed, w.Document, w.Writes, w.Skipped, w.Progress = true, e.DocumentHash, e.Writes, e.Skipped, make([]Progress, len(e.Writes))
	case WritesContinued:
		for _, more := range e.Writes {
			w.Writes = continued(w.Writes, more.Objects)
		}
		w.Skipped, w.Progress = slices.Concat(w.Skipped, e.Skipped), make([]Progress, len(w.Writes))
	case WriteStarted:
		w.progress(e.Write, func(p *Progress) { p.Started = true })
	case WriteIntended:
		w.progress(e.Write, func(p *Progress) { p.Intended = &e })
	case IntentContinued:
		w.progress(e.Write, func(p *Progress) {
			if p.Intended == nil {
				return
			}
			intended := *p.Intended
			intended.Undo, intended.Skipped = slices.Concat(intended.Undo, e.Undo), slices.Concat(intended.Skipped, e.Skipped)
			p.Intended = &intended
		})
	case WriteLanded:
		w.progress(e.Write, func(p *Progress) { p.Landed, p.At = true, e.At })
	case WriteFailed:
		w.progress(e.Write, func(p *Progress) { p.Failure = &e.Failure })
	case PutBack:
		back := make(map[string]bool, len(w.PutBack)+len(e.Keys))
		for key := range w.PutBack {
			back[key] = true
		}
		for _, key := range e.Keys {
			back[key] = true
		}
		w.PutBack = back
		if e.Whole {
			w.RevertedBy = &e.By
		}
	default:
		w.Operation = operation.Evolve(w.Operation, e)
	}
	return w
}

// progress changes a copy: a state handed out never changes later.
func (w *Work) progress(i int, change func(*Progress)) {
	if i < 0 || i >= len(w.Progress) {
		return
	}
	w.Progress = slices.Clone(w.Progress)
	change(&w.Progress[i])
}

// InDoubt reports whether the write that the work is at was intended and nothing
// says yet what came of it.
func (w Work) InDoubt() bool {
	at := w.Next()
	return at >= 0 && w.Progress[at].Intended != nil
}

// Next returns the write to be made next, which the work is at; -1 when none is
// left, or none is known yet.
func (w Work) Next() int {
	return slices.IndexFunc(w.Progress, func(p Progress) bool { return !p.done() })
}

// Expired reports whether the preview can no longer be applied at now. At the
// very second of its end it still can.
func (w Work) Expired(now time.Time) bool { return now.After(w.ExpiresAt) }

// IsApply reports whether the work is an apply, whose record a revert takes.
func (w Work) IsApply() bool { return w.Operation.Type == operation.ApplyOptimization }

// written are the objects whose writes landed, each with what undoes it.
func (w Work) written() []undoable {
	var all []undoable
	for i, p := range w.Progress {
		if !p.Landed || p.Intended == nil {
			continue
		}
		undo := make(map[rewrite.Target]rewrite.Undo, len(p.Intended.Undo))
		for _, u := range p.Intended.Undo {
			undo[u.Target] = u
		}
		for _, o := range w.Writes[i].Objects {
			if u, ok := undo[o.Target()]; ok {
				all = append(all, undoable{w.asRead(o, u), u})
			}
		}
	}
	return all
}

// asRead is an object of a write with the value that the definition gives back,
// which is the one that was asked for but for what a definition does not tell
// apart. What a revert writes was read before.
func (w Work) asRead(o Object, u rewrite.Undo) Object {
	if w.Reverts == nil {
		o.Written = &u.Written
	}
	return o
}

// AppliedAt is when the last of the writes landed; zero when none has.
func (w Work) AppliedAt() time.Time {
	var last time.Time
	for _, p := range w.Progress {
		if p.Landed {
			last = p.At
		}
	}
	return last
}

// undoable is an object that was written, with what puts its bytes back.
type undoable struct {
	Object
	undo rewrite.Undo
}

// Applied are the objects that were written.
func (w Work) Applied() []Object {
	written := w.written()
	objects := make([]Object, len(written))
	for i, o := range written {
		objects[i] = o.Object
	}
	return objects
}

// LeftOut are the objects that were not written, and why: left out of the
// proposal or of a write, or of a write that failed (spec 4.5, apply rules 5
// and 6).
func (w Work) LeftOut() []Skip {
	all := slices.Clone(w.Skipped)
	for i, p := range w.Progress {
		if p.Failure != nil {
			for _, o := range w.Writes[i].Objects {
				all = append(all, Skip{o.Key, string(p.Failure.Code), p.Failure.Message})
			}
		} else if p.Intended != nil {
			all = append(all, p.Intended.Skipped...)
		}
	}
	return all
}

// left are the objects that a revert of the apply still has to put back.
func (w Work) left() []undoable {
	return slices.DeleteFunc(w.written(), func(o undoable) bool { return w.PutBack[o.Key] })
}

// RecordStanding is an apply record's own standing (spec 3.5).
type RecordStanding string

// The standings.
const (
	Applied  RecordStanding = "Applied"
	Reverted RecordStanding = "Reverted"
)

// Standing returns the record's standing.
func (w Work) Standing() RecordStanding {
	if w.RevertedBy != nil {
		return Reverted
	}
	return Applied
}
