package measures

import (
	"slices"
	"strings"

	"readiness/definition/dax"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/datatypes"
	"readiness/domain/readiness/wording"
)

// inPercent selects the measures whose format multiplies by 100.
func inPercent(_ *model.Scope, m *model.Measure) bool {
	return datatypes.InPercent(m.Src.FormatString)
}

func hundredfold(_ *model.Scope, m *model.Measure) rule.Verdict {
	if !dax.TimesHundred(m.Src.Expression) {
		return rule.Verdict{}
	}
	return rule.Fails(1, "take * 100 out of its expression, as its format "+wording.QuotedText(m.Src.FormatString)+" multiplies by 100 too",
		"multiplied by 100, in the format %q", wording.Shown(m.Src.FormatString, wording.ShownText))
}

// sum is the sum that an expression yields, also scaled, of a variable or up to a day of the year: what each row adds, or the measure that
// is added up by day. Without either there is none.
type sum struct {
	row     *dax.Node
	measure *dax.Reference
	picked  bool // picks a day
}

// toDate are functions that add up a measure by day.
var toDate = wording.SetOf("TOTALYTD,TOTALQTD,TOTALMTD")

// sumIn finds the sum that an expression yields.
func sumIn(expression string) sum {
	n, _ := dax.Parse(expression)
	variables, byDay := map[string]*dax.Node{}, false
	for n != nil {
		for _, v := range n.Variables {
			variables[strings.ToLower(v.Name)] = v.Value
		}
		switch {
		case n.Kind == dax.NameNode && !n.Quoted:
			name := strings.ToLower(n.Text)
			n = variables[name]
			delete(variables, name) // its value knows variables before it only, so this ends
		case n.Kind == dax.SignNode && n.Text != "NOT":
			n = n.Parts[0]
		case n.Kind == dax.OperationNode && strings.Contains("+-*/", n.Text) && n.Parts[1].Kind == dax.NumberNode,
			n.Kind == dax.CallNode && n.Text == "DIVIDE" && len(n.Parts) > 1 && n.Parts[1].Kind == dax.NumberNode,
			n.Kind == dax.CallNode && n.Text == "CALCULATE" && len(n.Parts) > 0:
			n = n.Parts[0]
		case n.Kind == dax.CallNode && toDate[n.Text] && len(n.Parts) > 0:
			n, byDay = n.Parts[0], true
		case n.Kind == dax.CallNode && (n.Text == "SUM" && len(n.Parts) == 1 || n.Text == "SUMX" && len(n.Parts) == 2):
			return sum{row: n.Parts[len(n.Parts)-1], picked: picksDay(expression)}
		case n.Kind == dax.ColumnNode && byDay:
			return sum{measure: &n.Reference, picked: picksDay(expression)}
		default:
			return sum{}
		}
	}
	return sum{}
}

func picksDay(expression string) bool {
	return slices.ContainsFunc(dax.Read(expression).Calls, func(c dax.Call) bool { return picks[strings.ToUpper(c.Name)] })
}

// added is an expression, as the key of the sum in it.
type added string

// summedBy returns the only column whose values a measure adds up, or the stock that it adds up times something, nil for another
// measure, and whether the measure picks a day of them.
func summedBy(x *model.Scope, m *model.Measure) (summed *model.Column, picked bool) {
	read := func(m *model.Measure) sum {
		return model.Pure(x, added(m.Src.Expression), func(e added) sum { return sumIn(string(e)) })
	}
	s := read(m)
	if s.measure != nil {
		o := x.Names.Resolve(*s.measure, m.Table)
		if o == nil || o.Kind != model.MeasureKind {
			return nil, false
		}
		m = x.Names.ByIndex[o.Index]
		of := read(m)
		s = sum{row: of.row, picked: s.picked || of.picked}
	}
	if s.row == nil {
		return nil, false
	}
	references, plain := referencesIn(s.row)
	if len(references) != 1 && !plain {
		return nil, false
	}
	for _, r := range references {
		o := x.Names.Resolve(r, m.Table)
		if o == nil || x.Names.Columns[o.Index] == nil {
			continue
		}
		if c := x.Names.Columns[o.Index]; len(references) == 1 || wording.StockWord(c.Table.Words, c.Words) != "" {
			return c, s.picked
		}
	}
	return nil, false
}

// referencesIn returns the references of a node, and whether it only calculates with them and with constants.
func referencesIn(n *dax.Node) (all []dax.Reference, plain bool) {
	plain = n.Kind != dax.CallNode || n.Text == "RELATED"
	if n.Kind == dax.ColumnNode {
		all = append(all, n.Reference)
	}
	for _, part := range n.Parts {
		references, p := referencesIn(part)
		all, plain = append(all, references...), plain && p
	}
	return all, plain
}

func sumsColumn(x *model.Scope, m *model.Measure) bool {
	c, _ := summedBy(x, m)
	return c != nil
}

var (
	// picks are functions that choose the day that is summed, or average over days.
	picks = wording.SetOf("LASTDATE,FIRSTDATE,LASTNONBLANK,LASTNONBLANKVALUE,FIRSTNONBLANK,FIRSTNONBLANKVALUE,MAX,MAXX,MIN,TOPN,INDEX,AVERAGEX," +
		"ENDOFMONTH,ENDOFQUARTER,ENDOFYEAR,CLOSINGBALANCEMONTH,CLOSINGBALANCEQUARTER,CLOSINGBALANCEYEAR,OPENINGBALANCEMONTH," +
		"OPENINGBALANCEQUARTER,OPENINGBALANCEYEAR,DATESINPERIOD,SELECTEDVALUE,DISTINCTCOUNT")
	pricesAndRates = wording.SetOf("price,rate,temperature,cost,value")
)

// summedOverTime finds measures that add up what does not add up: stock over days, and prices and rates over anything.
func summedOverTime(x *model.Scope, m *model.Measure) rule.Verdict {
	c, picked := summedBy(x, m)
	column := model.QuotedColumn(c)
	if w := wording.Unadded(c.Words); w != "" && pricesAndRates[wording.LastWord(strings.Fields(w))] && !datatypes.IsPaid(c) {
		return rule.Fails(1, "average "+column+" in place of its sum, or multiply it by the quantity of each row, as its name says "+w,
			"the sum of %s", column)
	}
	if w := wording.StockWord(c.Table.Words, c.Words); w != "" && !picked && (c.Table.Dated || hasDate(c.Table)) {
		return rule.Fails(1, "take the value of the last day in place of the sum over days, as by LASTNONBLANK, for "+column+
			" is counted again each day ("+w+")", "the sum of %s over days", column)
	}
	return rule.Verdict{}
}

func hasDate(t *model.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c *model.Column) bool { return c.Is("dateTime") })
}
