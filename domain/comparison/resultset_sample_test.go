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
		"no result":  {nil, `null`},
		"no rows":    {&comparison.ResultSet{}, `{"rows":[]}`},
		"all":        {&comparison.ResultSet{Rows: [][]comparison.Value{row}}, `{"rows":[[null,true,1.5,"not a finite number","2025-03-01T12:00:00.5","a\u003cb"]]}`},
		"the first":  {&comparison.ResultSet{Rows: [][]comparison.Value{{}, {}, {}}}, `{"rows":[[],[]],"more":true}`},
		"cut before": {&comparison.ResultSet{Truncated: true}, `{"rows":[],"more":true}`},
	} {
		got, err := json.Marshal(tt.of.Sample(2))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, tt.want)
		}
	}
}
