//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// column is one of the table's, and of the graph's lines.
type column struct {
	name string
	of   func(r row) float64
}

func perSecond(n int64, r row) float64 { return float64(n) / r.lasted.Seconds() }

// columns are those of the table, in order.
func columns() []column {
	all := []column{
		{"seconds", func(r row) float64 { return r.at.Seconds() }},
		{"factor", func(r row) float64 { return r.factor }},
	}
	for k := range kinds {
		all = append(all,
			column{kindNames[k] + " asked/s", func(r row) float64 { return perSecond(r.calls[k].asked, r) }},
			column{kindNames[k] + " answered/s", func(r row) float64 { return perSecond(r.calls[k].answered, r) }},
			column{kindNames[k] + " shed/s", func(r row) float64 { return perSecond(r.calls[k].shed, r) }},
			column{kindNames[k] + " refused/s", func(r row) float64 { return perSecond(r.calls[k].refused, r) }},
			column{kindNames[k] + " failed/s", func(r row) float64 { return perSecond(r.calls[k].failed, r) }},
			column{kindNames[k] + " p50 ms", func(r row) float64 { return milliseconds(r.calls[k].quantile(.5)) }},
			column{kindNames[k] + " p99 ms", func(r row) float64 { return milliseconds(r.calls[k].quantile(.99)) }},
		)
	}
	return append(all,
		column{"views counted/s", func(r row) float64 { return perSecond(r.recorded, r) }},
		column{"views dropped/s", func(r row) float64 { return perSecond(r.dropped, r) }},
		column{"assessed/s", func(r row) float64 { return perSecond(r.assessed, r) }},
		column{"program cores", func(r row) float64 { return r.program }},
		column{"PostgreSQL cores", func(r row) float64 { return r.database }},
		column{"sender cores", func(r row) float64 { return r.sender }},
		column{"program MiB", func(r row) float64 { return float64(r.memory) / (1 << 20) }},
		column{"steps waiting", func(r row) float64 { return float64(r.steps) }},
		column{"oldest step s", func(r row) float64 { return r.oldest.Seconds() }},
		column{"view lag events", func(r row) float64 { return float64(r.lag) }},
		column{"log position", func(r row) float64 { return float64(r.position) }},
		column{"database MiB", func(r row) float64 { return float64(r.bytes) / (1 << 20) }},
		column{"hour counters", func(r row) float64 { return float64(r.counters) }},
	)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// named returns the column of the name.
func named(name string) column {
	all := columns()
	return all[slices.IndexFunc(all, func(c column) bool { return c.name == name })]
}

// tableOf returns the rows as tab-separated values, with a line of names.
func tableOf(rows []row) string {
	var b strings.Builder
	all := columns()
	for i, c := range all {
		fmt.Fprint(&b, separator(i), c.name)
	}
	for _, r := range rows {
		fmt.Fprintln(&b)
		for i, c := range all {
			fmt.Fprintf(&b, "%s%s", separator(i), short(c.of(r)))
		}
	}
	return b.String() + "\n"
}

func separator(i int) string {
	if i == 0 {
		return ""
	}
	return "\t"
}

// short returns a number with at most two decimals.
func short(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}

// summary states the outcomes of all calls, and the highest value of each column.
func (l *load) summary(rows []row, done sum) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d models, %d people, factors %v, %s; everything had ended %s after the last row\n", l.tenant.models, l.tenant.people,
		l.factors, l.lasts, done.took.Round(time.Second/10))
	for k := range kinds {
		c := l.counts[k].now()
		fmt.Fprintf(&b, "%s: %d asked, %d answered, %d shed, %d refused, %d failed, ", kindNames[k], c.asked, c.answered, c.shed, c.refused,
			c.failed)
		fmt.Fprintf(&b, "p50 %s, p99 %s\n", c.quantile(.5).Round(time.Millisecond/10), c.quantile(.99).Round(time.Millisecond/10))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(&b, "refused and failed: %v\noutcomes of views: %v\nmost:", l.causes, done.outcomes)
	for _, c := range columns()[2:] {
		most := 0.0
		for _, r := range rows {
			most = max(most, c.of(r))
		}
		fmt.Fprintf(&b, " %s %s;", c.name, short(most))
	}
	return b.String() + "\n"
}
