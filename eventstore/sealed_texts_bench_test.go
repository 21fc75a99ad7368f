package eventstore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"readiness/domain"
	"readiness/eventstore"
	"readiness/test/bench"
	"readiness/test/pgtest"
)

// sealingTurns is how many turns of each kind BenchmarkSealedTexts takes.
const sealingTurns = 21

// BenchmarkSealedTexts alternately appends events whose text is sealed, one at a time, and events of a log without keys, with the same text
// open. Then it reads both logs from their first event on.
func BenchmarkSealedTexts(b *testing.B) {
	shut, plain := sealing(b, pgtest.Pool(b), 1), sealing(b, pgtest.Pool(b), 1)
	plain.Keys = nil
	text := strings.Repeat("a word of a person ", 10)
	appended := func(s *eventstore.Store, turn, n int, e domain.Event) float64 {
		calls, err := bench.Together(bench.Callers, n, func(caller, _ int) error {
			return add(b.Context(), s, fmt.Sprintf("note-%d-%d", turn, caller), e)
		})
		if err != nil {
			b.Fatal(err)
		}
		return calls.PerSecond()
	}
	read := func(s *eventstore.Store) float64 {
		n, began := 0, time.Now()
		for _, err := range s.ReadAll(b.Context(), 0, 0) {
			if n++; err != nil {
				b.Fatal(err)
			}
		}
		return float64(n) / time.Since(began).Seconds()
	}
	n := max(bench.Callers, b.N/sealingTurns)
	var appends, reads []float64
	var sealedRead, openRead float64
	for turn := range sealingTurns {
		with := appended(shut, turn, n, worded{By: "ada", Text: text})
		without := appended(plain, turn, n, spent{By: text})
		appends = append(appends, with/without)
	}
	for range sealingTurns {
		sealedRead, openRead = read(shut), read(plain)
		reads = append(reads, sealedRead/openRead)
	}
	slices.Sort(appends)
	slices.Sort(reads)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(appends[sealingTurns/2], "appends-of-open")
	b.ReportMetric(reads[sealingTurns/2], "reads-of-open")
	b.ReportMetric(sealedRead, "sealed-reads/s")
	b.ReportMetric(openRead, "open-reads/s")
}
