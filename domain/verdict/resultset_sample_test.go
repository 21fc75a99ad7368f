package verdict_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"readiness/domain/verdict"
)

func TestSample(t *testing.T) {
	t.Parallel()
	day := time.Date(2025, 3, 1, 12, 0, 0, 500_000_000, time.UTC)
	row := []verdict.Value{{}, verdict.Boolean(true), verdict.Number(1.5), verdict.Number(math.Inf(1)), verdict.Instant(day), verdict.Text("a<b")}
	for name, tt := range map[string]struct {
		of   *verdict.ResultSet
		want string
	}{
		"no result": {nil, `null`},
		"no rows":   {&verdict.ResultSet{}, `{"rows":[]}`},
		"all":       {&verdict.ResultSet{Rows: [][]verdict.Value{row}}, `{"rows":[[null,true,1.5,"not a finite number","2025-03-01T12:00:00.5","a\u003cb"]]}`},
		"the first": {&verdict.ResultSet{Rows: [][]verdict.Value{{}, {}, {}}}, `{"rows":[[],[]],"more":true}`},
		"exact": {&verdict.ResultSet{Rows: [][]verdict.Value{{verdict.Exact("-0.0100"), verdict.Exact("9007199254740993"),
			verdict.Exact("100.0000"), verdict.Exact("-12.3456"), verdict.Exact("+7"), verdict.Exact("0")}}},
			`{"rows":[[-0.01,9007199254740993,100,-12.3456,7,0]]}`},
		"too exact": {&verdict.ResultSet{Rows: [][]verdict.Value{{verdict.Exact("0.12345"), verdict.Exact("9223372036854775808"),
			verdict.Exact("1e3"), verdict.Exact("x"), verdict.Exact("")}}}, `{"rows":[[0.12345,9223372036854776000,1000,null,null]]}`},
		"cut before": {&verdict.ResultSet{Truncated: true}, `{"rows":[],"more":true}`},
	} {
		got, err := json.Marshal(tt.of.Sample(2))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, tt.want)
		}
	}
}
