package fabric

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/quota"
)

// Rows are the result of a query: the columns in their order, and a value for each: nil, bool, json.Number or string, and from Arrow
// rowsets.Exact, float64 or time.Time instead of json.Number.
type Rows struct {
	Columns []string
	Values  [][]any
	// Cut reports that the result has more than these rows, so that it must not be compared.
	Cut bool
}

// max is how many rows the platform gives at most. It says when it cut a result off.
func (Rows) max() int { return 100_000 }

// query is a query that returns one table.
type query struct {
	p                    *Platform
	as                   item.Caller
	workspaceID, modelID uuid.UUID
	dax                  string
}

// Query runs a DAX query that returns one table. It refuses with InvalidRequest a query that the platform cannot run.
//
// It asks for Arrow, which has exact decimals, where the person's organization and the workspace's capacity support it. Otherwise, or if
// the answer is not understood, it asks for JSON, whose answer decides.
func (p *Platform) Query(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (Rows, error) {
	a := p.answers(as.Person)
	if a.QueriesRefused != "" {
		return Rows{}, domain.Refuse(domain.PlatformAccessDenied, "the platform answers no queries in your organization (%s), as a probe "+
			"on %s found out; when that has changed, the operator of the service probes again", a.QueriesRefused,
			a.ProbedAt.UTC().Format(time.DateOnly))
	}
	q, of := query{p, as, workspaceID, modelID, dax}, personIn{as.Person, workspaceID}
	if a.ArrowRefused != "" || p.asJSON.Contains(of) {
		return q.json(ctx)
	}
	rows, err := q.arrow(ctx)
	if err == nil || !q.inJSON(ctx, err) {
		return rows, err
	}
	rows, second := q.json(ctx)
	if second == nil {
		p.log.Info("queries are answered in JSON, without exact decimals", "reason", err)
		p.asJSON.Add(of, struct{}{})
	}
	return rows, second
}

// personIn is a person in a workspace.
type personIn struct {
	person      item.Person
	workspaceID uuid.UUID
}

func (q query) request(name string, body any) (request, error) {
	text, err := json.Marshal(body)
	return request{as: q.as, permission: item.PermissionUsage, host: q.p.powerBI, method: http.MethodPost, bucket: quota.Queries,
		path:  "/groups/" + q.workspaceID.String() + "/datasets/" + q.modelID.String() + "/" + name,
		route: "POST /groups/{w}/datasets/{m}/" + name, body: text,
		about: subject{workspace: q.workspaceID, queries: true,
			item: item.Item{ID: q.modelID, Type: item.SemanticModel, WorkspaceID: q.workspaceID}}}, err
}

// json asks in JSON.
func (q query) json(ctx context.Context) (Rows, error) {
	r, err := q.request("executeQueries", map[string]any{"queries": []any{map[string]string{"query": q.dax}},
		"serializerSettings": map[string]bool{"includeNulls": true}})
	if err != nil {
		return Rows{}, err
	}
	var got wireResults
	if err := q.p.get(ctx, r, &got); err != nil {
		return Rows{}, err
	}
	rows, err := got.rows()
	if err != nil {
		return Rows{}, q.p.garbled(ctx, r, err)
	}
	return rows, nil
}

// wireError is an error within an answer of status 200: the platform gives the rows that it has.
type wireError = json.RawMessage

type wireResults struct {
	Results []struct {
		Tables []struct {
			Rows  []json.RawMessage
			Error wireError
		}
		Error wireError
	}
	Error wireError
}

// rows returns the first table of the first result.
func (w wireResults) rows() (rows Rows, err error) {
	if len(w.Results) == 0 {
		return rows, errors.New("it has no result")
	}
	result := w.Results[0]
	rows.Cut = says(w.Error) || says(result.Error)
	if len(result.Tables) == 0 {
		if !rows.Cut {
			err = errors.New("it has no table")
		}
		return rows, err
	}
	table := result.Tables[0]
	rows.Cut = rows.Cut || says(table.Error) || len(table.Rows) > rows.max()
	for i, text := range table.Rows[:min(len(table.Rows), rows.max())] {
		columns, values, err := readRow(text)
		switch {
		case err != nil:
			return rows, err
		case i == 0:
			rows.Columns = columns
		case len(columns) != len(rows.Columns):
			return rows, errors.New("its rows have different columns")
		}
		rows.Values = append(rows.Values, values)
	}
	return rows, nil
}

func says(e wireError) bool { return len(e) > 0 && string(e) != "null" }

// readRow reads an object whose members are the columns, in their order.
func readRow(text []byte) (columns []string, values []any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, errors.Join(err, errors.New("a row is no object"))
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return nil, nil, err
		}
		switch value.(type) {
		case nil, bool, json.Number, string:
		default:
			return nil, nil, errors.New("a value of a row is neither a number nor a text")
		}
		text, _ := name.(string)
		columns, values = append(columns, text), append(values, value)
	}
	return columns, values, nil
}

// unanswered is the refusal of a query that the platform cannot run.
func (f *failure) unanswered(of subject) error {
	words := ""
	for _, d := range f.PowerBI.Inner.Details {
		if text, ok := d.Detail.Value.(string); ok && d.Code == "DetailsMessage" {
			words = ": " + line(text, maxQuoted)
		}
	}
	return about(domain.Refuse(domain.InvalidRequest, "the platform cannot run the query (%s)%s", f.Code, words), of)
}
