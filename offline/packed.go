package offline

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"iter"
	"slices"

	"readiness/domain/readiness/finding"
)

// looseFindings is how many findings an assessment keeps as they are, half a kilobyte each. Those of further items are packed to a twentieth.
const looseFindings = 5_000

// packed is what of an item grows with its findings, while nobody reads it.
type packed struct {
	data       []byte
	bySeverity [3]int // of the reported findings, as Severities
	ignored    int
}

// loose is what is packed.
type loose struct {
	Findings, Unchanged []Finding
	Ignored             []Ignored
}

// All returns the assessed items with their findings.
func (a *Assessment) All() iter.Seq2[int, Assessed] {
	return func(yield func(int, Assessed) bool) {
		for n, i := range a.Items {
			i.unpack()
			if !yield(n, i) {
				return
			}
		}
	}
}

// findings returns how many findings the item keeps.
func (i *Assessed) findings() int {
	n := len(i.Findings) + len(i.Ignored)
	if i.Since != nil {
		n += len(i.Since.Unchanged)
	}
	return n
}

func (i *Assessed) pack() {
	all := loose{Findings: i.Findings, Ignored: i.Ignored}
	p := &packed{bySeverity: i.bySeverity(), ignored: len(i.Ignored)}
	if i.Since != nil {
		all.Unchanged = i.Since.Unchanged
		i.Since.Unchanged = nil
	}
	var data bytes.Buffer
	w, err := flate.NewWriter(&data, flate.BestSpeed)
	if err == nil {
		err = errors.Join(json.NewEncoder(w).Encode(all), w.Close())
	}
	if err != nil {
		panic(err) // only a type that JSON does not know
	}
	p.data = bytes.Clone(data.Bytes()) // without its spare capacity
	i.lost = i.Lost()
	i.Result.Findings, i.Findings, i.Ignored, i.packed = nil, nil, nil, p
}

func (i *Assessed) unpack() {
	if i.packed == nil {
		return
	}
	var all loose
	if err := json.NewDecoder(flate.NewReader(bytes.NewReader(i.packed.data))).Decode(&all); err != nil {
		panic(err) // pack wrote it
	}
	if i.Since != nil {
		since := *i.Since
		since.Unchanged = all.Unchanged
		i.Since = &since
	}
	i.Findings, i.Ignored, i.packed = all.Findings, all.Ignored, nil
}

// bySeverity returns how many reported findings have each of Severities.
func (i *Assessed) bySeverity() [3]int {
	if i.packed != nil {
		return i.packed.bySeverity
	}
	var n [3]int
	for _, f := range i.Findings {
		n[slices.Index(Severities, f.Severity)]++
	}
	return n
}

// Reported returns how many findings of at least a severity are reported.
func (i *Assessed) Reported(least finding.Severity) int {
	n := 0
	for s, count := range i.bySeverity() {
		if AtLeast(Severities[s], least) {
			n += count
		}
	}
	return n
}

// Lost returns the points that the findings of each dimension cost, reported or not.
func (i *Assessed) Lost() map[string]float64 {
	if i.lost != nil {
		return i.lost
	}
	byDimension := map[string]float64{}
	for _, f := range i.Result.Findings {
		byDimension[f.Dimension] += f.Impact
	}
	return byDimension
}

// Accepted returns how many findings are ignored.
func (i *Assessed) Accepted() int {
	if i.packed != nil {
		return i.packed.ignored
	}
	return len(i.Ignored)
}
