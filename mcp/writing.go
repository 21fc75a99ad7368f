package mcp

import (
	"context"
	"fmt"
)

// ApplyInput selects what to write of a preview.
type ApplyInput struct {
	PreviewID   string        `json:"previewId" jsonschema:"from preview; the person must have seen it"`
	Keys        []string      `json:"keys" jsonschema:"keys of the changes to write: those that the person agreed to"`
	Texts       []WordsForKey `json:"texts,omitempty" jsonschema:"the person's own texts in place of proposed ones, by key"`
	OperationID string        `json:"operationId,omitempty" jsonschema:"the operation of an earlier call that had not ended"`
}

// RevertInput names the preview of a revert.
type RevertInput struct {
	PreviewID   string `json:"previewId" jsonschema:"from preview_revert; the person must have seen it"`
	OperationID string `json:"operationId,omitempty" jsonschema:"the operation of an earlier call that had not ended"`
}

// CursorInput asks for a page.
type CursorInput struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"the nextCursor of the previous page"`
}

// RecordInput names a record.
type RecordInput struct {
	Record string `json:"record" jsonschema:"a record, from list_records or apply"`
	Cursor string `json:"cursor,omitempty" jsonschema:"the nextCursor of the previous page"`
}

// RecordRow is a record of what was written.
type RecordRow struct {
	Record  string   `json:"record"` // for preview_revert
	At      string   `json:"atUtc"`
	Models  []string `json:"models"`
	Status  string   `json:"status,omitempty"`
	Objects int      `json:"objects,omitempty"`
}

// RecordsOutput is a page of records.
type RecordsOutput struct {
	Rows []RecordRow `json:"rows"`
	Next string      `json:"nextCursor,omitempty"` // cursor of the next page; absent on the last
}

// Written is what was written, or what a revert would write.
type Written struct {
	// Record undoes it; "" after a revert. PreviewID is that of a revert that was previewed.
	Record, PreviewID string
	Models            []string
	Changes           []Change
	Skipped           []SkippedRow
	ScoreNow, After   *int
	// Note says why nothing is restored, or what else to know.
	Note string
}

// WrittenOutput is what was written, page by page.
type WrittenOutput struct {
	Record     string       `json:"record,omitempty"`    // for preview_revert
	PreviewID  string       `json:"previewId,omitempty"` // for revert
	Models     []string     `json:"models"`
	ScoreAfter *int         `json:"scoreAfter,omitempty"`
	Note       string       `json:"note,omitempty"`
	Changes    Changes      `json:"changes"`
	Skipped    []SkippedRow `json:"skipped,omitempty"` // objects that were left unchanged; the first of them
}

func (w Written) output(summary, cursor string) (result[WrittenOutput], error) {
	page, err := changesOf(w.Changes, cursor)
	return result[WrittenOutput]{summary: summary, data: WrittenOutput{Record: w.Record, PreviewID: w.PreviewID,
		Models: append([]string{}, w.Models...), ScoreAfter: w.After, Note: clip(w.Note, maxText), Changes: page,
		Skipped: w.Skipped[:min(len(w.Skipped), maxWarnings)]}}, err
}

func (t tools) addWriting() {
	apply := spec{name: "apply", title: "Write chosen changes", hints: hints{destructive: true}, without: t.withoutOperation("texts")}
	revert := spec{name: "revert", title: "Revert what was written", hints: hints{destructive: true, idempotent: true},
		without: t.withoutOperation()}
	if t.Service {
		apply.description = "Writes the chosen changes of a preview to the semantic model, as an operation of the service that can be " +
			"reverted for 30 days. Replaces the texts that the changes show as now by those that they show as then, and nothing else."
		revert.description = "Restores the objects that preview_revert listed to their earlier texts in the semantic model, and nothing " +
			"else."
	} else {
		apply.description = "Writes the chosen changes of a preview to the model's files, completely or not at all, and before that a " +
			"record " +
			"readiness-apply-….json in the root folder, which reverts them. Replaces the texts that the changes show as now by those " +
			"that they show as then, and nothing else. Refuses if the model changed since the preview, by another apply too."
		revert.description = "Restores in the model's files the objects that preview_revert listed, and nothing else. The record stays."
	}
	add(t, apply, func(ctx context.Context, m Models, in ApplyInput) (result[*WrittenOutput], error) {
		w, pending, err := m.Apply(ctx, in)
		return written("%d objects written.", w, pending, err)
	})
	add(t, revert, func(ctx context.Context, m Models, in RevertInput) (result[*WrittenOutput], error) {
		w, pending, err := m.Revert(ctx, in.PreviewID, in.OperationID)
		return written("%d objects restored.", w, pending, err)
	})
}

func written(format string, w Written, pending *Pending, err error) (result[*WrittenOutput], error) {
	if err != nil || pending != nil {
		return result[*WrittenOutput]{pending: pending}, err
	}
	out, err := w.output(fmt.Sprintf(format, len(w.Changes)), "")
	return result[*WrittenOutput]{summary: out.summary, data: &out.data}, err
}
