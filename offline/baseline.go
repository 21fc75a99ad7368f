package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"readiness/domain/item"
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
	path                  string
	kind                  item.Type
	score, scoreDataAgent *int
	findings              []Finding // in their order
	lacks                 []string  // rules that could not judge
	rules                 map[known][]string
}

// Compared is what changed in an item since the baseline.
type Compared struct {
	// Found says that the baseline contains the item; otherwise the rest is empty.
	Found bool
	// Was is the item's path in the baseline, if it was renamed or moved since.
	Was string
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
		one = &earlier{path: i.Path, kind: i.Type, rules: map[known][]string{}}
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

// gone returns the items of the baseline that are no longer where they were, by path: they may have been renamed or moved.
func (b *Baseline) gone(items []Item) (all []*earlier) {
	if b == nil || len(items) == 0 {
		return nil
	}
	here := items[0]
	for _, at := range slices.Sorted(maps.Keys(b.items)) {
		way, err := filepath.Rel(filepath.FromSlash(here.Shown), filepath.FromSlash(at))
		if err != nil {
			continue
		}
		if _, err := os.Lstat(filepath.Join(here.at, way)); errors.Is(err, fs.ErrNotExist) {
			all = append(all, b.items[at])
		}
	}
	return all
}

// of returns what the baseline has of an item: by its path or, as Git finds renamed files, the one of those that are gone with
// which it has most findings in common, at least half. A nil baseline has nothing.
func (b *Baseline) of(a *Assessed, gone []*earlier) (before *earlier) {
	if b == nil {
		return nil
	}
	if same := b.items[a.Path]; same != nil {
		return same
	}
	most := 0
	for _, g := range gone {
		same := 0
		for _, f := range a.Result.Findings {
			if _, ok := g.rules[known{f.Dimension, f.Key}]; ok {
				same++
			}
		}
		if g.kind == a.Type && same > most && 2*same >= max(len(a.Result.Findings), len(g.rules)) {
			before, most = g, same
		}
	}
	return before
}

// knows reports whether the baseline's item has the finding with every rule that it has now.
func (e *earlier) knows(f readiness.Finding) bool {
	if e == nil {
		return false
	}
	before, ok := e.rules[known{f.Dimension, f.Key}]
	return ok && !slices.ContainsFunc(f.RuleIDs, func(id string) bool { return !slices.Contains(before, id) })
}

// since compares an assessed item with what the baseline has of it. It returns nil without a baseline.
func (b *Baseline) since(a *Assessed, before *earlier, o AssessOptions, unchanged []Finding) *Compared {
	if b == nil {
		return nil
	}
	if before == nil {
		return &Compared{}
	}
	c := &Compared{Found: true, Comparable: b.Regime == o.Regime.ID &&
		slices.Equal(before.lacks, lacking(a.Result.NotAssessable)), Unchanged: unchanged}
	if before.path != a.Path {
		c.Was = before.path
	}
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
func (b *Baseline) strangers(items []Assessed) []Warning {
	if b == nil || slices.ContainsFunc(items, func(i Assessed) bool { return b.items[i.Path] != nil || i.Since != nil && i.Since.Found }) {
		return nil
	}
	return []Warning{{b.File, 1, 0, "the baseline contains none of these items, so all findings are reported; was it created with " +
		"another --root?"}}
}
