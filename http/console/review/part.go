package review

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"readiness/client"
	"readiness/http/console/changes"
	"readiness/http/console/choices"
	"readiness/http/console/page"
	"readiness/internal/optional"
)

// part is the score of the model with only the accepted changes.
type part struct {
	client.PartScore
	// Refused is why there is no score now; "" if there is one.
	Refused string
}

// selected returns the keys of the accepted changes that are not written, and the texts of people among them. Answers about the model are
// added to its AI instructions: to the accepted ones, or to the present ones.
func (r *review) selected() (keys []string, values map[string]string) {
	values = map[string]string{}
	texts := map[string]string{}
	for _, c := range r.all {
		if c.verdict() != choices.Accepted || c.Written {
			continue
		}
		text := c.Text()
		before, has := texts[c.Key]
		if c.Adds() {
			if !has {
				before = optional.Text(c.Current)
			}
			text = strings.TrimSpace(strings.TrimRight(before, " \r\n") + "\n\n" + text)
		}
		if !has {
			keys = append(keys, c.Key)
		}
		if texts[c.Key] = text; c.Choice.Text != nil {
			values[c.Key] = text
		}
	}
	return keys, values
}

// write is what is written of an object: Text. Rest are the objects with an equal change.
type write struct {
	change
	Text string
	Rest []write
}

// Sides returns the texts before and after.
func (w write) Sides() changes.Sides { return changes.Compare(w.Current, &w.Text) }

// Writes returns what an apply would write now, in full. Equal changes are together.
func (r *review) Writes() (all []write) {
	keys, values := r.selected()
	for _, key := range keys {
		i := slices.IndexFunc(r.all, func(c change) bool { return c.Key == key && c.Standing() == "accepted" })
		w := write{change: r.all[i], Text: r.all[i].Text()}
		if text, own := values[key]; own {
			w.Text = text
		}
		if n := len(all); n > 0 && all[n-1].alike() == w.alike() {
			all[n-1].Rest = append(all[n-1].Rest, w)
			continue
		}
		all = append(all, w)
	}
	return all
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
