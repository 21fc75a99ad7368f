package offline

import (
	"io"
	"path/filepath"

	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/internal/indentedjson"
)

// previews is the JSON document of proposals. Changes and skipped objects have the format of the service's previews.
type previews struct {
	Format string          `json:"format"`
	Models []previewsModel `json:"models"`
	// Record is the file that reverts what was written, if apply wrote.
	Record string `json:"record,omitempty"`
	// Written says which models were written, if apply wrote.
	Written []writtenModel `json:"written,omitempty"`
}

// writtenModel is a model that was written, or the reason why not.
type writtenModel struct {
	Path  string  `json:"path"`
	Error *string `json:"error"`
}

type previewsModel struct {
	Path       string  `json:"path"`
	Error      *string `json:"error"`
	ScoreNow   *int    `json:"scoreNow"`
	ScoreAfter *int    `json:"scoreAfter"`
	// LeftOut counts the changes that only --all writes.
	LeftOut int `json:"leftOut,omitempty"`
	// Ignored counts the ignored findings that the kinds could clear.
	Ignored            int                             `json:"ignored"`
	DimensionsThatFall []optimization.FallingDimension `json:"dimensionsThatFall,omitempty"`
	Previews           []previewsKind                  `json:"previews"`
}

type previewsKind struct {
	Kind            optimization.Kind     `json:"kind"`
	Changes         []optimization.Change `json:"changes"`
	Skipped         []optimization.Skip   `json:"skipped"`
	NothingToDo     *string               `json:"nothingToDo"`
	Message         *string               `json:"message"`
	Provider        *proposal.Provider    `json:"provider"`
	RecommendedKeys []string              `json:"recommendedKeys,omitempty"`
	// NeedsYourWords and DimensionsThatFall are as in the service's previews.
	NeedsYourWords     []optimization.NeededWords      `json:"needsYourWords,omitempty"`
	DimensionsThatFall []optimization.FallingDimension `json:"dimensionsThatFall,omitempty"`
	ScoreNow           *int                            `json:"scoreNow"`
	ScoreAfter         *int                            `json:"scoreAfter"`
}

// WritePreviews writes all proposals as JSON, with the keys that select changes, and what was written of them, with the record.
func WritePreviews(w io.Writer, all []Proposal, applied []Applied, record string) error {
	out := previews{Format: "readiness-previews/1", Models: []previewsModel{}, Record: filepath.ToSlash(record), Written: writtenModels(applied)}
	for _, p := range all {
		m := previewsModel{Path: p.Shown, ScoreNow: p.ScoreNow, ScoreAfter: p.ScoreAfter, LeftOut: p.LeftOut, Ignored: p.Ignored,
			DimensionsThatFall: p.DimensionsThatFall, Previews: []previewsKind{}}
		m.Error = textOf(p.Error)
		for _, one := range p.Previews {
			m.Previews = append(m.Previews, previewsKind{
				one.Kind, one.Changes, one.Skipped, one.NothingToDo, one.Message, one.Provider, one.RecommendedKeys, one.NeedsYourWords,
				one.DimensionsThatFall, one.ScoreNow, one.ScoreAfter,
			})
		}
		out.Models = append(out.Models, m)
	}
	return indentedjson.Write(w, out)
}

// WriteReversals writes as JSON what reverting a record changes, and what was written of it.
func WriteReversals(w io.Writer, all []Reversal, applied []Applied) error {
	type reversal struct {
		Path     string              `json:"path"`
		Error    *string             `json:"error"`
		AsBefore bool                `json:"asBefore"`
		Objects  int                 `json:"objects"`
		Files    int                 `json:"files,omitempty"`
		Skipped  []optimization.Skip `json:"skipped"`
	}
	models := []reversal{}
	for _, v := range all {
		models = append(models, reversal{v.Path, textOf(v.Error), v.AsBefore, v.Objects, v.Files, append([]optimization.Skip{}, v.Skipped...)})
	}
	return indentedjson.Write(w, struct {
		Format  string         `json:"format"`
		Models  []reversal     `json:"models"`
		Written []writtenModel `json:"written,omitempty"`
	}{"readiness-reversals/1", models, writtenModels(applied)})
}

func writtenModels(applied []Applied) (all []writtenModel) {
	for _, a := range applied {
		all = append(all, writtenModel{a.Path, textOf(a.Error)})
	}
	return all
}

// textOf returns the text of an error; nil for none.
func textOf(err error) *string {
	if err == nil {
		return nil
	}
	return new(err.Error())
}
