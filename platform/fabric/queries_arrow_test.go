package fabric_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/fabric/rowsets"
)

// In the form of Arrow, values have types, and decimals are exact.
func TestQueryInArrow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for dax, want := range map[string][]any{
		`EVALUATE ROW("n", 123456.7890)`:                          {rowsets.Exact("123456.7890")},
		`EVALUATE ROW("n", 42)`:                                   {rowsets.Exact("42")},
		`EVALUATE ROW("n", DIVIDE(1, 3))`:                         {1.0 / 3},
		`EVALUATE ROW("t", "Café", "b", TRUE())`:                  {"Café", true},
		`EVALUATE ROW("d", DATE(2026, 1, 31))`:                    {time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)},
		`EVALUATE ROW("n", BLANK())`:                              {nil},
		`EVALUATE ROW("n", -0.01, "m", 0.00005, "o", 1000000000)`: {rowsets.Exact("-0.0100"), 0.00005, rowsets.Exact("1000000000")},
	} {
		got, err := w.Query(t.Context(), person("ada"), retail, w.retailSales(t).ID, dax)
		if err != nil || got.Cut || len(got.Values) != 1 || !cmp.Equal(got.Values[0], want) {
			t.Errorf("%s: got %+v, %v, want %v", dax, got, err, want)
		}
	}
	got, err := w.Query(t.Context(), person("ada"), retail, w.retailSales(t).ID, byStore)
	if err != nil || !cmp.Equal(got.Columns, []string{"Store[Store Name]", "[Amount]"}) || len(got.Values) != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
	if n := w.called(http.MethodPost, "/executeQueries"); n != 0 {
		t.Errorf("JSON was asked %d times", n)
	}
}

// stream is an answer of integers in Arrow, whose schema has about.
func stream(t *testing.T, about map[string]string, numbers ...int64) []byte {
	t.Helper()
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues(numbers, nil)
	said := arrow.MetadataFrom(about)
	schema := arrow.NewSchema([]arrow.Field{{Name: "[a]", Type: arrow.PrimitiveTypes.Int64}}, &said)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, int64(len(numbers)))), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Where queries are not answered in Arrow, or not in a way that is understood, JSON is asked, and for an hour nothing else.
func TestQueryFallsBackToJSON(t *testing.T) {
	t.Parallel()
	other := elsewhere(t)
	fault := map[string]string{"IsError": "true", "FaultCode": "7", "FaultString": "no"}
	says := func(body ...[]byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(slices.Concat(body...)) }
	}
	one := stream(t, nil, 1)
	for name, answer := range map[string]http.HandlerFunc{
		"no capacity":        emulator.Error(400, "DatasetNotOnCapacity", "no"),
		"the tenant setting": emulator.Error(403, "TenantSwitchDisabled", "no"),
		"unauthorized":       emulator.Error(401, "Unauthorized", "no"),
		"no such route":      emulator.Error(404, "EntityNotFound", "no"),
		"it fails":           emulator.Error(500, "InternalServerError", "no"),
		"lost":               emulator.Lost,
		"a redirect": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", other.URL)
			w.WriteHeader(307)
		},
		"nothing":                  says(nil),
		"HTML":                     says([]byte("<html>")),
		"JSON":                     says([]byte(`{"results":[]}`)),
		"cut in its rows":          says(one[:len(one)-20]),
		"cut before its end":       says(one[:len(one)-8]),
		"more behind it":           says(one, []byte("xxxx")),
		"a fault":                  says(stream(t, fault)),
		"a fault behind its rows":  says(one, stream(t, fault)),
		"a fault before its rows":  says(stream(t, fault, 1), one),
		"larger than what is read": says(bytes.Repeat([]byte{0xff}, 17<<20)),
		"it says it is larger":     says([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.service.Script(emulator.Fault{Path: "executeDaxQueries", Answer: answer, Times: 9})
			model := w.retailSales(t)
			for range 2 {
				got, err := w.Query(t.Context(), person("ada"), retail, model.ID, byStore)
				if err != nil || got.Cut || len(got.Values) != 3 {
					t.Errorf("got %+v, %v", got, err)
				}
			}
			if in, as := w.called(http.MethodPost, "/executeDaxQueries"), w.called(http.MethodPost, "/executeQueries"); in != 1 || as != 2 {
				t.Errorf("Arrow was asked %d times and JSON %d times, want 1 and 2", in, as)
			}
		})
	}
}

// An error in a stream with status 200 is one if JSON has one too, and no rows are used.
func TestAQueryThatFailsInAStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for range 2 { // an error of DAX says nothing about Arrow, which is asked again
		got, err := w.Query(t.Context(), person("ada"), retail, w.retailSales(t).ID, "EVALUATE ROW(\"x\", [No Such Measure])")
		if refused(t, err, domain.InvalidRequest, "cannot run the query"); len(got.Values) != 0 {
			t.Errorf("got rows: %v", got)
		}
	}
	if n := w.called(http.MethodPost, "/executeDaxQueries"); n != 2 {
		t.Errorf("Arrow was asked %d times", n)
	}
}

// What ends or delays all calls of the person does so for both forms: JSON is not asked.
func TestAQueryThatJSONDoesNotAnswerEither(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		code   domain.Code // "" for a wait
	}{
		"paused":  {emulator.Error(400, "CapacityNotActive", "no"), domain.CapacityPaused},
		"claims":  {emulator.Challenge(`{"a":1}`), domain.Unauthorized},
		"ended":   {emulator.Error(401, "TokenExpired", "no"), domain.TokenExpired},
		"blocked": {emulator.Error(429, "RequestBlocked", "no"), ""},
	} {
		w := newWorld(t, nil)
		w.service.Script(emulator.Fault{Path: "executeDaxQueries", Answer: c.answer, Times: 9})
		as := person("ada")
		as.Work = uuid.New()
		_, err := w.Query(t.Context(), as, retail, w.retailSales(t).ID, byStore)
		if _, waits := errors.AsType[*item.Pending](err); c.code == "" && !waits {
			t.Errorf("%s: got %v", name, err)
		} else if c.code != "" {
			refused(t, err, c.code, "")
		}
		if n := w.called(http.MethodPost, "/executeQueries"); n != 0 {
			t.Errorf("%s: JSON was asked %d times", name, n)
		}
	}
}

// A result of several tables, or of more rows than are read, is cut off.
func TestAnArrowThatIsCutOff(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{
		"two tables": append(stream(t, nil, 1), stream(t, nil, 2)...),
		"rows":       stream(t, nil, make([]int64, mostRows+1)...),
	} {
		w := newWorld(t, nil)
		w.service.Script(emulator.Fault{Path: "executeDaxQueries",
			Answer: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }})
		got, err := w.Query(t.Context(), person("ada"), retail, w.retailSales(t).ID, byStore)
		if err != nil || !got.Cut || len(got.Values) > mostRows || len(got.Values) == 0 {
			t.Errorf("%s: cut %t, %d rows, %v", name, got.Cut, len(got.Values), err)
		}
	}
	w := newWorld(t, nil)
	var asked []byte
	w.service.Script(emulator.Fault{Path: "executeDaxQueries", Answer: func(w http.ResponseWriter, r *http.Request) {
		asked, _ = io.ReadAll(r.Body)
		_, _ = w.Write(stream(t, nil, make([]int64, mostRows)...))
	}})
	got, err := w.Query(t.Context(), person("ada"), retail, w.retailSales(t).ID, "EVALUATE T")
	if err != nil || got.Cut || len(got.Values) != mostRows ||
		string(asked) != `{"query":"EVALUATE T","queryTimeout":10,"resultSetRowCountLimit":100001}` {
		t.Errorf("as many as are read: cut %t, %d rows, %v, asked with %s", got.Cut, len(got.Values), err, asked)
	}
}

// Where a probe found that queries are not answered in Arrow, it is not asked for.
func TestArrowIsNotAskedWhereAProbeSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.probed = fabric.Answers{ArrowRefused: "TenantSwitchDisabled"}
	got, err := w.Query(t.Context(), person("ada"), retail, w.retailSales(t).ID, byStore)
	if err != nil || len(got.Values) != 3 || w.called(http.MethodPost, "/executeDaxQueries") != 0 {
		t.Errorf("got %+v, %v, after %d calls for Arrow", got, err, w.called(http.MethodPost, "/executeDaxQueries"))
	}
}
