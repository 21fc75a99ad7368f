// Package compare is the screen of two assessments of a semantic model side by side: fixed, new and remaining findings.
package compare

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/domain/readiness"
	"readiness/http/console/page"
	"readiness/internal/lists"
)

//go:embed compare.html
var files embed.FS

var view = page.NewView(files, "compare.html")

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Routes: []page.Route{{Pattern: "GET /models/{w}/{m}/compare", Serve: show}}}
}

const (
	// points is how many assessments can be chosen.
	points = 100
	// maxFindings is how many findings of a kind a page lists.
	maxFindings = 50
)

// side is one of the two assessments.
type side struct {
	*client.Assessment
	Report readiness.Result
}

// ID returns the assessment's id.
func (s side) ID() string {
	if s.AssessmentID == nil {
		return ""
	}
	return *s.AssessmentID
}

// content is what the template gets.
type content struct {
	Workspace, Model uuid.UUID
	Name             string
	// All are the assessments that can be chosen, newest first; A is the earlier one by default.
	All  []client.HistoryPoint
	A, B side
	// Change is the change of the score; nil if the scores cannot be compared. Then Why says why.
	Change     *int
	Why        string
	Dimensions []dimension
	Fixed      list
	New        list
	Still      list
}

// list are findings that have something in common.
type list struct {
	Title, Empty string
	Tone         string
	Total        int
	Shown        []row
	// Points is the cost of all of them.
	Points float64
}

// row is a finding in a list.
type row struct{ readiness.Finding }

// Place returns the object's name; a finding about the model has a key that begins with #.
func (r row) Place() string {
	switch {
	case r.Entire() || r.Table+r.ObjectName == "":
		return "The model"
	case r.Table == "" || r.ObjectName == "":
		return r.Table + r.ObjectName
	}
	return r.Table + " › " + r.ObjectName
}

// More returns how many are not shown.
func (l list) More() int { return l.Total - len(l.Shown) }

// dimension is a dimension on both sides.
type dimension struct {
	Name   string
	A, B   *int
	Change *int
}

// nothing is the problem of a model with fewer than two assessments.
var nothing = &page.Problem{Status: http.StatusNotFound, Title: "There is nothing to compare",
	Text: "The model has fewer than two assessments that you can see. Assess it again after a change."}

func show(v *page.Visit) error {
	w, wrong := uuid.Parse(v.Request.PathValue("w"))
	m, err := uuid.Parse(v.Request.PathValue("m"))
	if errors.Join(wrong, err) != nil {
		return page.NotFound
	}
	c := content{Workspace: w, Model: m}
	history, err := v.API.GetHistoryWithResponse(v.Request.Context(), w, m, &client.GetHistoryParams{MaxResults: new(points)})
	if err != nil {
		return err
	}
	c.All = history.JSON200.Value
	q := v.Request.URL.Query()
	a, b := q.Get("a"), q.Get("b")
	if a == "" || b == "" {
		if len(c.All) < 2 {
			return nothing
		}
		a, b = cmp.Or(a, c.All[1].AssessmentID.String()), cmp.Or(b, c.All[0].AssessmentID.String())
	}
	if c.A, err = c.read(v.Request.Context(), v.API, a); err != nil {
		return err
	}
	if c.B, err = c.read(v.Request.Context(), v.API, b); err != nil {
		return err
	}
	c.compare()
	return v.Show(view, page.Page{Title: "Compare: " + c.Name, In: "/", Data: c})
}

// read reads an assessment.
func (c *content) read(ctx context.Context, api *client.Service, id string) (s side, err error) {
	if _, err := uuid.Parse(id); err != nil {
		return s, page.NotFound
	}
	got, err := api.GetAssessmentWithResponse(ctx, c.Workspace, c.Model, id)
	if err != nil {
		return s, err
	}
	document := struct {
		Report *readiness.Result `json:"report"`
	}{&s.Report}
	s.Assessment = got.JSON200
	if s.SemanticModelName != nil {
		c.Name = *s.SemanticModelName
	}
	return s, json.Unmarshal(s.Document, &document)
}

// key identifies a finding within an assessment.
type key struct {
	dimension string
	of        any
}

func keyOf(f readiness.Finding) key { return key{f.Dimension, f.Key} }

// compare finds the differences.
func (c *content) compare() {
	c.Why = incomparable(c.A, c.B)
	if a, b := c.A.Report.Score, c.B.Report.Score; c.Why == "" && a != nil && b != nil {
		c.Change = new(*b - *a)
	}
	for _, d := range c.B.Report.Dimensions {
		both := dimension{Name: d.Name, B: d.Score}
		if i := slices.IndexFunc(c.A.Report.Dimensions, func(a readiness.Dimension) bool { return a.ID == d.ID }); i >= 0 {
			both.A = c.A.Report.Dimensions[i].Score
		}
		if c.Why == "" && both.A != nil && both.B != nil {
			both.Change = new(*both.B - *both.A)
		}
		c.Dimensions = append(c.Dimensions, both)
	}
	before, after := keys(c.A), keys(c.B)
	c.Fixed = listed(c.A, func(k key) bool { return !after[k] }, list{Title: "Fixed", Empty: "Nothing was fixed.", Tone: "good"})
	c.New = listed(c.B, func(k key) bool { return !before[k] }, list{Title: "New", Empty: "Nothing is new.", Tone: "poor"})
	c.Still = listed(c.B, func(k key) bool { return before[k] }, list{Title: "Still there", Empty: "Nothing is left.", Tone: "fair"})
}

// incomparable returns why two scores cannot be compared; "" if they can.
func incomparable(a, b side) string {
	switch {
	case a.Regime.ID != b.Regime.ID:
		return "The two were assessed by different rules (" + a.Regime.ID + " and " + b.Regime.ID + "), so their scores cannot be compared."
	case a.Report.Weighting != b.Report.Weighting:
		return "Usage weights the score of one of them only, so their scores cannot be compared."
	case !slices.Equal(lacking(a), lacking(b)):
		return "They lack different rules, which could not judge, so their scores cannot be compared."
	}
	return ""
}

// lacking returns the rules that could not judge.
func lacking(s side) (all []string) {
	for _, n := range s.NotAssessable {
		all = append(all, n.RuleIds...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func keys(s side) map[key]bool {
	return lists.SetOf(s.Report.Findings, keyOf)
}

// listed returns the findings with wanted keys.
func listed(s side, wanted func(key) bool, l list) list {
	for _, f := range s.Report.Findings {
		if !wanted(keyOf(f)) {
			continue
		}
		l.Total++
		l.Points += f.Impact
		if len(l.Shown) < maxFindings {
			l.Shown = append(l.Shown, row{f})
		}
	}
	return l
}
