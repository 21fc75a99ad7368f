package review

import (
	"errors"
	"net/http"

	"readiness/client"
	"readiness/http/console/choices"
	"readiness/http/console/page"
)

// part is the score of the model with only the accepted changes.
type part struct {
	client.PartScore
	// Refused is why there is no score now; "" if there is one.
	Refused string
}

// selected returns the keys of the accepted changes that are not written, and the texts of people among them.
func (r *review) selected() (keys []string, values map[string]string) {
	values = map[string]string{}
	for _, c := range r.all {
		if c.verdict() != choices.Accepted || c.Written {
			continue
		}
		keys = append(keys, c.Key)
		if c.Choice.Text != nil {
			values[c.Key] = *c.Choice.Text
		}
	}
	return keys, values
}

// scorePart asks for the score with the accepted changes, if the person wants to see it.
func (r *review) scorePart(v *page.Visit) error {
	keys, values := r.selected()
	if !r.Scored || len(keys) == 0 {
		return nil
	}
	w, m, err := r.model()
	if err != nil {
		return err
	}
	got, err := v.API.ScorePreviewWithResponse(v.Request.Context(), w, m, string(r.Kind),
		client.ScorePreviewRequest{PreviewID: r.at.ID.String(), Keys: keys, Values: values})
	refused, ok := errors.AsType[*client.Error](err)
	switch {
	case ok && refused.Status != http.StatusUnauthorized:
		r.Part = &part{Refused: refused.Message}
	case err != nil:
		return err
	default:
		r.Part = &part{PartScore: *got.JSON200}
	}
	return nil
}

// scored is a dimension with its scores: now, with every change, and with the accepted ones.
type scored struct {
	client.ScoredDimension
	Accepted *float64
}

// Rows returns the dimensions of the model.
func (r *review) Rows() (all []scored) {
	for i, d := range r.Dimensions {
		row := scored{ScoredDimension: d}
		if p := r.Part; p != nil && i < len(p.Dimensions) {
			row.Accepted = p.Dimensions[i].ScoreAfter
		}
		all = append(all, row)
	}
	return all
}
