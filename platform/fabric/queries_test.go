package fabric_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain"
	"readiness/platform/fabric/emulator"
	"readiness/platform/quota"
)

const byStore = "EVALUATE TOPN(3, SUMMARIZECOLUMNS('Store'[Store Name], \"Amount\", [Net Sales]), 'Store'[Store Name])"

// inJSON makes an emulator answer queries in JSON alone.
func inJSON(o *emulator.Options) { o.Unknown.ArrowRefused = "XmlaEndpointDisabled" }

// A query returns the rows of its table; what the platform cuts off says so.
func TestQuery(t *testing.T) {
	t.Parallel()
	w := newWorld(t, inJSON)
	it := w.retailSales(t)
	want, err := w.folder.Query(t.Context(), person("ada"), retail, it.ID, byStore, w.clock.Now())
	if err != nil || len(want.Rows) < 2 {
		t.Fatalf("%d rows, %v", len(want.Rows), err)
	}
	got, err := w.Query(t.Context(), person("ada"), retail, it.ID, byStore)
	if err != nil || got.Cut || !cmp.Equal(got.Columns, want.Columns) || len(got.Values) != len(want.Rows) {
		t.Fatalf("got %+v, %v; want %v", got, err, want)
	}
	for i, row := range got.Values {
		if row[0] != want.Rows[i][0].String() {
			t.Errorf("row %d is %v, want %v", i, row, want.Rows[i])
		}
		if number, is := row[1].(json.Number); !is || number == "" {
			t.Errorf("row %d has no number: %v", i, row)
		}
	}
	w.service.Set(func(o *emulator.Options) { o.QueryRows = 1 })
	if got, err = w.Query(t.Context(), person("ada"), retail, it.ID, byStore); err != nil || !got.Cut || len(got.Values) != 1 {
		t.Errorf("of a result that is cut off, got %+v, %v", got, err)
	}
}

// An error of DAX is the query's fault; anything else is not.
func TestAQueryWithoutResult(t *testing.T) {
	t.Parallel()
	answers := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	for name, c := range map[string]struct {
		dax    string
		answer http.HandlerFunc
		code   domain.Code
		says   string
	}{
		"unknown measure":      {"EVALUATE ROW(\"x\", [No Such Measure])", nil, domain.InvalidRequest, "DatasetExecuteQueriesError): the query is not evaluated"},
		"not DAX":              {"SELECT 1", nil, domain.InvalidRequest, "cannot run the query"},
		"the platform fails":   {byStore, emulator.Error(500, "InternalServerError", "oops"), domain.PlatformUnavailable, "InternalServerError"},
		"blocked":              {byStore, emulator.Error(429, "RequestBlocked", "blocked"), domain.PlatformUnavailable, "no further calls"},
		"a paused capacity":    {byStore, emulator.Error(400, "CapacityNotActive", "no"), domain.CapacityPaused, "paused"},
		"no build permission":  {byStore, emulator.Error(403, "PowerBINotAuthorizedException", "no"), domain.PlatformAccessDenied, "does not let you"},
		"no result":            {byStore, answers(`{"results":[]}`), domain.PlatformUnavailable, "no result"},
		"no table":             {byStore, answers(`{"results":[{"tables":[]}]}`), domain.PlatformUnavailable, "no table"},
		"different columns":    {byStore, answers(`{"results":[{"tables":[{"rows":[{"a":1},{"a":1,"b":2}]}]}]}`), domain.PlatformUnavailable, "different columns"},
		"a row that is none":   {byStore, answers(`{"results":[{"tables":[{"rows":[3]}]}]}`), domain.PlatformUnavailable, "no object"},
		"a value that is none": {byStore, answers(`{"results":[{"tables":[{"rows":[{"a":[]}]}]}]}`), domain.PlatformUnavailable, "neither"},
		"nothing":              {byStore, answers(``), domain.PlatformUnavailable, "cannot be read"},
	} {
		w := newWorld(t, inJSON)
		if c.answer != nil {
			w.service.Script(emulator.Fault{Path: "executeQueries", Answer: c.answer, Times: 3})
		}
		got, err := w.Query(t.Context(), person("ada"), retail, w.retailSales(t).ID, c.dax)
		if refused(t, err, c.code, c.says); len(got.Values) != 0 {
			t.Errorf("%s: got rows: %v", name, got)
		}
		if name == "blocked" && (len(w.shared.holds) == 0 || w.shared.holds[0].Bucket != quota.Queries) {
			t.Errorf("a block holds %v, want the queries", w.shared.holds)
		}
	}
}

// mostRows is how many rows the platform gives at most.
const mostRows = 100_000

// A result whose error stands anywhere in it is cut off.
func TestAQueryThatIsCutOff(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"error":{"code":"x"},"results":[{"tables":[{"rows":[{"a":1}]}]}]}`, `{"results":[{"error":{"code":"x"},"tables":[{"rows":[{"a":1}]}]}]}`,
		`{"results":[{"tables":[{"error":{"code":"x"},"rows":[{"a":1}]}]}]}`, `{"results":[{"error":{"code":"x"}}]}`,
		`{"results":[{"tables":[{"rows":[` + strings.Repeat(`{"a":1},`, mostRows) + `{"a":1}]}]}]}`,
	} {
		w := newWorld(t, inJSON)
		w.service.Script(emulator.Fault{Path: "executeQueries", Answer: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }})
		got, err := w.Query(t.Context(), person("ada"), retail, w.retailSales(t).ID, byStore)
		if err != nil || !got.Cut || len(got.Values) > mostRows {
			t.Errorf("%.80s: cut: %v, %d rows, %v", text, got.Cut, len(got.Values), err)
		}
	}
}
