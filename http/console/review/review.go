// Package review is the screen on which a preview is approved, change by change, before it is written. The interface decides what is
// written and what may be; the screen stores the decisions of people until then.
package review

import (
	"embed"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/choices"
	"readiness/http/console/page"
)

//go:embed *.html
var files embed.FS

var (
	view        = page.NewView(files, "review.html", "parts.html")
	makingView  = page.NewView(files, "making.html")
	bundleView  = page.NewView(files, "bundle.html", "parts.html")
	confirmView = page.NewView(files, "confirm.html", "parts.html")
)

// screen is the screen with what it stores.
type screen struct {
	choices *choices.Store
	now     func() time.Time
}

// Screen returns the screen.
func Screen(store *choices.Store, now func() time.Time) page.Screen {
	s := &screen{store, now}
	return page.Screen{Routes: []page.Route{
		{Pattern: "GET /previews/{id}", Serve: s.show}, {Pattern: "POST /previews/{id}", Serve: s.send},
		{Pattern: "POST /models/{w}/{m}/preview", Serve: propose},
	}}
}

// propose starts a preview, and shows it when it is made.
func propose(v *page.Visit) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	w, wrong := uuid.Parse(v.Request.PathValue("w"))
	m, err := uuid.Parse(v.Request.PathValue("m"))
	if wrong != nil || err != nil {
		return page.NotFound
	}
	if form.Get("kind") == everyKind {
		got, err := v.API.OptimizeWithResponse(v.Request.Context(), w, m, nil, client.OptimizeRequest{Approval: "required"})
		if err != nil {
			return err
		}
		return v.See("/previews/" + got.JSON202.OperationID.String())
	}
	got, err := v.API.PreviewOptimizationWithResponse(v.Request.Context(), w, m, form.Get("kind"), nil)
	if err != nil {
		return err
	}
	return v.See("/previews/" + got.JSON202.OperationID.String())
}

// everyKind is the choice of all kinds at once.
const everyKind = "all"

// making is what the page of a preview shows that is not made yet, or could not be made.
type making struct {
	client.Operation
	Live bool
}

const (
	previewType = "PreviewOptimization"
	bundleType  = "PreviewOptimizations"
)

// show shows a preview as far as it is made.
func (s *screen) show(v *page.Visit) error {
	confirming := v.Request.URL.Query().Get("confirm") == "yes"
	o, err := s.operation(v)
	switch {
	case err != nil:
		return err
	case o.Status != client.OperationStatusSucceeded:
		p := page.Page{Title: "Preview", In: "/operations", Data: making{o, !o.Ended()}}
		if !o.Ended() {
			p.Refresh = page.Again(o.CreatedTimeUtc)
		}
		return v.Show(makingView, p)
	case *o.OperationType == bundleType:
		b, err := s.readBundle(v, o)
		if err != nil {
			return err
		}
		if err := s.advance(v, b); err != nil {
			return err
		}
		if confirming && b.Confirmed() == "" && !b.Running {
			return b.plan().show(v)
		}
		return b.show(v, http.StatusOK)
	}
	r, err := s.read(v, o.ID)
	if err != nil {
		return err
	}
	if confirming && !r.Running {
		return r.plan().show(v)
	}
	if err := r.scorePart(v); err != nil {
		return err
	}
	return r.show(v, http.StatusOK)
}

// operation returns the preview's operation.
func (s *screen) operation(v *page.Visit) (o client.Operation, err error) {
	id, err := uuid.Parse(v.Request.PathValue("id"))
	if err != nil {
		return o, page.NotFound
	}
	got, err := v.API.GetOperationWithResponse(v.Request.Context(), id, nil)
	if err != nil {
		return o, err
	}
	if t := got.JSON200.OperationType; t == nil || *t != previewType && *t != bundleType {
		return o, page.NotFound
	}
	return *got.JSON200, nil
}

func result(v *page.Visit, id uuid.UUID, to any) error {
	got, err := v.API.GetOperationResultWithResponse(v.Request.Context(), id)
	if err != nil {
		return err
	}
	return json.Unmarshal(got.Body, to)
}

// read returns the review of a preview that the person may see.
func (s *screen) read(v *page.Visit, id uuid.UUID) (*review, error) {
	r := &review{}
	if err := result(v, id, &r.Preview); err != nil {
		return nil, err
	}
	r.at = choices.Preview{Account: v.Who.Account, ID: id, Expires: r.Preview.ExpiresAtUtc}
	var err error
	if r.stored, err = s.choices.Read(v.Request.Context(), r.at); err != nil {
		return nil, err
	}
	var newest []choices.Apply
	if r.Attempt, newest, err = s.choices.Applies(v.Request.Context(), r.at); err != nil {
		return nil, err
	}
	if err := r.readApplies(v, newest); err != nil {
		return nil, err
	}
	r.Number, _ = strconv.Atoi(v.Request.URL.Query().Get("page"))
	r.Scored = v.Request.URL.Query().Get("scored") == "yes"
	r.arrange()
	return r, nil
}
