package page

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/internal/optional"
)

// Outcomes say how models that were assessed together ended. The template "outcomes" shows them.
type Outcomes struct {
	Assessed, Unreadable, Others int
	// Failed are the models that were not assessed.
	Failed []Failed
	// Across is what differs across the models of a workspace, AcrossMore how much more there is.
	Across     []Across
	AcrossMore int
}

// Failed is a model that was not assessed.
type Failed struct {
	Workspace, Model, WorkspaceID, ModelID string
	client.OperationError
}

// State returns what people call the failure.
func (f Failed) State() string {
	if f.ErrorCode == "ItemNotReadable" {
		return "could not be read"
	}
	return "not assessed"
}

// maxFailed is how many models that were not assessed a page lists.
const maxFailed = 200

// Shown returns the failed models that the page lists, More how many others there are.
func (o *Outcomes) Shown() []Failed { return o.Failed[:min(len(o.Failed), maxFailed)] }

// More returns how many failed models are not listed.
func (o *Outcomes) More() int { return max(0, len(o.Failed)-maxFailed) }

// Any reports whether a model ended.
func (o *Outcomes) Any() bool { return o.Assessed > 0 || len(o.Failed) > 0 }

// Said returns the numbers as a sentence has them.
func (o *Outcomes) Said() string {
	said := []string{number(o.Assessed) + " assessed"}
	if o.Unreadable > 0 {
		said = append(said, number(o.Unreadable)+" could not be read")
	}
	if o.Others > 0 {
		said = append(said, number(o.Others)+" not assessed for another reason")
	}
	return strings.Join(said, ", ")
}

// Add adds the outcomes of an assessment of several models, as far as its result is kept and the person may read it.
func (o *Outcomes) Add(ctx context.Context, api *client.Service, operation uuid.UUID) error {
	got, err := api.GetOperationResultWithResponse(ctx, operation)
	if refused, ok := errors.AsType[*client.Error](err); ok && (refused.Status == http.StatusGone || refused.Status == http.StatusNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var b client.BulkAssessment
	if err := json.Unmarshal(got.Body, &b); err != nil {
		return err
	}
	across, more := acrossOf(b)
	listed := min(len(across), maxAcrossAll-len(o.Across))
	o.Across, o.AcrossMore = append(o.Across, across[:listed]...), o.AcrossMore+more+len(across)-listed
	for _, row := range b.Value {
		if row.Error == nil {
			o.Assessed++
			continue
		}
		if row.Error.ErrorCode == "ItemNotReadable" {
			o.Unreadable++
		} else {
			o.Others++
		}
		o.Failed = append(o.Failed, Failed{optional.Text(b.WorkspaceName), optional.Text(row.SemanticModelName), b.WorkspaceID, row.SemanticModelID,
			*row.Error})
	}
	return nil
}
