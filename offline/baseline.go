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

// Baseline is an earlier assessment, as WriteJSON wrote it.
type Baseline struct {
	File string
	// Regime is the regime of that assessment.
	Regime string
	paths  map[string]bool
	rules  map[known][]string
}

// known identifies a finding of the baseline. Lines are not part of it.
type known struct {
	path, dimension string
	readiness.Key
}

// ReadBaseline reads the output of WriteJSON.
func ReadBaseline(file string) (*Baseline, error) {
	shown := filepath.ToSlash(file)
	data, err := readFile(file, maxBaseline)
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
	b := &Baseline{File: shown, Regime: written.Regime, paths: map[string]bool{}, rules: map[known][]string{}}
	for _, i := range written.Items {
		b.paths[i.Path] = true
		for _, f := range i.Findings {
			b.rules[known{i.Path, f.Dimension, f.Key}] = f.RuleIDs
		}
	}
	return b, nil
}

// knows reports whether the baseline contains the finding with every rule that it has now. A nil baseline contains
// nothing.
func (b *Baseline) knows(path string, f readiness.Finding) bool {
	if b == nil {
		return false
	}
	before, ok := b.rules[known{path, f.Dimension, f.Key}]
	return ok && !slices.ContainsFunc(f.RuleIDs, func(id string) bool { return !slices.Contains(before, id) })
}

// strangers warns if the baseline contains none of the items: it may be about other items or relative to another root.
func (b *Baseline) strangers(items []Item) []Warning {
	if b == nil || slices.ContainsFunc(items, func(i Item) bool { return b.paths[i.Shown] }) {
		return nil
	}
	return []Warning{{b.File, 1, "the baseline contains none of these items, so all findings are reported; was it created with " +
		"another --root?"}}
}
