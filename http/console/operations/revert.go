package operations

import (
	"crypto/rand"
	"net/http"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/http/console/page"
)

// notRevertible is the problem of a revert of an operation that wrote nothing or was reverted.
var notRevertible = &page.Problem{Status: http.StatusConflict, Title: "There is nothing to revert",
	Text: "The operation wrote nothing, was reverted already, or is no longer kept.", Link: "/operations", LinkText: "Go to the operations"}

// showRevert shows what a revert would write.
func showRevert(v *page.Visit) error {
	c, err := read(v)
	if err != nil {
		return err
	}
	if (c.Written == nil || !c.Written.Revertible()) && (c.Bundle == nil || !c.Bundle.Revertible()) {
		return notRevertible
	}
	return v.Show(revertView, page.Page{Title: "Revert", In: "/operations", Data: form{c, rand.Text()}})
}

// form is what the page of a revert shows. Once marks the form, so that it can be sent twice and starts one revert.
type form struct {
	*one
	Once string
}

// revert starts a revert.
func revert(v *page.Visit) error {
	sent, err := v.Form()
	if err != nil {
		return err
	}
	c, err := read(v)
	if err != nil {
		return err
	}
	workspace, item := ids(c.Operation)
	w, wrong := uuid.Parse(workspace)
	m, err := uuid.Parse(item)
	if wrong != nil || err != nil {
		return notRevertible
	}
	key := "console-revert-" + sent.Get("once")
	ctx, body := v.Request.Context(), client.RevertRequest{OperationID: c.ID.String()}
	var started *client.Accepted
	switch {
	case c.Written != nil:
		got, err := v.API.RevertOptimizationWithResponse(ctx, w, m, &client.RevertOptimizationParams{IdempotencyKey: &key}, body)
		if err != nil {
			return err
		}
		started = got.JSON202
	case c.Bundle != nil:
		got, err := v.API.RevertOptimizationsWithResponse(ctx, w, m, &client.RevertOptimizationsParams{IdempotencyKey: &key}, body)
		if err != nil {
			return err
		}
		started = got.JSON202
	default:
		return notRevertible
	}
	return v.See("/operations/" + started.OperationID.String())
}
