//go:build unix

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestDay checks that the hours of a day have all of its calls, and when.
func TestDay(t *testing.T) {
	t.Parallel()
	largest := tenant{models: 100_000, people: 50_000}
	for k, want := range map[kind]float64{views: 10_000_000, reads: 122_500, portfolios: 2_500, assessments: 100_000. / 7} {
		sum := 0.0
		for hour := range 24 {
			sum += largest.rate(k, (float64(hour)+.5)/24) * time.Hour.Seconds()
		}
		if math.Abs(sum-want) > want/1e9 {
			t.Errorf("%s: %f in a day, want %f", kindNames[k], sum, want)
		}
	}
	if busy := largest.rate(views, 9.5/24); busy != 600 {
		t.Errorf("%f views a second in the busiest hour, want 600", busy)
	}
	if noon, end := largest.rate(assessments, .5), largest.rate(views, 1); noon != 0 || end <= 0 {
		t.Errorf("%f assessments a second at noon and %f views at midnight", noon, end)
	}
}

func TestFactors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]float64{"": {72}, "1": {1}, "1,2.5,1000000": {1, 2.5, 1e6}} {
		got, err := parseFactors(text, 20*time.Minute)
		if err != nil || len(got) != len(want) || got[len(got)-1] != want[len(want)-1] {
			t.Errorf("%q: got %v and %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"0", "-1", "x", "1,", "NaN", "Inf", "1000001"} {
		if got, err := parseFactors(text, time.Minute); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
	o := options{lasts: time.Minute, factors: []float64{1, 4, 12}}
	for passed, want := range map[time.Duration][2]float64{0: {1, 0}, 10 * time.Second: {1, .5}, 20 * time.Second: {4, 0}, 55 * time.Second: {12, .75}, time.Minute: {12, 1}} {
		if factor, part := o.at(passed); factor != want[0] || math.Abs(part-want[1]) > 1e-9 {
			t.Errorf("after %s: factor %f, part %f of a day, want %v", passed, factor, part, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	var m measures
	if got := m.now().quantile(.99); got != 0 {
		t.Errorf("without calls: %s", got)
	}
	for i := range 1000 {
		m.took.add(time.Duration(i+1) * time.Millisecond)
	}
	for part, want := range map[float64]time.Duration{.5: 500 * time.Millisecond, .99: 990 * time.Millisecond, 1: time.Second} {
		if got := m.now().quantile(part); got < want || got > want*106/100 {
			t.Errorf("%f: got %s, want %s to a twentieth more", part, got, want)
		}
	}
	before := m.now()
	m.took.add(time.Hour) // more than a histogram has
	if got := m.now().since(before).quantile(.5); got < 4*time.Minute {
		t.Errorf("an hour: got %s", got)
	}
}

// TestComparedViews checks which counts of two pages of one report pass.
func TestComparedViews(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seen, unsure, stored [2]int64
		recorded, overloaded int64
		right                bool
	}{
		"equal":                               {[2]int64{3, 4}, [2]int64{}, [2]int64{3, 4}, 7, 0, true},
		"one too few":                         {[2]int64{3, 4}, [2]int64{}, [2]int64{3, 3}, 7, 0, false},
		"one too few, and fewer outcomes":     {[2]int64{3, 4}, [2]int64{}, [2]int64{3, 3}, 6, 0, false},
		"one too many":                        {[2]int64{3, 4}, [2]int64{}, [2]int64{3, 5}, 8, 0, false},
		"of the other page":                   {[2]int64{3, 4}, [2]int64{}, [2]int64{4, 3}, 7, 0, false},
		"one perhaps, and it is there":        {[2]int64{3, 4}, [2]int64{1, 0}, [2]int64{4, 4}, 8, 0, true},
		"one perhaps, and it is not there":    {[2]int64{3, 4}, [2]int64{1, 0}, [2]int64{3, 4}, 7, 0, true},
		"one perhaps, and two more are there": {[2]int64{3, 4}, [2]int64{1, 0}, [2]int64{5, 4}, 9, 0, false},
		"perhaps of the other page":           {[2]int64{3, 4}, [2]int64{1, 0}, [2]int64{4, 3}, 7, 0, false},
		"dropped, and of the other page":      {[2]int64{3, 4}, [2]int64{}, [2]int64{4, 2}, 6, 1, false},
		"dropped, and counted so":             {[2]int64{3, 4}, [2]int64{}, [2]int64{2, 3}, 5, 2, true},
		"dropped, and there":                  {[2]int64{3, 4}, [2]int64{}, [2]int64{3, 4}, 5, 2, false},
		"dropped, and another is missing":     {[2]int64{3, 4}, [2]int64{}, [2]int64{2, 2}, 5, 2, false},
		"without an outcome":                  {[2]int64{3, 4}, [2]int64{}, [2]int64{2, 3}, 5, 1, false},
	} {
		l := &load{seen: make([]atomic.Int64, 2), unsure: make([]atomic.Int64, 2)}
		stored := map[place]int64{}
		for n := range 2 {
			l.seen[n].Store(c.seen[n])
			l.unsure[n].Store(c.unsure[n])
			stored[place{idOf("report", 0), []string{"p0", "p1"}[n]}] = c.stored[n]
		}
		if wrong := compareViews(l, map[string]int64{"recorded": c.recorded, "overloaded": c.overloaded}, stored); (wrong == nil) != c.right {
			t.Errorf("%s: got %v", name, wrong)
		}
	}
}

// TestGraph checks that the graph is XML with a line for each column of each panel, also of a run without rows.
func TestGraph(t *testing.T) {
	t.Parallel()
	lines := 0
	for _, p := range panels {
		lines += len(p.lines)
	}
	for name, rows := range map[string][]row{
		"none": nil,
		"two":  {{at: time.Second, lasted: time.Second, recorded: 12345, state: state{steps: 7}}, {at: time.Hour, lasted: time.Second}},
	} {
		text := graphOf(rows)
		if got := strings.Count(text, "<polyline"); got != lines {
			t.Errorf("%s: %d lines, want %d", name, got, lines)
		}
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: a number is none:\n%s", name, text)
		}
		table := strings.Split(strings.TrimSpace(tableOf(rows)), "\n")
		if len(table) != 1+len(rows) {
			t.Fatalf("%s: the table has %d lines", name, len(table))
		}
		for _, line := range table {
			if got := strings.Count(line, "\t") + 1; got != len(columns()) {
				t.Errorf("%s: a line has %d columns, want %d", name, got, len(columns()))
			}
		}
	}
}
