package offline

import (
	"io"

	"readiness/domain/optimization"
	"readiness/domain/proposal"
)

// previews is the JSON document of proposals. Changes and skipped objects have the format of the service's previews.
type previews struct {
	Format string          `json:"format"`
	Models []previewsModel `json:"models"`
}

type previewsModel struct {
	Path       string  `json:"path"`
	Error      *string `json:"error"`
	ScoreNow   *int    `json:"scoreNow"`
	ScoreAfter *int    `json:"scoreAfter"`
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

// WritePreviews writes all proposals as JSON, with the keys that select changes.
func WritePreviews(w io.Writer, all []Proposal) error {
	out := previews{Format: "readiness-previews/1", Models: []previewsModel{}}
	for _, p := range all {
		m := previewsModel{Path: p.Shown, ScoreNow: p.ScoreNow, ScoreAfter: p.ScoreAfter, Ignored: p.Ignored,
			DimensionsThatFall: p.DimensionsThatFall, Previews: []previewsKind{}}
		if p.Error != nil {
			m.Error = new(p.Error.Error())
		}
		for _, one := range p.Previews {
			m.Previews = append(m.Previews, previewsKind{
				one.Kind, one.Changes, one.Skipped, one.NothingToDo, one.Message, one.Provider, one.RecommendedKeys, one.NeedsYourWords,
				one.DimensionsThatFall, one.ScoreNow, one.ScoreAfter,
			})
		}
		out.Models = append(out.Models, m)
	}
	return writeIndented(w, out)
}
