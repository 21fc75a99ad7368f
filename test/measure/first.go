package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"readiness/domain/item"
	"readiness/offline"
	"readiness/offline/report"
)

// firstRules is how many rules of a model count as its first ones.
const firstRules = 6

// first says how often each rule is among the first ones of the models in a folder: among the steps of "What to do first", where
// all proposals are one step, and in the list of rules.
func first(root string) error {
	items, _, err := offline.Find(context.Background(), root, []string{root})
	if err != nil {
		return err
	}
	a, err := offline.Assess(context.Background(), items, offline.AssessOptions{})
	if err != nil {
		return err
	}
	models, steps, rules := 0, map[string]int{}, map[string]int{}
	for _, i := range a.Items {
		all := report.Listing{}.First(i)
		if len(all) == 0 || i.Type != item.SemanticModel {
			continue
		}
		models++
		fmt.Println(i.Path)
		for _, s := range all {
			steps[s.Rule()]++
			fmt.Printf("  %s %-7s %s %.100s\n", s.Points(), s.Effort, s.Rule(), s.What)
		}
		groups := report.Listing{}.Groups(i, i.Findings)
		for _, g := range groups[:min(firstRules, len(groups))] {
			rules[g.Rule]++
		}
	}
	for title, counts := range map[string]map[string]int{"steps": steps, "rules": rules} {
		fmt.Printf("\nAmong the first %d %s of %d models:\n", firstRules, title, models)
		names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
			return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
		})
		for _, name := range names[:min(2*firstRules, len(names))] {
			fmt.Printf("  %-8s %3.0f %%\n", name, 100*float64(counts[name])/float64(models))
		}
	}
	return nil
}
