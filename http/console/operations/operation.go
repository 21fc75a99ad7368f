package operations

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/changes"
	"readiness/http/console/page"
	"readiness/internal/optional"
)

// one is what the page of an operation shows.
type one struct {
	row
	// Live is whether the page loads itself again.
	Live bool
	// Written is what an apply or a revert wrote, and Bundle the outcome of each kind; nil for other operations.
	Written *written
	Bundle  *bundle
	// Models are the outcomes of an assessment of several models; nil for other operations.
	Models *page.Outcomes
	// Reports are the outcomes of adding or removing Pixies.
	Reports []client.PixiesResultRow
	// Expired is whether the result is no longer kept, Hidden whether the person may not see it.
	Expired, Hidden bool
}

// runs are the types of operations that can be cancelled.
var runs = map[string]bool{"RunBenchmark": true, "RunAbTest": true}

// Type returns the type of the operation; "" if it has none.
func (r row) Type() string {
	if r.OperationType == nil {
		return ""
	}
	return *r.OperationType
}

// names are what people call the types of operations.
var names = map[string]string{
	"AssessSemanticModel": "Assessment", "AssessSemanticModels": "Assessment of several models",
	"AssessDataAgent":     "Assessment of a data agent",
	"PreviewOptimization": "Preview", "ApplyOptimization": "Apply", "RevertOptimization": "Revert",
	"PreviewOptimizations": "Previews of every kind",
	"ApplyOptimizations":   "Apply of every kind", "RevertOptimizations": "Revert of every kind", "AddPixies": "Adding of Pixies",
	"RemovePixies": "Removal of Pixies", "GenerateBenchmarkQuestions": "Phrasing of questions",
	"SaveBenchmarkQuestions": "Saving of questions",
	"RunBenchmark":           "Benchmark run", "RunAbTest": "A/B run", "ListViewAsOf": "Rows of a view at a time",
}

// Name returns what people call the operation.
func (r row) Name() string {
	if name, ok := names[r.Type()]; ok {
		return name
	}
	return r.Type()
}

// Cancellable reports whether the operation can be cancelled.
func (r row) Cancellable() bool { return !r.Ended() && runs[r.Type()] }

// SignIn returns the sign-in that the operation waits for; nil if it waits for none.
func (r row) SignIn() *client.OperationWait {
	if r.WaitingFor == nil || r.WaitingFor.Kind != client.OwnersSignIn {
		return nil
	}
	return r.WaitingFor
}

// SignInAgain returns the address at which the owner signs in for the operation, and comes back to it.
func (r row) SignInAgain() string {
	q := url.Values{"to": {"/operations/" + r.ID.String()}}
	if w := r.SignIn(); w != nil && w.Claims != nil {
		q.Set("claims", *w.Claims)
	}
	return "/sign-in?" + q.Encode()
}

// Review returns the address of the review of a preview; "" for others.
func (r row) Review() string {
	if r.Status != client.OperationStatusSucceeded || !strings.HasPrefix(r.Type(), "PreviewOptimization") {
		return ""
	}
	return "/previews/" + r.ID.String()
}

// Said returns how many models an assessment of several assessed, and how many it could not read; "" for others, and where
// all were assessed.
func (r row) Said() string {
	m := r.Operation.Models
	if m == nil || *m == (client.OperationModels{}) {
		return ""
	}
	o := page.Outcomes{Assessed: m.Assessed, Unreadable: m.Unreadable, Others: m.Others}
	return o.Said()
}

// Tone returns the tone of the status.
func (r row) Tone() string {
	if m := r.Operation.Models; m != nil && r.Ended() && m.Unreadable+m.Others > 0 {
		return "fair"
	}
	switch r.Status {
	case client.OperationStatusSucceeded:
		return "good"
	case client.OperationStatusFailed:
		return "poor"
	case client.OperationStatusRunning, client.OperationStatusNotStarted:
		return "fair"
	case client.OperationStatusCancelled:
	}
	return ""
}

func show(v *page.Visit) error {
	c, err := read(v)
	if err != nil {
		return err
	}
	p := page.Page{Title: c.Name(), In: "/operations", Data: c}
	if c.Live = !c.Ended() && v.Request.URL.Query().Get("live") != "no"; c.Live {
		p.Refresh = page.Again(c.CreatedTimeUtc)
	}
	return v.Show(oneView, p)
}

// read reads the page's operation and, of an apply or a revert that has ended, what it wrote.
func read(v *page.Visit) (*one, error) {
	id, err := operationID(v)
	if err != nil {
		return nil, err
	}
	got, err := v.API.GetOperationWithResponse(v.Request.Context(), id, nil)
	if err != nil {
		return nil, err
	}
	found, err := named(v, []client.Operation{*got.JSON200})
	if err != nil {
		return nil, err
	}
	c := &one{row: found[0]}
	if err := c.nameReport(v); err != nil {
		return nil, err
	}
	if c.Status != client.OperationStatusSucceeded {
		return c, nil
	}
	switch c.Type() {
	case "AssessSemanticModels":
		c.Models = &page.Outcomes{}
		err = c.Models.Add(v.Request.Context(), v.API, c.ID)
	case "AddPixies", "RemovePixies":
		c.Reports, err = c.pixies(v)
	case "ApplyOptimization", "RevertOptimization":
		var record client.ApplyRecord
		if err = c.result(v, &record); err == nil {
			c.Written = &written{ApplyRecord: record}
		}
	case "ApplyOptimizations", "RevertOptimizations":
		var b client.BundleApply
		if err = c.result(v, &b); err == nil {
			c.Bundle = &bundle{b}
		}
	}
	switch {
	case gone(err):
		c.Expired = true
	case hasStatus(err, 404):
		c.Hidden = true
	case err != nil:
		return nil, err
	}
	return c, nil
}

// nameReport names the report whose Pixies the operation changes, if it is one and the person sees it.
func (r *row) nameReport(v *page.Visit) error {
	workspace, item := ids(r.Operation)
	w, wrong := uuid.Parse(workspace)
	id, err := uuid.Parse(item)
	if wrong != nil || err != nil || !strings.HasSuffix(r.Type(), "Pixies") {
		return nil //nolint:nilerr // it is about another item
	}
	got, err := v.API.GetReportPixiesWithResponse(v.Request.Context(), w, id)
	if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status != http.StatusUnauthorized {
		return nil
	}
	if err != nil {
		return err
	}
	r.Item, r.Report = optional.Text(got.JSON200.ReportName), "/pixies/"+workspace+"/"+item
	return nil
}

// pixies returns the outcomes of the reports of an operation on one or on several.
func (r row) pixies(v *page.Visit) ([]client.PixiesResultRow, error) {
	if r.Resource != nil && r.Resource.ItemID != nil {
		var one client.PixiesResultRow
		err := r.result(v, &one)
		return []client.PixiesResultRow{one}, err
	}
	var all client.BulkPixiesResult
	err := r.result(v, &all)
	return all.Value, err
}

func (r row) result(v *page.Visit, to any) error {
	got, err := v.API.GetOperationResultWithResponse(v.Request.Context(), r.ID)
	if err != nil {
		return err
	}
	return json.Unmarshal(got.Body, to)
}

func hasStatus(err error, status int) bool {
	refused, ok := errors.AsType[*client.Error](err)
	return ok && refused.Status == status
}

// written are the writes of an apply or a revert.
type written struct{ client.ApplyRecord }

// maxObjects is how many objects a page shows.
const maxObjects = 100

// Shown returns the objects that the page shows, More how many others there are.
func (w written) Shown() (all []object) {
	for _, o := range w.Applied[:min(len(w.Applied), maxObjects)] {
		all = append(all, object{o})
	}
	return all
}

// More returns how many objects are not shown.
func (w written) More() int { return max(0, len(w.Applied)-maxObjects) }

// KindName returns what people call the kind.
func (w written) KindName() string { return changes.KindName(w.Kind) }

// Revertible reports whether the interface may revert it.
func (w written) Revertible() bool {
	return w.Reverts == nil && w.Standing == client.RecordStandingApplied && len(w.Applied) > 0
}

// object is a written object.
type object struct{ client.AppliedObject }

// Name returns the object's name, PropertyName what people call the property.
func (o object) Name() string {
	switch {
	case o.Table == "":
		return "The model"
	case o.Object == "":
		return o.Table
	}
	return o.Table + " › " + o.Object
}

// PropertyName returns what people call the property.
func (o object) PropertyName() string { return changes.PropertyName(o.Property) }

// Sides returns the texts before and after the write.
func (o object) Sides() changes.Sides { return changes.Compare(o.Previous, o.Written) }

// Back returns the texts before and after a revert of it.
func (o object) Back() changes.Sides {
	s := changes.Compare(o.Written, o.Previous)
	s.BeforeHead, s.AfterHead = "Written", "After the revert"
	return s
}

// bundle is the outcome of the kinds of a bundle.
type bundle struct{ client.BundleApply }

// Outcomes returns the kinds with their names.
func (b bundle) Outcomes() (all []outcome) {
	for _, k := range b.Kinds {
		all = append(all, outcome{k})
	}
	return all
}

// Revertible reports whether the interface may revert it.
func (b bundle) Revertible() bool {
	applied := false
	for _, k := range b.Kinds {
		applied = applied || k.Standing == client.BundleApplyKindStandingApplied
	}
	return b.Reverts == nil && applied && b.Standing == client.RecordStandingApplied
}

type outcome struct{ client.BundleApplyKind }

// KindName returns what people call the kind.
func (o outcome) KindName() string { return changes.KindName(o.Kind) }
