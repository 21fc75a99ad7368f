package comparison_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"readiness/domain/comparison"
)

func TestSample(t *testing.T) {
	t.Parallel()
	day := time.Date(2025, 3, 1, 12, 0, 0, 500_000_000, time.UTC)
	row := []comparison.Value{{}, comparison.Boolean(true), comparison.Number(1.5), comparison.Number(math.Inf(1)), comparison.Instant(day), comparison.Text("a<b")}
	for name, tt := range map[string]struct {
		of   *comparison.ResultSet
		want string
	}{
		"no result": {nil, `null`},
		"no rows":   {&comparison.ResultSet{}, `{"rows":[]}`},
		"all":       {&comparison.ResultSet{Rows: [][]comparison.Value{row}}, `{"rows":[[null,true,1.5,"not a finite number","2025-03-01T12:00:00.5","a\u003cb"]]}`},
		"the first": {&comparison.ResultSet{Rows: [][]comparison.Value{{}, {}, {}}}, `{"rows":[[],[]],"more":true}`},
		"exact": {&comparison.ResultSet{Rows: [][]comparison.Value{{comparison.Exact("-0.0100"), comparison.Exact("9007199254740993"),
			comparison.Exact("100.0000"), comparison.Exact("-12.3456"), comparison.Exact("+7"), comparison.Exact("0")}}},
			`{"rows":[[-0.01,9007199254740993,100,-12.3456,7,0]]}`},
		"too exact": {&comparison.ResultSet{Rows: [][]comparison.Value{{comparison.Exact("0.12345"), comparison.Exact("9223372036854775808"),
			comparison.Exact("1e3"), comparison.Exact("x"), comparison.Exact("")}}}, `{"rows":[[0.12345,9223372036854776000,1000,null,null]]}`},
		"cut before": {&comparison.ResultSet{Truncated: true}, `{"rows":[],"more":true}`},
	} {
		got, err := json.Marshal(tt.of.Sample(2))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, tt.want)
		}
	}
}
