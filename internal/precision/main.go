// Command precision draws findings of high and medium severity by a seed, or texts that the embedded rules propose,
// for reading each against its model (docs/regime-precision.md). It writes JSON lines. The same paths, seed and number
// give the same findings.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline"
)

// drawn is a line of the output.
type drawn struct {
	N        int              `json:"n"`
	Rule     string           `json:"rule"` // the rule it was drawn for
	Rules    []string         `json:"rules"`
	Severity finding.Severity `json:"severity"`
	Item     string           `json:"item"`
	Table    string           `json:"table"`
	Object   string           `json:"object"`
	Place    string           `json:"place"`
	Message  string           `json:"message"`
	Evidence string           `json:"evidence"`
	// Of is how many findings of high or medium severity have the rule.
	Of int `json:"of"`
}

func main() {
	seed := flag.Uint64("seed", 1, "the seed")
	n := flag.Int("n", 400, "how many findings to draw at most")
	regime := flag.String("regime", readiness.Current().ID, "the id of the regime")
	proposed := flag.Bool("texts", false, "draw texts that the embedded rules propose in place of findings")
	flag.Parse()
	if *proposed {
		if err := drawTexts(os.Stdout, *seed, *n, flag.Args()); err != nil {
			fmt.Fprintln(os.Stderr, "precision:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(os.Stdout, *regime, *seed, *n, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "precision:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, regime string, seed uint64, n int, paths []string) error {
	r, known := readiness.Find(regime)
	if !known {
		return fmt.Errorf("there is no regime %q", regime)
	}
	if len(paths) == 0 {
		return errors.New("give the folders of the models")
	}
	items, _, err := offline.Find(context.Background(), ".", paths)
	if err != nil {
		return err
	}
	a, err := offline.Assess(context.Background(), items, offline.AssessOptions{Regime: r, MinSeverity: finding.Medium})
	if err != nil {
		return err
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for _, d := range draw(a, seed, n) {
		if err := out.Encode(d); err != nil {
			return err
		}
	}
	return nil
}

// draw takes one finding of every rule in turn, so that rare rules are read too. A finding of several rules
// belongs to the first of them.
func draw(a *offline.Assessment, seed uint64, n int) []drawn {
	byRule := map[string][]drawn{}
	for _, i := range a.Items {
		for _, f := range i.Findings {
			rule := f.RuleIDs[0]
			byRule[rule] = append(byRule[rule], drawn{
				Rule: rule, Rules: f.RuleIDs, Severity: f.Severity, Item: i.Path, Table: f.Table, Object: f.ObjectName,
				Place: fmt.Sprintf("%s:%d", f.File, f.Line), Message: f.Message, Evidence: f.Evidence,
			})
		}
	}
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a draw that others can repeat
	var rules []string
	for rule := range byRule {
		rules = append(rules, rule)
	}
	slices.Sort(rules)
	for _, rule := range rules {
		all := byRule[rule]
		for i := range all {
			all[i].Of = len(all)
		}
		random.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	}
	var taken []drawn
	for round := 0; len(taken) < n; round++ {
		before := len(taken)
		for _, rule := range rules {
			if all := byRule[rule]; round < len(all) && len(taken) < n {
				taken = append(taken, all[round])
			}
		}
		if len(taken) == before {
			break
		}
	}
	slices.SortStableFunc(taken, func(a, b drawn) int { return strings.Compare(a.Rule, b.Rule) })
	for i := range taken {
		taken[i].N = i + 1
	}
	return taken
}
