package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"readiness/domain/readiness"
	"readiness/internal/jsonerror"
)

// maxBaseline bounds a baseline, in bytes.
const maxBaseline = 256 << 20

// Baseline is what an earlier assessment found, as WriteJSON told it.
type Baseline struct {
	File string
	// Regime is the one that it was made by.
	Regime string
	paths  map[string]bool
	rules  map[known][]string
}

// known is what a finding of before is told by. Lines are no part of it.
type known struct {
	path, dimension string
	readiness.Key
}

// ReadBaseline reads what WriteJSON wrote.
func ReadBaseline(file string) (*Baseline, error) {
	shown := filepath.ToSlash(file)
	data, err := readFile(file, maxBaseline)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the baseline %s is not there; make it with assess --format json --output %s", shown, shown)
	}
	if err != nil {
		return nil, fmt.Errorf("the baseline: %w", err)
	}
	var written document
	if err := json.Unmarshal(data, &written); err != nil {
		return nil, fmt.Errorf("the baseline %s cannot be read: %w; make it with assess --format json --output %s", shown, jsonerror.Explain(err), shown)
	}
	if written.Format != jsonFormat {
		return nil, fmt.Errorf("the baseline %s has the format %q, not %q; make it with assess --format json --output %s", shown, written.Format, jsonFormat, shown)
	}
	b := &Baseline{File: shown, Regime: written.Regime, paths: map[string]bool{}, rules: map[known][]string{}}
	for _, i := range written.Items {
		b.paths[i.Path] = true
		for _, f := range i.Findings {
			b.rules[known{i.Path, f.Dimension, f.Key}] = f.RuleIDs
		}
	}
	return b, nil
}

// knows reports whether a finding was there before, with every rule that it is of
// now. No baseline knows nothing.
func (b *Baseline) knows(path string, f readiness.Finding) bool {
	if b == nil {
		return false
	}
	before, ok := b.rules[known{path, f.Dimension, f.Key}]
	return ok && !slices.ContainsFunc(f.RuleIDs, func(id string) bool { return !slices.Contains(before, id) })
}

// strangers warns when the baseline has none of the items: it is of other ones, or
// its paths are told from another root.
func (b *Baseline) strangers(items []Item) []Warning {
	if b == nil || slices.ContainsFunc(items, func(i Item) bool { return b.paths[i.Shown] }) {
		return nil
	}
	return []Warning{{b.File, 1, "the baseline knows none of these items, so all findings are told; were its paths told from another --root?"}}
}
