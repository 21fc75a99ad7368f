package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// head begins the table in the page; the table ends at the first line that is no row.
const head = "| What | Figure | Goal | Command | Measured |\n|---|---|---|---|---|\n"

// row is a line of the table. What names it.
type row struct{ what, figure, goal, command, measured string }

func (r row) String() string {
	return fmt.Sprintf("| %s | %s | %s | `%s` | %s |", r.what, r.figure, r.goal, r.command, r.measured)
}

// rows are those of a benchmark's output.
func (r benchmark) rows(out []byte, measured string) (all []row, err error) {
	got := metrics(out)
	for _, f := range r.figures {
		values := got[f.sub][f.unit]
		if len(values) == 0 {
			return nil, fmt.Errorf("%s printed no %s of %q", r, f.unit, f.sub)
		}
		slices.Sort(values)
		all = append(all, row{f.what, f.shown(values), f.goalOf(values), r.String(), measured})
	}
	return all, nil
}

// shown is the range of the values, which are sorted, with the unit.
func (f figure) shown(values []float64) string {
	scale, unit := f.scale()
	low, high := number(values[0]*scale), number(values[len(values)-1]*scale)
	if low != high {
		low += "–" + high
	}
	return strings.TrimSpace(low + " " + unit)
}

// goalOf says the goal, and whether the median of the values misses it.
func (f figure) goalOf(values []float64) string {
	if f.goal == 0 {
		return ""
	}
	scale, unit := f.scale()
	middle := values[len(values)/2] * scale
	sign, missed := "≥ ", middle < f.goal
	if f.most {
		sign, missed = "≤ ", middle > f.goal
	}
	said := sign + strconv.FormatFloat(f.goal, 'f', -1, 64)
	if !strings.HasPrefix(unit, "of ") {
		said = strings.TrimSpace(said + " " + unit)
	}
	if missed {
		said += ", missed"
	}
	return said
}

// check returns an error for each checked figure that is below half its goal in every round.
func (r benchmark) check(out []byte) error {
	var failed error
	got := metrics(out)
	for _, f := range r.figures {
		if values := slices.Sorted(slices.Values(got[f.sub][f.unit])); f.checked && values[len(values)-1] < f.goal/2 {
			failed = errors.Join(failed, fmt.Errorf("%s: %s is below half of the goal %g: it takes twice as long as it may",
				r, f.shown(values), f.goal))
		}
	}
	return failed
}

// scale returns what a value is multiplied with, and the unit that it then has.
func (f figure) scale() (float64, string) {
	switch {
	case f.unit == "ns/op" && f.seconds:
		return 1e-9, "s"
	case f.unit == "ns/op":
		return 1e-6, "ms"
	case strings.HasPrefix(f.unit, "of-"):
		return 1, "of " + strings.ReplaceAll(strings.TrimPrefix(f.unit, "of-"), "-", " ")
	case strings.HasSuffix(f.unit, "-of-open"):
		return 1, "of open texts"
	}
	return 1, f.unit[strings.LastIndex(f.unit, "-")+1:]
}

// number has two digits that count, and no fraction from a hundred on.
func number(x float64) string {
	digits := 2
	switch {
	case x >= 10:
		digits = 0
	case x >= 1:
		digits = 1
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// rewrite puts rows into the table of a page, in the order of runs. Rows that no run has are removed.
func rewrite(page string, rows []row) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, table, found := strings.Cut(string(text), head)
	if !found {
		return fmt.Errorf("%s has no line %q", page, strings.SplitN(head, "\n", 2)[0])
	}
	kept, after := map[string]string{}, table
	for strings.HasPrefix(after, "|") {
		line, rest, _ := strings.Cut(after, "\n")
		what, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		kept[what], after = line, rest
	}
	for _, r := range rows {
		kept[r.what] = r.String()
	}
	var b strings.Builder
	b.WriteString(before + head)
	for _, r := range runs {
		for _, f := range r.figures {
			if line := kept[f.what]; line != "" {
				b.WriteString(line + "\n")
			}
		}
	}
	b.WriteString(after)
	return os.WriteFile(page, []byte(b.String()), 0o644) //nolint:gosec // a document
}
