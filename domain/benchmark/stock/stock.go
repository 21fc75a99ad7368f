// Package stock finds the measures of a semantic model that are about stock: pieces in a warehouse, balances, people employed. Their
// rows count the same things again on each day, so that a value added up over the days counts each thing many times. It decides by
// names, relationships and the calls of expressions, and reads no data.
package stock

import (
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/benchmark/modelquery"
)

// Measure says what a measure does with stock.
type Measure struct {
	// Table has the rows, and Date is its column of their days, "" if several could be.
	Table, Date string
	// Sums reports whether the measure adds them up over every day that is not filtered out. Otherwise it needs a time to say
	// something: it takes the last day of the calendar, compares with another time, or counts each thing once.
	Sums bool
}

// Stocks are the measures and tables of a model that are about stock.
type Stocks struct {
	measures map[string]Measure
	days     map[string]string // of tables of stock, their column of days
	dates    map[string]bool   // the date tables
}

// Of returns what a measure does with stock; false if it reads none, or chooses the day itself.
func (s Stocks) Of(measure string) (Measure, bool) {
	m, ok := s.measures[spelling.Fold(measure)]
	return m, ok
}

// CountedOn returns the column of the days on which a table counts the same things again; "" for any other table.
func (s Stocks) CountedOn(table string) string { return s.days[spelling.Fold(table)] }

// Misleads reports whether a query adds up stock, or lacks the time without which a measure of stock says nothing.
func (s Stocks) Misleads(q modelquery.Query) bool {
	isTime := func(f modelquery.Field) bool { return s.dates[spelling.Fold(f.Table)] }
	timed := slices.ContainsFunc(q.Groupings, isTime) ||
		slices.ContainsFunc(q.Filters, func(f modelquery.Filter) bool { return isTime(f.Field) })
	return slices.ContainsFunc(q.Measures, func(m modelquery.Field) bool {
		of, is := s.Of(m.Name)
		return is && (of.Sums || !timed)
	})
}

type words map[string]bool

func wordsOf(list string) words {
	set := words{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func (set words) in(name string) bool {
	return slices.ContainsFunc(modelquery.Words(name), func(w string) bool { return set[w] })
}

// The words by which names say that rows are counted again. dayWords are all that a column of their days is named with, besides the
// words of its table: a date of hiring or posting is that of an event.
var (
	tableWords = wordsOf("snapshot snapshots stock stocks inventory inventories balance balances headcount headcounts holdings")
	nameWords  = wordsOf("stock inventory headcount fte equivalents")
	eventWords = wordsOf("movement movements transaction transactions entry entries receipt receipts adjustment adjustments posting " +
		"postings journal orders order hires leavers sales purchases deliveries shipments")
	dayWords = wordsOf("snapshot snapshots as of at the on date day week month quarter year period end ending counted count key " +
		"report reporting")
)

// Functions by what they do with the days of such rows.
var (
	pickers = wordsOf("LASTDATE FIRSTDATE ENDOFMONTH ENDOFQUARTER ENDOFYEAR CLOSINGBALANCEMONTH CLOSINGBALANCEQUARTER " +
		"CLOSINGBALANCEYEAR OPENINGBALANCEMONTH OPENINGBALANCEQUARTER OPENINGBALANCEYEAR")
	shifts = wordsOf("SAMEPERIODLASTYEAR DATEADD PARALLELPERIOD PREVIOUSDAY PREVIOUSMONTH PREVIOUSQUARTER PREVIOUSYEAR " +
		"DATESYTD DATESQTD DATESMTD DATESINPERIOD TOTALYTD TOTALQTD TOTALMTD")
	choices = wordsOf("LASTNONBLANK LASTNONBLANKVALUE FIRSTNONBLANK FIRSTNONBLANKVALUE MAX MAXX MIN MINX AVERAGEX MEDIANX " +
		"LASTDATE FIRSTDATE TOPN INDEX")
	additions = wordsOf("SUM SUMX COUNTROWS COUNT COUNTA COUNTX COUNTAX")
	distincts = wordsOf("DISTINCTCOUNT DISTINCTCOUNTNOBLANK")
)

// reader finds the stock of a model.
type reader struct {
	Stocks
	expressions map[string]string // of measures
	neutral     map[string]string // by table with one column of neutral days that relates it to a date table, "" with several
}

// Find finds the stock of a model. dates are its date tables; over returns the tables whose rows a measure reads.
func Find(m *semanticmodel.Model, dates []string, over func(measure string) []string) Stocks {
	r := reader{Stocks{map[string]Measure{}, map[string]string{}, map[string]bool{}}, map[string]string{}, map[string]string{}}
	for _, t := range dates {
		r.dates[spelling.Fold(t)] = true
	}
	r.relate(m.Relationships)
	for _, t := range m.Tables {
		r.table(t)
		for _, x := range t.Measures {
			r.expressions[spelling.Fold(x.Name)] = x.Expression
		}
	}
	for _, t := range m.Tables {
		for _, x := range t.Measures {
			if of, is := r.measure(x.Name, over(x.Name)); is {
				r.measures[spelling.Fold(x.Name)] = of
			}
		}
	}
	return r.Stocks
}

func (r reader) relate(all []semanticmodel.Relationship) {
	for _, x := range all {
		if !x.IsActive || !r.dates[spelling.Fold(x.ToTable)] || !isDay(x.FromTable, x.FromColumn) {
			continue
		}
		table := spelling.Fold(x.FromTable)
		if _, two := r.neutral[table]; two {
			r.neutral[table] = ""
			continue
		}
		r.neutral[table] = x.FromColumn
	}
}

// table notes a table of stock: its name, its description or its column of days says so.
func (r reader) table(t semanticmodel.Table) {
	name := spelling.Fold(t.Name)
	day, dated := r.neutral[name]
	for _, c := range t.Columns {
		if !dated && c.DataType == semanticmodel.DateTime && tableWords.in(c.Name) && isDay(t.Name, c.Name) {
			day, dated = c.Name, true
		}
	}
	r.neutral[name] = day
	if !dated {
		delete(r.neutral, name)
	}
	says := strings.Contains(strings.ToLower(t.Description), "snapshot") || tableWords.in(t.Name) || tableWords.in(day)
	if dated && says && !eventWords.in(t.Name) {
		r.days[name] = day
	}
}

// isDay reports whether the name of a column says no more than that it is a day, or the day of a count.
func isDay(table, column string) bool {
	of := modelquery.Words(table)
	return !slices.ContainsFunc(modelquery.Words(column), func(w string) bool {
		return !dayWords[w] && !tableWords[w] && !slices.Contains(of, w)
	})
}

// measure returns what a measure does with stock.
func (r reader) measure(name string, over []string) (m Measure, is bool) {
	for _, t := range over {
		day, stock := r.days[spelling.Fold(t)]
		if neutral, dated := r.neutral[spelling.Fold(t)]; !stock && dated && len(over) == 1 && nameWords.in(name) && !eventWords.in(t) {
			day, stock = neutral, true
		}
		if stock {
			m, is = Measure{Table: t, Date: day}, true
		}
	}
	if !is {
		return Measure{}, false
	}
	sums, needs := false, false
	for _, c := range r.callsOf(name) {
		function := strings.ToUpper(c.Name)
		chooses := func(ref dax.Reference) bool {
			own := strings.EqualFold(ref.Table, m.Table) && strings.EqualFold(ref.Name, m.Date)
			return ref.Qualified && (own || r.dates[spelling.Fold(ref.Table)] && !pickers[function])
		}
		if choices[function] && slices.ContainsFunc(c.References, chooses) {
			return Measure{}, false
		}
		sums = sums || additions[function]
		needs = needs || pickers[function] || shifts[function] || distincts[function]
	}
	m.Sums = sums && !needs && dax.ResultCall(r.expressions[spelling.Fold(name)]) != "DIVIDE"
	if len(over) > 1 {
		m.Date = "" // another table must not be cut to one day
	}
	return m, sums || needs
}

// maxCalls bounds the measures that one refers to.
const maxCalls = 500

// callsOf returns the calls of a measure and of those that it refers to.
func (r reader) callsOf(name string) (calls []dax.Call) {
	seen := map[string]bool{spelling.Fold(name): true}
	for next := []string{spelling.Fold(name)}; len(next) > 0 && len(seen) < maxCalls; next = next[1:] {
		read := dax.Read(r.expressions[next[0]])
		calls = append(calls, read.Calls...)
		for _, ref := range read.References {
			to := spelling.Fold(ref.Name)
			if _, known := r.expressions[to]; !ref.Qualified && known && !seen[to] {
				seen[to] = true
				next = append(next, to)
			}
		}
	}
	return calls
}
