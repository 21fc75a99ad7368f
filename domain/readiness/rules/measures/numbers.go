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

// summedBy returns the only column whose values a measure adds up, nil for another measure, and whether the measure picks a day of them.
func summedBy(x *model.Scope, m *model.Measure) (summed *model.Column, picked bool) {
	if call := x.ResultCall(m); call != "SUM" && call != "SUMX" {
		return nil, false
	}
	for _, c := range dax.Read(m.Src.Expression).Calls {
		name := strings.ToUpper(c.Name)
		picked = picked || picks[name]
		if name != "SUM" && name != "SUMX" {
			continue
		}
		if len(c.References) != 1 {
			return nil, false
		}
		if o := x.Names.Resolve(c.References[0], m.Table); o != nil {
			summed = x.Names.Columns[o.Index]
		}
	}
	return summed, picked
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
	pricesAndRates = wording.SetOf("price,rate,temperature")
)

// summedOverTime finds measures that add up what does not add up: stock over days, and prices and rates over anything.
func summedOverTime(x *model.Scope, m *model.Measure) rule.Verdict {
	c, picked := summedBy(x, m)
	column := model.QuotedColumn(c)
	if w := wording.StockWord(c.Table.Words, c.Words); w != "" && !picked && (c.Table.Dated || hasDate(c.Table)) {
		return rule.Fails(1, "take the value of the last day in place of the sum over days, as by LASTNONBLANK, for "+column+
			" is counted again each day ("+w+")", "the sum of %s over days", column)
	}
	if w := wording.Unadded(c.Words); w != "" && pricesAndRates[wording.LastWord(strings.Fields(w))] && !datatypes.IsPaid(c) {
		return rule.Fails(1, "average "+column+" in place of its sum, or multiply it by the quantity of each row, as its name says "+w,
			"the sum of %s", column)
	}
	return rule.Verdict{}
}

func hasDate(t *model.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c *model.Column) bool { return c.Is("dateTime") })
}
