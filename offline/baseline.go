package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/internal/jsonerror"
)

// maxBaseline bounds a baseline, in bytes.
const maxBaseline = 256 << 20

// Baseline is an earlier assessment, as WriteJSON wrote it.
type Baseline struct {
	File string
	// Regime is the regime of that assessment.
	Regime string
	items  map[string]*earlier
}

// earlier is an item in the baseline.
type earlier struct {
	score, scoreDataAgent *int
	findings              []Finding // in their order
	lacks                 []string  // rules that could not judge
	rules                 map[known][]string
}

// Compared is what changed in an item since the baseline.
type Compared struct {
	// Found says that the baseline contains the item; otherwise the rest is empty.
	Found bool
	// Comparable says that the baseline has the same regime, and that the same rules could not judge. Otherwise scores and fixed findings are not compared.
	Comparable bool
	// Score and ScoreDataAgent are those of the baseline.
	Score, ScoreDataAgent *int
	// Fixed are findings of the baseline that are gone, without their places. Unchanged are present findings that it contains.
	Fixed, Unchanged []Finding
}

// known identifies a finding of the baseline. Lines are not part of it.
type known struct {
	dimension string
	finding.Key
}

// ReadBaseline reads the output of WriteJSON.
func ReadBaseline(file string) (*Baseline, error) {
	shown := filepath.ToSlash(file)
	data, err := ReadText(file, maxBaseline)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no baseline %s; create it with assess --format json --output %s", shown, shown)
	}
	if err != nil {
		return nil, fmt.Errorf("the baseline: %w", err)
	}
	var written document
	if err := json.Unmarshal(data, &written); err != nil {
		return nil, fmt.Errorf("the baseline %s cannot be read: %w; create it with assess --format json --output %s", shown,
			jsonerror.Explain(err), shown)
	}
	if written.Format != jsonFormat {
		return nil, fmt.Errorf("the baseline %s has the format %q, not %q; create it with assess --format json --output %s", shown,
			written.Format, jsonFormat, shown)
	}
	b := &Baseline{File: shown, Regime: written.Regime, items: map[string]*earlier{}}
	for _, i := range written.Items {
		b.add(i)
	}
	return b, nil
}

func (b *Baseline) add(i documentItem) {
	one := b.items[i.Path]
	if one == nil {
		one = &earlier{rules: map[known][]string{}}
		b.items[i.Path] = one
	}
	one.score, one.scoreDataAgent = i.Score, i.ScoreDataAgent
	one.lacks = lacking(i.NotAssessable)
	one.findings = append(one.findings, i.Findings...)
	if i.Baseline != nil { // the document was itself compared with a baseline
		one.findings = append(one.findings, i.Baseline.Unchanged...)
	}
	for _, f := range one.findings {
		one.rules[known{f.Dimension, f.Key}] = f.RuleIDs
	}
}

// lacking returns the rules that could not judge, sorted.
func lacking(all []readiness.NotAssessable) (ids []string) {
	for _, n := range all {
		for _, id := range n.RuleIDs {
			ids = append(ids, strings.TrimLeft(n.SourceModelID+" "+id, " "))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// knows reports whether the baseline contains the finding with every rule that it has now. A nil baseline contains
// nothing.
func (b *Baseline) knows(path string, f readiness.Finding) bool {
	if b == nil || b.items[path] == nil {
		return false
	}
	before, ok := b.items[path].rules[known{f.Dimension, f.Key}]
	return ok && !slices.ContainsFunc(f.RuleIDs, func(id string) bool { return !slices.Contains(before, id) })
}

// since compares an assessed item with the baseline. It returns nil without a baseline.
func (b *Baseline) since(a *Assessed, o AssessOptions, unchanged []Finding) *Compared {
	if b == nil {
		return nil
	}
	before := b.items[a.Path]
	if before == nil {
		return &Compared{}
	}
	c := &Compared{Found: true, Comparable: b.Regime == o.Regime.ID &&
		slices.Equal(before.lacks, lacking(a.Result.NotAssessable)), Unchanged: unchanged}
	if !c.Comparable {
		return c
	}
	c.Score, c.ScoreDataAgent = before.score, before.scoreDataAgent
	present := map[known]bool{} // an ignored finding, or one below the reported severity, is not fixed
	for _, f := range a.Result.Findings {
		present[known{f.Dimension, f.Key}] = true
	}
	for _, f := range a.Ignored {
		present[known{f.Dimension, f.Key}] = true
	}
	for _, f := range before.findings {
		if !present[known{f.Dimension, f.Key}] && AtLeast(f.Severity, o.MinSeverity) && len(f.RuleIDs) > 0 {
			f.Place = Place{} // it was there
			c.Fixed = append(c.Fixed, f)
		}
	}
	return c
}

// strangers warns if the baseline contains none of the items: it may be about other items or relative to another root.
func (b *Baseline) strangers(items []Item) []Warning {
	if b == nil || slices.ContainsFunc(items, func(i Item) bool { return b.items[i.Shown] != nil }) {
		return nil
	}
	return []Warning{{b.File, 1, 0, "the baseline contains none of these items, so all findings are reported; was it created with " +
		"another --root?"}}
}
