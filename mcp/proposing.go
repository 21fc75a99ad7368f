package mcp

import (
	"context"
	"fmt"
	"time"

	"readiness/domain/optimization"
	"readiness/offline/show"
)

// PreviewInput asks for a preview of one kind.
type PreviewInput struct {
	Model       string            `json:"model" jsonschema:"the id of a model, from list_models"`
	Kind        optimization.Kind `json:"kind" jsonschema:"one that fixedBy names, in this order: properties, descriptions, aiDataSchema, aiInstructions"`
	Words       []WordsForKey     `json:"words,omitempty" jsonschema:"a person's own texts in place of proposed ones"`
	OperationID string            `json:"operationId,omitempty" jsonschema:"the operation of an earlier call that had not ended"`
}

// WordsForKey is a person's text for an object.
type WordsForKey struct {
	Key  string `json:"key" jsonschema:"of a change or of needsYourWords; aiInstructions; table|object|synonyms, whose text has one a line"`
	Text string `json:"text" jsonschema:"the text to write, as the person agreed to it"`
}

// Preview is what one kind of change would write.
type Preview struct {
	ID, Model, Kind string
	ScoreNow, After *int
	Changes         []Change
	Recommended     []string
	NeedsYourWords  []Need
	Skipped         []SkippedRow
	Falls           []string // dimensions whose score falls
	NothingToDo     string
	Warnings        []string
	Expires         *time.Time
}

// Need is a question to a person.
type Need struct {
	Key      string `json:"key"` // the key for words
	Question string `json:"question"`
}

// SkippedRow is an object for which nothing is proposed or written.
type SkippedRow struct {
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

// PreviewSummary is a preview with its first changes.
type PreviewSummary struct {
	PreviewID          string   `json:"previewId"` // for list_changes and apply
	Model              string   `json:"model"`
	Kind               string   `json:"kind"`
	ScoreNow           *int     `json:"scoreNow,omitempty"`
	ScoreAfter         *int     `json:"scoreAfter,omitempty"` // the score if every change is written
	NeedsYourWords     int      `json:"needsYourWords"`       // how many objects need a person's words; list_changes lists them
	Skipped            int      `json:"skipped"`
	DimensionsThatFall []string `json:"dimensionsThatFall,omitempty"` // dimensions that would score lower; name them
	NothingToDo        string   `json:"nothingToDo,omitempty"`
	Warnings           []string `json:"warnings,omitempty"`
	ExpiresAtUTC       string   `json:"expiresAtUtc,omitempty"`
	Changes            Changes  `json:"changes"` // the first page; list_changes lists the others
}

// ChangesInput selects a list of a preview.
type ChangesInput struct {
	PreviewID string `json:"previewId" jsonschema:"from preview"`
	What      List   `json:"what,omitempty" jsonschema:"changes by default"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"the nextCursor of the previous page"`
}

// List is one of the lists of a preview.
type List string

// The lists.
const (
	changesList List = "changes"
	needsList   List = "needsYourWords"
	skippedList List = "skipped"
)

// ChangesOutput is a page of one of the lists of a preview.
type ChangesOutput struct {
	Changes        *Changes          `json:"changes,omitempty"`
	NeedsYourWords *Page[Need]       `json:"needsYourWords,omitempty"`
	Skipped        *Page[SkippedRow] `json:"skipped,omitempty"`
}

func (t tools) addProposing() {
	preview := spec{name: "preview", title: "Preview changes", hints: t.records(), without: t.withoutOperation(),
		description: "Proposes changes of one kind and the score after them. Writes nothing to the model. Take one kind after the other: " +
			"preview, show the person every text, apply what the person agreed to; a write outdates other previews. " +
			"needsYourWords counts questions that only a person can answer."}
	if t.Service {
		preview.without = append(preview.without, "words")
		preview.description += " The service keeps the preview for a day, so the token needs the scope to write."
	}
	add(t, preview, func(ctx context.Context, m Models, in PreviewInput) (result[*PreviewSummary], error) {
		p, pending, err := m.Preview(ctx, in)
		if err != nil || pending != nil {
			return result[*PreviewSummary]{pending: pending}, err
		}
		s, err := p.summary()
		return result[*PreviewSummary]{summary: fmt.Sprintf("%d changes; score %s now, %s after all of them; %d objects need a person's "+
			"words.",
			s.Changes.Total, show.Number(s.ScoreNow), show.Number(s.ScoreAfter), s.NeedsYourWords), data: &s}, err
	})
	add(t, spec{name: "list_changes", title: "List changes of a preview", hints: reads,
		description: "Lists the changes of a preview, with their texts in full, the questions to a person, or what was skipped, page by page."},
		func(ctx context.Context, m Models, in ChangesInput) (result[ChangesOutput], error) {
			p, err := m.PreviewOf(ctx, in.PreviewID)
			if err != nil {
				return result[ChangesOutput]{}, err
			}
			return p.list(in)
		})
	add(t, spec{name: "list_records", title: "List records", hints: reads,
		description: "Lists the records of what was written, page by page. preview_revert shows what reverting one restores."},
		func(ctx context.Context, m Models, in CursorInput) (result[RecordsOutput], error) {
			rows, next, err := m.Records(ctx, in.Cursor)
			return result[RecordsOutput]{summary: fmt.Sprintf("%d records on this page.", len(rows)),
				data: RecordsOutput{append([]RecordRow{}, rows...), next}}, err
		})
	add(t, spec{name: "preview_revert", title: "Preview a revert", hints: reads,
		description: "Shows what reverting a record would restore, and returns the previewId that revert needs. Writes nothing."},
		func(ctx context.Context, m Models, in RecordInput) (result[WrittenOutput], error) {
			w, err := m.PreviewRevert(ctx, in.Record)
			if err != nil {
				return result[WrittenOutput]{}, err
			}
			return w.output(fmt.Sprintf("Reverting it restores %d objects.", len(w.Changes)), in.Cursor)
		})
}

func (p Preview) summary() (PreviewSummary, error) {
	page, err := changesOf(p.Changes, "")
	s := PreviewSummary{PreviewID: p.ID, Model: clip(p.Model, maxText), Kind: p.Kind, ScoreNow: p.ScoreNow, ScoreAfter: p.After,
		NeedsYourWords: len(p.NeedsYourWords), Skipped: len(p.Skipped), DimensionsThatFall: p.Falls, NothingToDo: clip(p.NothingToDo,
			maxText),
		Warnings: clipped(p.Warnings), Changes: page}
	if p.Expires != nil {
		s.ExpiresAtUTC = p.Expires.UTC().Format(time.RFC3339)
	}
	return s, err
}

func (p Preview) list(in ChangesInput) (r result[ChangesOutput], err error) {
	var count int
	switch in.What {
	case needsList:
		page, fault := pageOf(p.NeedsYourWords, in.Cursor)
		r.data.NeedsYourWords, count, err = &page, page.Total, fault
	case skippedList:
		page, fault := pageOf(p.Skipped, in.Cursor)
		r.data.Skipped, count, err = &page, page.Total, fault
	default:
		page, fault := changesOf(p.Changes, in.Cursor)
		r.data.Changes, count, err = &page, page.Total, fault
	}
	r.summary = fmt.Sprintf("%d in total.", count)
	return r, err
}
