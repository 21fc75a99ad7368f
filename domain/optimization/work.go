package optimization

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/operation"
	"readiness/internal/lists"
)

// Source is the assessment that an optimization's objects come from.
type Source struct {
	AssessmentID uuid.UUID `json:"assessmentId"`
	// DocumentHash addresses the assessment's document.
	DocumentHash string `json:"documentHash"`
	// Score is that of the assessment; null for none.
	Score *int `json:"score"`
}

// PreviewAccepted records the acceptance of a preview. It follows operation.Accepted on the
// preview's stream. Source is nil for a kind that needs no assessment.
type PreviewAccepted struct {
	Kind      Kind    `json:"kind"`
	ModelName string  `json:"semanticModelName"`
	Source    *Source `json:"source,omitempty"`
	// Bundle is the bundle that the preview belongs to, if any.
	Bundle *uuid.UUID `json:"bundle,omitempty"`
}

// Previewed records that the preview was made and its document stored.
type Previewed struct {
	DocumentHash string `json:"documentHash"`
	// Changes is how many changes the preview has.
	Changes int `json:"changes"`
	// ExpiresAt is the last moment at which the preview can be applied.
	ExpiresAt time.Time `json:"expiresAtUtc"`
}

// ApplyAccepted records what an apply or a revert will write, with the previous values.
// It follows operation.Accepted on its stream. The writes of an unattended apply follow
// with Proposed.
type ApplyAccepted struct {
	Kind      Kind   `json:"kind"`
	ModelName string `json:"semanticModelName"`
	// PreviewID is the preview that is written; nil for a revert, and for an unattended
	// apply that makes its own proposal.
	PreviewID *uuid.UUID `json:"previewId,omitempty"`
	// Unattended says that no person reviews what is written.
	Unattended bool `json:"unattended,omitempty"`
	// Source is the assessment that the objects come from; absent if none.
	Source *Source `json:"source,omitempty"`
	// Reverts is the apply that a revert reverts.
	Reverts *uuid.UUID `json:"reverts,omitempty"`
	// Writes are the writes, which later events name by their index from 0; absent for an unattended apply, whose writes follow with
	// Proposed.
	Writes []Write `json:"writes,omitempty"`
	// Applies is how many of the day's optimization applies were spent, and Allowance
	// the stream on which they were counted.
	Applies   int    `json:"applies"`
	Allowance string `json:"allowance"`
	// Bundle is the bundle that the operation belongs to, if any.
	Bundle *uuid.UUID `json:"bundle,omitempty"`
}

// known reports whether the writes are known when the call is accepted.
func (a ApplyAccepted) known() bool { return !a.Unattended || a.PreviewID != nil }

// NothingToWrite reports whether the call is known to have nothing to write, so that it
// needs no lock and spends nothing.
func (a ApplyAccepted) NothingToWrite() bool { return a.known() && len(a.Writes) == 0 }

// Proposed records the writes that an unattended apply proposed.
type Proposed struct {
	DocumentHash string `json:"documentHash"`
	// Writes are the writes, which later events name by their index from 0.
	Writes []Write `json:"writes"`
	// Skipped are the objects that are left out.
	Skipped []Skip `json:"skipped,omitempty"`
}

// WriteStarted records that the write may be made now, with the token of the call or of
// the owner's read that started it.
type WriteStarted struct {
	Write int `json:"write"`
}

// WriteIntended records what is about to be written to the platform. Undo restores each
// object's bytes; Skipped are left out.
type WriteIntended struct {
	Write   int            `json:"write"`
	Undo    []rewrite.Undo `json:"undo"`
	Skipped []Skip         `json:"skipped,omitempty"`
	// DefinitionHash is the hash of the definition before the write, WrittenHash its
	// hash after it.
	DefinitionHash string `json:"definitionHash"`
	WrittenHash    string `json:"writtenHash,omitempty"`
}

// WriteSent records that the platform has taken the intended write, and how it names the operation that makes it; empty
// if that has already ended.
type WriteSent struct {
	Write int `json:"write"`
	// Operation is the platform's name for the operation that makes the write; absent if that has ended.
	Operation string `json:"operation,omitempty"`
}

// WriteLanded records that the intended write is on the platform.
type WriteLanded struct {
	Write int       `json:"write"`
	At    time.Time `json:"at"`
}

// WriteFailed records that the write was not made and will not be.
type WriteFailed struct {
	Write   int               `json:"write"`
	Failure operation.Failure `json:"failure"`
}

// Restored records that a revert restored objects of this apply. Complete says that none
// is left.
type Restored struct {
	// By is the revert.
	By uuid.UUID `json:"by"`
	// Keys are the objects that it restored.
	Keys     []string `json:"keys"`
	Complete bool     `json:"whole"`
}

func (PreviewAccepted) EventType() string { return "optimization.preview-accepted" }
func (Previewed) EventType() string       { return "optimization.previewed" }
func (ApplyAccepted) EventType() string   { return "optimization.apply-accepted" }
func (Proposed) EventType() string        { return "optimization.proposed" }
func (WriteStarted) EventType() string    { return "optimization.write-started" }
func (WriteIntended) EventType() string   { return "optimization.write-intended" }
func (WriteSent) EventType() string       { return "optimization.write-sent" }
func (WriteLanded) EventType() string     { return "optimization.write-landed" }
func (WriteFailed) EventType() string     { return "optimization.write-failed" }
func (Restored) EventType() string        { return "optimization.restored" }

// Progress is the progress of one write.
type Progress struct {
	Started bool
	// Intended is the recorded intent of the write; nil before it.
	Intended *WriteIntended
	// Sent is what the platform took of this intent; nil for a platform that writes at once, and before it took anything.
	Sent    *WriteSent
	Landed  bool
	At      time.Time // when it landed
	Failure *operation.Failure
}

// done reports whether the write has an outcome.
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

	// Document is the hash of the document of a preview or an unattended apply; ""
	// before it is made.
	Document  string
	Changes   int
	ExpiresAt time.Time

	Proposed bool // the writes are known
	Writes   []Write
	Skipped  []Skip // skipped by the proposal
	Progress []Progress

	// Restored are the keys that reverts have restored, RevertedBy the revert that
	// restored the last of them.
	Restored   map[string]bool
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
		w.progress(e.Write, func(p *Progress) { p.Intended, p.Sent = &e, nil })
	case IntentContinued:
		w.progress(e.Write, func(p *Progress) {
			if p.Intended == nil {
				return
			}
			intended := *p.Intended
			intended.Undo, intended.Skipped = slices.Concat(intended.Undo, e.Undo), slices.Concat(intended.Skipped, e.Skipped)
			p.Intended = &intended
		})
	case WriteSent:
		w.progress(e.Write, func(p *Progress) { p.Sent = &e })
	case WriteLanded:
		w.progress(e.Write, func(p *Progress) { p.Landed, p.At = true, e.At })
	case WriteFailed:
		w.progress(e.Write, func(p *Progress) { p.Failure = &e.Failure })
	case Restored:
		back := make(map[string]bool, len(w.Restored)+len(e.Keys))
		for key := range w.Restored {
			back[key] = true
		}
		for _, key := range e.Keys {
			back[key] = true
		}
		w.Restored = back
		if e.Complete {
			w.RevertedBy = &e.By
		}
	default:
		w.Operation = operation.Evolve(w.Operation, e)
	}
	return w
}

// progress changes a copy, because a state that was returned must not change later.
func (w *Work) progress(i int, change func(*Progress)) {
	if i < 0 || i >= len(w.Progress) {
		return
	}
	w.Progress = slices.Clone(w.Progress)
	change(&w.Progress[i])
}

// InDoubt reports whether the current write was intended and its outcome is not
// recorded yet.
func (w Work) InDoubt() bool {
	at := w.Next()
	return at >= 0 && w.Progress[at].Intended != nil
}

// Next returns the index of the current write, the first one without an outcome; -1
// when none is left or none is known yet.
func (w Work) Next() int {
	return slices.IndexFunc(w.Progress, func(p Progress) bool { return !p.done() })
}

// Expired reports whether the preview can no longer be applied at now. At ExpiresAt
// itself it still can.
func (w Work) Expired(now time.Time) bool { return now.After(w.ExpiresAt) }

// IsApply reports whether the work is an apply, the only kind of work that can be
// reverted.
func (w Work) IsApply() bool { return w.Operation.Type == operation.ApplyOptimization }

// written returns the objects whose writes landed, each with what restores it.
func (w Work) written() []undoable {
	var all []undoable
	for i, p := range w.Progress {
		if !p.Landed || p.Intended == nil {
			continue
		}
		undo := lists.Index(p.Intended.Undo, func(u rewrite.Undo) rewrite.Target { return u.Target })
		for _, o := range w.Writes[i].Objects {
			if u, ok := undo[o.Target()]; ok {
				all = append(all, undoable{w.asRead(o, u), u})
			}
		}
	}
	return all
}

// asRead returns an object of a write with the value as the definition returns it. That
// value equals the requested one except for differences that a definition does not
// represent. The values that a revert writes were read from the definition, so they
// stay.
func (w Work) asRead(o Object, u rewrite.Undo) Object {
	if w.Reverts == nil {
		o.Written = &u.Written
	}
	return o
}

// AppliedAt returns when the last of the writes landed; zero when none has.
func (w Work) AppliedAt() time.Time {
	var last time.Time
	for _, p := range w.Progress {
		if p.Landed {
			last = p.At
		}
	}
	return last
}

// undoable is an object that was written, with what restores its bytes.
type undoable struct {
	Object
	undo rewrite.Undo
}

// Applied returns the objects that were written.
func (w Work) Applied() []Object {
	written := w.written()
	return lists.Map(written, func(o undoable) Object { return o.Object })
}

// LeftOut returns the objects that were not written, and why: skipped by the proposal
// or by a write, or part of a write that failed.
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

// Tracks reports whether the work, which was before, has just written its first object
// and so makes its model a tracked item.
func (w Work) Tracks(before Work) bool { return len(before.Applied()) == 0 && len(w.Applied()) > 0 }

// EndedIdle reports whether the work has ended without writing anything.
func (w Work) EndedIdle() bool { return w.Operation.Status.Ended() && len(w.Applied()) == 0 }

// left returns the objects that a revert of the apply still has to restore.
func (w Work) left() []undoable {
	return slices.DeleteFunc(w.written(), func(o undoable) bool { return w.Restored[o.Key] })
}

// RecordStanding is the standing of an apply's record.
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
