package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/client"
	"readiness/domain/proposal"
	"readiness/internal/optional"
	"readiness/mcp"
)

// The types of the operations that tools read.
const (
	previewType = "PreviewOptimization"
	applyType   = "ApplyOptimization"
	revertType  = "RevertOptimization"
)

// Preview implements mcp.Models.
func (m models) Preview(ctx context.Context, in mcp.PreviewInput) (mcp.Preview, *mcp.Pending, error) {
	workspaceID, modelID, err := parsed(in.Model)
	if err != nil {
		return mcp.Preview{}, nil, err
	}
	id, err := started(in.OperationID, func() (*client.Accepted, error) {
		got, err := m.PreviewOptimizationWithResponse(ctx, workspaceID, modelID, string(in.Kind), nil)
		if err != nil {
			return nil, err
		}
		return got.JSON202, nil
	})
	if err != nil {
		return mcp.Preview{}, nil, err
	}
	p, pending, err := finish[client.Preview](ctx, m, id, previewType)
	if err != nil || pending != nil {
		return mcp.Preview{}, pending, err
	}
	return previewed(p), nil, nil
}

// PreviewOf implements mcp.Models.
func (m models) PreviewOf(ctx context.Context, previewID string) (mcp.Preview, error) {
	_, body, err := m.ended(ctx, previewID, previewType, "previewId must be one that preview returned.")
	if err != nil {
		return mcp.Preview{}, err
	}
	var p client.Preview
	err = json.Unmarshal(body, &p)
	return previewed(p), err
}

// previewed returns a preview of the interface.
func previewed(p client.Preview) mcp.Preview {
	out := mcp.Preview{ID: p.PreviewID, Model: p.WorkspaceID + "/" + p.SemanticModelID, Kind: string(p.Kind), ScoreNow: whole(p.ScoreNow),
		After: whole(p.ScoreAfter), NothingToDo: optional.Text(p.NothingToDo), Warnings: p.Warnings, Expires: &p.ExpiresAtUtc}
	if p.Message != nil {
		out.Warnings = append(out.Warnings, *p.Message)
	}
	for _, c := range p.Changes {
		row := mcp.NewWritten(c.Key, string(c.Type), string(c.ObjectType), c.Current, &c.Proposed)
		out.Changes = append(out.Changes, row.Why(c.Reason, optional.Text(c.ReviewRequired),
			p.Kind != client.OptimizationKindAiDataSchema || slices.Contains(p.RecommendedKeys, c.Key)))
	}
	for _, n := range p.NeedsYourWords {
		out.NeedsYourWords = append(out.NeedsYourWords, mcp.NewNeed(n.Table, n.Object, proposal.ObjectType(n.ObjectType), n.Question))
	}
	for _, s := range p.Skipped {
		out.Skipped = append(out.Skipped, mcp.NewSkipped(s.Key, s.Message))
	}
	for _, d := range p.DimensionsThatFall {
		out.Falls = append(out.Falls, d.Name)
	}
	return out
}

func whole(n *float64) *int {
	if n == nil {
		return nil
	}
	return new(int(*n))
}

// Apply implements mcp.Models.
func (m models) Apply(ctx context.Context, in mcp.ApplyInput) (mcp.Written, *mcp.Pending, error) {
	p, err := m.PreviewOf(ctx, in.PreviewID)
	if err != nil {
		return mcp.Written{}, nil, err
	}
	workspaceID, modelID, err := parsed(p.Model)
	if err != nil {
		return mcp.Written{}, nil, err
	}
	request := client.ApplyRequest{PreviewID: &p.ID, Keys: in.Keys}
	for _, w := range in.Texts {
		if request.Values == nil {
			request.Values = map[string]string{}
		}
		request.Values[w.Key] = w.Text
	}
	id, err := started(in.OperationID, func() (*client.Accepted, error) {
		got, err := m.ApplyOptimizationWithResponse(ctx, workspaceID, modelID, p.Kind, nil, request)
		if err != nil {
			return nil, err
		}
		return got.JSON202, nil
	})
	if err != nil {
		return mcp.Written{}, nil, err
	}
	r, pending, err := finish[client.ApplyRecord](ctx, m, id, applyType)
	if err != nil || pending != nil {
		return mcp.Written{}, pending, err
	}
	w := recorded(r, func(o client.AppliedObject) (now, then *string) { return o.Previous, o.Written })
	w.Record = r.RevertOperationID
	return w, nil, nil
}

// recorded returns a record of the interface, with the texts that texts returns.
func recorded(r client.ApplyRecord, texts func(client.AppliedObject) (now, then *string)) mcp.Written {
	w := mcp.Written{Models: []string{r.WorkspaceID + "/" + r.SemanticModelID}}
	if r.Standing != client.RecordStandingApplied {
		w.Note = "The record stands as " + string(r.Standing) + "."
	}
	for _, o := range r.Applied {
		now, then := texts(o)
		w.Changes = append(w.Changes, mcp.NewWritten(o.Key, string(o.Type), string(o.ObjectType), now, then))
	}
	for _, s := range r.Skipped {
		w.Skipped = append(w.Skipped, mcp.NewSkipped(s.Key, s.Message))
	}
	return w
}

// Records implements mcp.Models: the operations that wrote. A page may have fewer rows than the service has on it.
func (m models) Records(ctx context.Context, cursor string) (rows []mcp.RecordRow, next string, err error) {
	params := &client.ListOperationsParams{Status: new(client.OperationStatusSucceeded), MaxResults: new(page)}
	if cursor != "" {
		params.ContinuationToken = &cursor
	}
	got, err := m.ListOperationsWithResponse(ctx, params)
	if err != nil {
		return nil, "", refused(err)
	}
	for _, o := range got.JSON200.Value {
		if optional.Text(o.OperationType) != applyType || o.Resource == nil {
			continue
		}
		rows = append(rows, mcp.RecordRow{Record: o.ID.String(), At: o.CreatedTimeUtc.UTC().Format(time.RFC3339),
			Models: []string{optional.Text(o.Resource.WorkspaceID) + "/" + optional.Text(o.Resource.ItemID)}})
	}
	return rows, optional.Text(got.JSON200.ContinuationToken), nil
}

const notARecord = "The record must be the id of an operation that wrote, from apply or list_records."

// PreviewRevert implements mcp.Models. The preview's id is the operation's, with a hash of its record: it cannot be made up,
// and is stale once the record's standing changes.
func (m models) PreviewRevert(ctx context.Context, record string) (mcp.Written, error) {
	o, body, err := m.ended(ctx, record, applyType, notARecord)
	if err != nil {
		return mcp.Written{}, err
	}
	var r client.ApplyRecord
	if err := json.Unmarshal(body, &r); err != nil {
		return mcp.Written{}, err
	}
	w := recorded(r, func(o client.AppliedObject) (now, then *string) { return o.Written, o.Previous })
	w.PreviewID = o.ID.String() + "." + hashed(body)
	return w, nil
}

func hashed(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}

// Revert implements mcp.Models.
func (m models) Revert(ctx context.Context, previewID, operationID string) (mcp.Written, *mcp.Pending, error) {
	record, _, _ := strings.Cut(previewID, ".")
	shown, err := m.PreviewRevert(ctx, record)
	if err != nil {
		return mcp.Written{}, nil, err
	}
	if operationID == "" && shown.PreviewID != previewID {
		return mcp.Written{}, nil, problem("This is no preview of the revert, or the record changed since, so nothing was restored. Call " +
			"preview_revert again and show it to the person.")
	}
	workspaceID, modelID, err := parsed(shown.Models[0])
	if err != nil {
		return mcp.Written{}, nil, err
	}
	id, err := started(operationID, func() (*client.Accepted, error) {
		got, err := m.RevertOptimizationWithResponse(ctx, workspaceID, modelID, nil,
			client.RevertRequest{OperationID: uuid.MustParse(record).String()})
		if err != nil {
			return nil, err
		}
		return got.JSON202, nil
	})
	if err != nil {
		return mcp.Written{}, nil, err
	}
	r, pending, err := finish[client.ApplyRecord](ctx, m, id, revertType)
	if err != nil || pending != nil {
		return mcp.Written{}, pending, err
	}
	return recorded(r, func(o client.AppliedObject) (now, then *string) { return o.Previous, o.Written }), nil, nil
}
