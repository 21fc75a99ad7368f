package probe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/rowsets"
)

// queries asks whether a query runs.
func (r *run) queries(ctx context.Context) error {
	const question = "queries are answered"
	answer, err := r.query(ctx, r.Workspace, r.model.ID)
	switch {
	case domain.IsRefused(err, domain.PlatformConsentRequired):
		r.Report(question, "not asked; the permission is not granted")
		return nil
	case err != nil:
		return err
	case answer.Status == http.StatusForbidden || answer.Status == http.StatusUnauthorized:
		r.learn(func(a *fabric.Answers) { a.QueriesRefused = answer.Code })
		r.Report(question, "no; "+answer.Code)
	case answer.Code != "":
		r.Report(question, "not known; "+answer.Code)
	default:
		rows, err := r.platform.Query(ctx, r.as, r.Workspace, r.model.ID, oneRow)
		if err != nil {
			return err
		}
		right := len(rows.Values) == 1 && len(rows.Values[0]) == 1 && fmt.Sprint(rows.Values[0][0]) == "1"
		r.Report(question, yes(right, "", "the answer cannot be read"))
		return r.arrow(ctx)
	}
	return nil
}

// arrow asks whether a query is answered as Arrow, and whether the answer can be read.
func (r *run) arrow(ctx context.Context) error {
	body, err := json.Marshal(map[string]string{"query": oneRow})
	if err != nil {
		return err
	}
	answer, err := r.once(ctx, fabric.Call{Permission: item.PermissionUsage, PowerBI: true, Method: http.MethodPost, Body: body,
		Path:  "/groups/" + r.Workspace.String() + "/datasets/" + r.model.ID.String() + "/executeDaxQueries",
		Route: "POST /groups/{w}/datasets/{m}/executeDaxQueries"})
	if err != nil {
		return err
	}
	why := answer.Code
	if why == "" {
		t, err := rowsets.Read(answer.Body, 2)
		fault, failed := errors.AsType[*rowsets.Fault](err)
		switch {
		case failed:
			why = cmp.Or(fault.Code, "a fault")
		case err != nil:
			why = "the answer cannot be read"
		case len(t.Values) != 1 || len(t.Values[0]) != 1 || t.Values[0][0] != rowsets.Exact("1"):
			why = "the answer is another one"
		}
	}
	r.learn(func(a *fabric.Answers) { a.ArrowRefused = why })
	r.Report("queries are answered with exact decimals", yes(why == "", "", why))
	return nil
}

// oneRow is a query whose answer is 1.
const oneRow = `EVALUATE ROW("one", 1)`

func (r *run) query(ctx context.Context, workspaceID, modelID uuid.UUID) (fabric.Answered, error) {
	body, err := json.Marshal(map[string]any{"queries": []any{map[string]string{"query": oneRow}}})
	if err != nil {
		return fabric.Answered{}, err
	}
	return r.once(ctx, fabric.Call{Permission: item.PermissionUsage, PowerBI: true, Method: http.MethodPost, Body: body,
		Path:  "/groups/" + workspaceID.String() + "/datasets/" + modelID.String() + "/executeQueries",
		Route: "POST /groups/{w}/datasets/{m}/executeQueries"})
}

// readOf begins to read a semantic model and returns the code with which that fails, at once or later; "" if it does not.
func (r *run) readOf(ctx context.Context, workspaceID, modelID uuid.UUID) (string, error) {
	answer, err := r.once(ctx, fabric.Call{Method: http.MethodPost, Route: readRoute,
		Path: "/workspaces/" + workspaceID.String() + "/semanticModels/" + modelID.String() + "/getDefinition"})
	if err != nil || answer.Code != "" || answer.Operation == "" {
		return answer.Code, err
	}
	over, err := r.await(ctx, answer, false)
	return over.code, err
}

const readRoute = "POST /workspaces/{w}/semanticModels/{i}/getDefinition"

// labels asks whether new items get a label, and how a protected one is refused.
func (r *run) labels(ctx context.Context) error {
	answer, err := r.once(ctx, fabric.Call{Method: http.MethodGet, Path: r.in() + "/semanticModels/" + r.model.ID.String(),
		Route: "GET /workspaces/{w}/semanticModels/{i}"})
	if err != nil {
		return err
	}
	var described struct {
		SensitivityLabel map[string]string
	}
	labelled := json.Unmarshal(answer.Body, &described) == nil && len(described.SensitivityLabel) > 0
	r.Report("new items get a sensitivity label", yes(labelled, "", ""))
	const question = "a protected item is refused"
	if r.Labelled == uuid.Nil {
		r.Report(question, "not asked; --labelled-model names none")
		return nil
	}
	code, err := r.readOf(ctx, r.Workspace, r.Labelled)
	if err != nil {
		return err
	}
	r.learn(func(a *fabric.Answers) { a.LabelCode = code })
	r.Report(question, yes(code != "", "with "+code, "it is given to this person"))
	return nil
}

// sizes tries larger and larger definitions, and restores the small one.
func (r *run) sizes(ctx context.Context) error {
	const question = "the largest definition that is taken"
	small, err := r.platform.Definition(ctx, r.as, r.model)
	if err != nil {
		return err
	}
	taken := ""
	for size := 1; size <= r.Largest; size *= 2 {
		large := padded(small, size<<20)
		code, known, err := r.takes(ctx, large)
		if err != nil {
			return err
		}
		if !known {
			r.Report(question, fmt.Sprintf("not known above %s; of %d MiB the platform says %s", cmp.Or(taken, "the usual"), size, code))
			break
		}
		if code != "" {
			r.learn(func(a *fabric.Answers) { a.RefusedBytes = bytesOf(large) })
			r.Report(question, fmt.Sprintf("%s; %d MiB are refused with %s", cmp.Or(taken, "less than 1 MiB"), size, code))
			break
		}
		if taken = fmt.Sprintf("%d MiB", size); size*2 > r.Largest {
			r.Report(question, taken+" or more; larger ones were not tried")
		}
	}
	code, known, err := r.takes(ctx, small)
	if err == nil && (code != "" || !known) {
		err = fmt.Errorf("the platform does not take the model's own definition back (%s)", code)
	}
	return err
}

func bytesOf(d definition.Definition) (n int) {
	for _, p := range d.Parts {
		n += len(p.Data)
	}
	return n
}

// padded returns d with n bytes more, in an annotation of its table.
func padded(d definition.Definition, n int) definition.Definition {
	parts := slices.Clone(d.Parts)
	for i, p := range parts {
		if p.Path == "definition/tables/Probe.tmdl" {
			parts[i].Data = slices.Concat(bytes.TrimRight(p.Data, "\r\n"), []byte("\n\n\tannotation Probe_Filler = "),
				bytes.Repeat([]byte("x"), n), []byte("\n"))
		}
	}
	return definition.New(parts...)
}

// takes updates the model. It returns the code with which the update is refused, and false if the code may have another
// cause than the definition.
func (r *run) takes(ctx context.Context, d definition.Definition) (code string, known bool, err error) {
	body, err := bodyOf("", d)
	if err != nil {
		return "", false, err
	}
	var answer fabric.Answered
	for range 3 {
		answer, err = r.once(ctx, fabric.Call{Method: http.MethodPost, Body: body,
			Path:  r.in() + "/semanticModels/" + r.model.ID.String() + "/updateDefinition",
			Route: "POST /workspaces/{w}/semanticModels/{i}/updateDefinition"})
		if err != nil {
			return "", false, err
		}
		pause, blocked := blockedFor(answer)
		if !blocked {
			break
		}
		if err := r.wait(ctx, pause); err != nil {
			return "", false, err
		}
	}
	switch {
	case answer.Code != "":
		_, blocked := blockedFor(answer)
		return answer.Code, answer.Status < http.StatusInternalServerError && !blocked, nil
	case answer.Operation == "":
		return "", true, nil
	}
	over, err := r.await(ctx, answer, false)
	return over.code, true, err
}

// paused asks which calls say that a capacity is paused.
func (r *run) paused(ctx context.Context) error {
	const question = "a paused capacity is named"
	if r.Paused == uuid.Nil {
		r.Report(question, "not asked; --paused-workspace names none")
		return nil
	}
	if state, err := r.platform.Capacity(ctx, r.as, r.Paused); err != nil || state == item.CapacityActive {
		r.Report(question, "not asked; the capacity of --paused-workspace runs, or the workspace is not there")
		return nil //nolint:nilerr // an answer
	}
	codes := map[string]string{}
	met := func(route, code string) {
		if code != "" {
			codes[route] = code
		}
		r.Report(question+" by "+route, cmp.Or(code, "no; it is answered"))
	}
	at := "/workspaces/" + r.Paused.String()
	var list struct{ Value []struct{ ID uuid.UUID } }
	for _, c := range []fabric.Call{{Path: at, Route: "GET /workspaces/{w}"},
		{Path: at + "/semanticModels", Route: "GET /workspaces/{w}/semanticModels"}} {
		c.Method = http.MethodGet
		answer, err := r.once(ctx, c)
		if err != nil {
			return err
		}
		met(c.Route, answer.Code)
		_ = json.Unmarshal(answer.Body, &list) // the workspace itself has no list
	}
	if len(list.Value) > 0 {
		code, err := r.readOf(ctx, r.Paused, list.Value[0].ID)
		if err != nil {
			return err
		}
		met(readRoute, code)
		answer, err := r.query(ctx, r.Paused, list.Value[0].ID)
		if err == nil {
			met("POST /groups/{w}/datasets/{m}/executeQueries", answer.Code)
		} else if !domain.IsRefused(err, domain.PlatformConsentRequired) {
			return err
		}
	}
	r.learn(func(a *fabric.Answers) { a.PausedCodes = codes })
	return nil
}
