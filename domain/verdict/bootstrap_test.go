package verdict

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"readiness/domain/verdict/statistics"

	"pgregory.net/rapid"
)

func TestRoundingIsSymmetric(t *testing.T) {
	t.Parallel()
	for x, want := range map[Rate]string{0.76665: "0.7667", -0.76665: "-0.7667", 0.00004: "0", -0.00004: "0", 1: "1", 0.5: "0.5"} {
		if got, err := json.Marshal(x); err != nil || string(got) != want {
			t.Errorf("%v: got %s, %v, want %s", float64(x), got, err, want)
		}
	}
	for x, want := range map[float64]int64{0.5: 1, -0.5: -1, 0.4: 0, -0.4: 0} {
		if got := milliseconds(x); got != want {
			t.Errorf("%v: got %d, want %d", x, got, want)
		}
	}
}

// bootstrapped is the definition, with the standard library's generator and a list of
// the drawn questions instead of counts.
func bootstrapped(id string, d differences) (rate, time interval) {
	seed := sha256.Sum256([]byte(id))
	random := rand.New(rand.NewPCG(binary.BigEndian.Uint64(seed[:8]), binary.BigEndian.Uint64(seed[8:16])))
	var clusters []differences
	for i, q := range d {
		at := slices.IndexFunc(clusters, func(c differences) bool { return q.cluster != "" && c[0].cluster == q.cluster })
		if at < 0 {
			at = len(clusters)
			clusters = append(clusters, nil)
		}
		clusters[at] = append(clusters[at], d[i])
	}
	var rates, times []float64
	for range 2000 {
		var drawn differences
		for range clusters {
			drawn = append(drawn, clusters[random.IntN(len(clusters))]...)
		}
		var sum, weights float64
		var t []float64
		for _, q := range drawn {
			sum += q.rate * q.weight
			weights += q.weight
			t = append(t, q.time)
		}
		rates, times = append(rates, sum/weights), append(times, statistics.Median(t))
	}
	slices.Sort(rates)
	slices.Sort(times)
	return interval{rates[50], rates[1949]}, interval{times[50], times[1949]}
}

func TestBootstrap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var d differences
		for i := range rapid.IntRange(1, 12).Draw(t, "questions") {
			d = append(d, difference{
				fmt.Sprintf("q%02d", i), rapid.SampledFrom([]string{"", "", "x", "y"}).Draw(t, "cluster"), rapid.SampledFrom([]float64{1, 1, 2, 0.5}).Draw(t, "weight"),
				float64(rapid.IntRange(-3, 3).Draw(t, "rate")) / 3, float64(rapid.IntRange(-40, 40).Draw(t, "time")) / 2,
			})
		}
		id := rapid.String().Draw(t, "id")
		rate, time := d.bootstrap(id)
		wantRate, wantTime := bootstrapped(id, d)
		if math.Abs(rate.low-wantRate.low) > 1e-12 || math.Abs(rate.high-wantRate.high) > 1e-12 || time != wantTime {
			t.Fatalf("got %v, %v, want %v, %v", rate, time, wantRate, wantTime)
		}
	})
}
