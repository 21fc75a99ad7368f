package emulator

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"readiness/definition/dax/evaluate"
	"readiness/domain"
	"readiness/internal/lists"
)

// queries runs a query over the sample data of the folder with the embedded evaluator. What the evaluator refuses is
// answered like an error of DAX. A result of more than Options.QueryRows rows is cut off, with status 200.
func (c *call) queries() {
	var asked struct{ Queries []struct{ Query string } }
	if !c.askedQuery(&asked) {
		return
	}
	if len(asked.Queries) != 1 {
		failPowerBI(c.w, http.StatusBadRequest, "BadRequest")
		return
	}
	result, message, there := c.evaluate(asked.Queries[0].Query)
	if !there || message != "" {
		if there {
			c.failQuery(message)
		}
		return
	}
	table := map[string]any{}
	if most := c.o.QueryRows; most > 0 && len(result.Rows) > most {
		result.Rows = result.Rows[:most]
		table["error"] = map[string]any{"code": "DatasetExecuteQueriesError", "message": "The result has more rows than are returned."}
	}
	rows := lists.Map(result.Rows, func(values []evaluate.Value) json.RawMessage { return row(result.Columns, values) })
	table["rows"] = rows
	send(c.w, map[string]any{"results": []any{map[string]any{"tables": []any{table}}}})
}

// askedQuery reads the body of a call for queries. If it returns false, it has answered the call.
func (c *call) askedQuery(into any) bool {
	if code := c.o.Unknown.QueriesRefused; code != "" {
		failPowerBI(c.w, http.StatusForbidden, code)
		return false
	}
	text, err := io.ReadAll(io.LimitReader(c.r.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		failPowerBI(c.w, http.StatusBadRequest, "BadRequest")
	}
	return err == nil
}

// evaluate runs a query. The message is the error of the query. If there is no such model, evaluate answers the call.
func (c *call) evaluate(query string) (result evaluate.Result, message string, there bool) {
	c.mu.Lock()
	made := c.made[c.id("i")]
	c.mu.Unlock()
	if made != nil { // it has no data
		if query != `EVALUATE ROW("one", 1)` {
			return result, "The emulator answers no other query to an item that was created in it", true
		}
		return evaluate.Result{Columns: []string{"[one]"}, Rows: [][]evaluate.Value{{evaluate.OfNumber(1)}}}, "", true
	}
	result, err := c.o.Folder.Query(c.r.Context(), c.as(), c.id("w"), c.id("i"), query, c.o.Now())
	switch {
	case domain.IsRefused(err, domain.ItemNotFound), domain.IsRefused(err, domain.WorkspaceNotFound):
		failPowerBI(c.w, http.StatusNotFound, "PowerBIEntityNotFound")
		return result, "", false
	case err != nil:
		message = err.Error()
		if refusal, refused := domain.Refused(err); refused {
			message = refusal.Message
		}
	}
	return result, message, true
}

// row is a row as JSON, its columns in their order.
func row(columns []string, values []evaluate.Value) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(columns[i]) // a string always encodes
		text, err := json.Marshal(wireValue(v))
		if err != nil {
			text = []byte("null")
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(text)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func wireValue(v evaluate.Value) any {
	switch v.Kind() {
	case evaluate.Boolean:
		return v.Number() != 0
	case evaluate.Number:
		return v.Number()
	case evaluate.DateTime:
		return v.Time().Format("2006-01-02T15:04:05")
	case evaluate.Text:
		return v.String()
	case evaluate.Blank:
	}
	return nil
}

// failQuery answers a query that cannot be run.
func (c *call) failQuery(message string) {
	common(c.w)
	c.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	c.w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(c.w).Encode(map[string]any{"error": map[string]any{"code": "DatasetExecuteQueriesError",
		"pbi.error": map[string]any{"code": "DatasetExecuteQueriesError", "parameters": map[string]any{},
			"details": []any{map[string]any{"code": "DetailsMessage", "detail": map[string]any{"type": 1, "value": message}}}}}})
}
