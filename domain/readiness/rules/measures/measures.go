// Package measures has the rules that judge whether the numbers that people ask for exist as
// measures, without duplicates, in readable form, and with expressions that can work.
package measures

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	nfc "golang.org/x/text/unicode/norm"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/rules/datatypes"
	"readiness/domain/readiness/rules/naming"
	"readiness/domain/readiness/rules/visibility"
	"readiness/domain/readiness/wording"
)

// Rules judge whether the numbers that people ask for exist as measures, without
// duplicates and in readable form.
var Rules = []rule.Rule{
	// MEA-01: a model with facts or numbers has measures, at least one for each fact
	// table.
	{ID: "MEA-01", Weight: 3, Severity: finding.High, Check: rule.Stating(rule.OnModel(hasNumbers, enoughMeasures))},
	// MEA-02: columns that can be summed are used by a measure.
	{ID: "MEA-02", Weight: 2, Severity: finding.Medium,
		Check: rule.Among(rule.Where(rule.ExposedColumns, onlySummable), unmeasured)},
	// MEA-03: every measure has a format.
	{ID: "MEA-03", Weight: 3, Severity: finding.Medium,
		Check: rule.Each(rule.Where(rule.ExposedMeasures, yieldsNumber), unformattedNumber)},
	// MEA-04: many measures in one table are in display folders.
	{ID: "MEA-04", Weight: 2, Severity: finding.Low, Fixes: []finding.FixKind{finding.Properties}, Layout: true,
		Check: rule.Stating(unfiled,
			strconv.Itoa(unfiledMeasures)+" at most need none")},
	// MEA-05: no measure duplicates another one.
	{ID: "MEA-05", Weight: 2, Severity: finding.Medium, Fixes: []finding.FixKind{finding.AIDataSchema},
		Check: rule.Among(rule.ExposedMeasures, namedDuplicate)},
	// MEA-06: names distinguish the measures.
	{ID: "MEA-06", Weight: 1, Severity: finding.Low, Fixes: []finding.FixKind{finding.AIDataSchema, finding.AIInstructions},
		Check: rule.Among(rule.ExposedMeasures, namedAlike)},
	{ID: "MEA-07", Weight: 4, Severity: finding.High, Check: unsound},
	{ID: "MEA-08", Weight: 1, Severity: finding.Low, Check: rule.Each(rule.ExposedMeasures, unsafeDivision)},
	// MEA-09: a percent format shows a number that is not multiplied by 100 already.
	{ID: "MEA-09", Weight: 2, Severity: finding.High, Check: rule.Each(rule.Where(rule.ExposedMeasures, inPercent), hundredfold)},
	// MEA-10: what is counted again each day, and what is a price or a rate, is not summed.
	{ID: "MEA-10", Weight: 2, Severity: finding.Medium, Check: rule.Each(rule.Where(rule.ExposedMeasures, sumsColumn), summedOverTime)},
}

func hasNumbers(x *model.Scope) bool {
	return x.Facts > 0 || slices.ContainsFunc(x.C, func(c *model.Column) bool { return c.Numeric() && !c.Key })
}

func enoughMeasures(x *model.Scope) rule.Verdict {
	switch n := len(x.M); {
	case n == 0:
		return rule.Fails(1, "add measures for the numbers people ask for, so that an AI need not invent them", "no measure is exposed")
	case n < x.Facts:
		return rule.Fails(0.5, "add measures: at least one for each fact table", "%s for %s", wording.Count(n, "measure"),
			wording.Count(x.Facts, "fact table"))
	}
	return rule.Verdict{}
}

func summable(_ *model.Scope, c *model.Column) bool {
	return c.Numeric() && c.Table.Fact() && !c.Key && c.Summed()
}

func unmeasured(x *model.Scope, _ []*model.Column) func(*model.Column) rule.Verdict {
	return func(c *model.Column) rule.Verdict {
		if c.Used {
			return rule.Verdict{}
		}
		return rule.Fails(1, "add a measure that aggregates it, or set its summarizeBy to none",
			"no measure refers to it, summarizeBy is %s",
			datatypes.SummarizeBy(c))
	}
}

func unformatted(_ *model.Scope, m *model.Measure) rule.Verdict {
	if wording.Length(m.Src.FormatString) == 0 && wording.Length(m.Src.FormatStringDefinition) == 0 {
		return rule.Fails(1, "set a format string that shows its unit and decimals", "no format string")
	}
	return rule.Verdict{}
}

// unfiledMeasures is how many exposed measures a table may have without display
// folders.
const unfiledMeasures = 10

func unfiled(x *model.Scope, say func(model.Judged, rule.Verdict)) {
	siblings := map[*model.Table]int{}
	for _, m := range x.M {
		siblings[m.Table]++
	}
	for _, m := range x.M {
		switch n := siblings[m.Table]; {
		case n <= unfiledMeasures:
		case wording.Length(m.Src.DisplayFolder) == 0:
			say(m, rule.Fails(1, "file it in a display folder", "no display folder among %s of table %s", wording.Count(n, "measure"),
				wording.Quoted(m.Table.Src.Name)))
		default:
			say(m, rule.Verdict{})
		}
	}
}

var aggregateWords = wording.SetOf("total,sum,of,amount,the,value")

// similar returns a function that finds, for a measure, another one whose name means the
// same: the set of its words without those that say nothing about the quantity.
func similar(measures []*model.Measure, words func(*model.Measure) []string) func(*model.Measure) *model.Measure {
	meaning := map[*model.Measure]string{}
	bearers := map[string][]*model.Measure{} // the first two measures of each meaning
	for _, m := range measures {
		kept := slices.DeleteFunc(words(m), func(w string) bool { return aggregateWords[w] })
		if len(kept) == 0 {
			continue
		}
		slices.Sort(kept)
		key := wording.JoinWords(slices.Compact(kept))
		meaning[m] = key
		if len(bearers[key]) < 2 {
			bearers[key] = append(bearers[key], m)
		}
	}
	return func(m *model.Measure) *model.Measure {
		for _, other := range bearers[meaning[m]] {
			if other != m {
				return other
			}
		}
		return nil
	}
}

func onlySummable(x *model.Scope, c *model.Column) bool {
	return summable(x, c) && !datatypes.IsUnsummed(x, c)
}

// yieldsNumber reports whether a measure may need a format: it does not yield text, also
// by the columns and measures that it refers to, and VIS-03 does not hide it.
func yieldsNumber(x *model.Scope, m *model.Measure) bool {
	return !yieldsText(x, m) && visibility.HelperOf(x, &m.Object).Reason == ""
}

var countingFunctions = wording.SetOf("COUNTROWS,COUNT,COUNTA,COUNTX,COUNTAX,DISTINCTCOUNT,DISTINCTCOUNTNOBLANK")

// unformattedNumber finds a violation of 0.5 in a count without a format, which is readable. The severity is low for a measure
// whose name says count.
func unformattedNumber(x *model.Scope, m *model.Measure) rule.Verdict {
	v := unformatted(x, m)
	if v.Violation == 0 {
		return v
	}
	call := x.ResultCall(m)
	if countingFunctions[call] {
		return rule.Fails(0.5, "set a format string for integers, such as #,0, as it counts", "no format string, its result is %s", call)
	}
	if naming.CallsCount(m) {
		v.Severity = finding.Low
	}
	return v
}

type textsKey struct{}

// yieldsText follows references to columns of text or of an unknown type, and to measures.
// Measures in a circle yield no text.
func yieldsText(x *model.Scope, m *model.Measure) bool {
	known := model.Remembered(x, textsKey{}, func() map[*model.Object]bool { return map[*model.Object]bool{} })
	if text, done := known[&m.Object]; done {
		return text
	}
	known[&m.Object] = false // while it is being read
	texts := dax.Texts{
		Column: func(r dax.Reference) bool {
			o := x.Names.Resolve(r, m.Table)
			return o != nil && o.Kind == model.ColumnKind && x.Names.Columns[o.Index].Is(semanticmodel.String, "")
		},
		Measure: func(name string) bool {
			o := x.Names.Resolve(dax.Reference{Name: name}, m.Table)
			return o != nil && o.Kind == model.MeasureKind && yieldsText(x, x.Names.ByIndex[o.Index])
		},
	}
	text := texts.Yields(m.Src.Expression)
	known[&m.Object] = text
	return text
}

func namedDuplicate(x *model.Scope, measures []*model.Measure) func(*model.Measure) rule.Verdict {
	find := repeats(x, measures)
	return func(m *model.Measure) rule.Verdict {
		switch r := find(m); {
		case r.Measure == nil:
			return rule.Verdict{}
		case r.negation:
			return rule.Fails(0.5, "leave it or "+measureName(r.Measure)+" out of what an AI sees, or say in both descriptions which sign "+
				"is for what", "%s with the other sign", measureName(r.Measure))
		case r.half:
			return rule.Fails(0.5,
				"keep it only if people need "+measureName(r.Measure)+" in its format too, and say so in its description",
				"same result as %s, format %q in place of %q", measureName(r.Measure), wording.Shown(m.Src.FormatString, wording.ShownText),
				wording.Shown(r.Src.FormatString, wording.ShownText))
		case r.alias:
			return rule.Fails(1, "leave it out of what an AI sees, as it only repeats "+measureName(r.Measure), "the expression is [%s]",
				wording.Shown(r.Name, wording.ShownName))
		default:
			return rule.Fails(1, "keep it or "+measureName(r.Measure)+", and leave the other out of what an AI sees",
				"same expression as %s",
				measureName(r.Measure))
		}
	}
}

// repeated is a measure that another one repeats.
type repeated struct {
	*model.Measure
	alias    bool // the other's expression is its name
	half     bool // both have a format, and not the same one
	negation bool // with the other sign
}

// Expressions, as keys of what is made of them.
type (
	canonical string
	negated   string
	divided   string
)

// repeats returns a function that finds the measure that another one repeats: the first by name of those before it with the same
// expression, else the one that is its expression. A repetition with violation 1 takes precedence over one with 0.5.
func repeats(x *model.Scope, measures []*model.Measure) func(*model.Measure) repeated {
	byName := slices.Clone(measures)
	slices.SortStableFunc(byName, func(a, b *model.Measure) int { return strings.Compare(a.Name, b.Name) })
	named := map[string]*model.Measure{}        // by name in lower case, as DAX compares names
	earliest := map[string]*model.Measure{}     // by expression
	formatted := map[[2]string]*model.Measure{} // the earliest by expression and format
	original := map[*model.Measure]repeated{}
	for _, m := range byName {
		if name := strings.ToLower(m.Name); named[name] == nil {
			named[name] = m
		}
		text := model.Pure(x, canonical(m.Src.Expression), func(e canonical) string { return dax.Canonical(string(e)) })
		if text == "" {
			continue
		}
		if m.Own { // the same text means another column elsewhere
			text = m.Table.Src.Name + wording.WordBreak + text
		}
		same := [2]string{text, strings.TrimSpace(m.Src.FormatString)}
		switch first := earliest[text]; {
		case first == nil:
			earliest[text] = m
		case !otherFormat(m, first):
			original[m] = repeated{Measure: first}
		default:
			full := earlier(formatted[same], formatted[[2]string{text, ""}])
			original[m] = repeated{Measure: cmp.Or(full, first), half: full == nil}
		}
		formatted[same] = cmp.Or(formatted[same], m)
		if original[m].Measure == nil && !m.Own {
			for _, other := range model.Pure(x, negated(m.Src.Expression), func(e negated) []string { return dax.Negations(string(e)) }) {
				if first := earliest[other]; first != nil {
					original[m] = repeated{Measure: first, negation: true}
				}
			}
		}
	}
	negatedMeasure := func(m *model.Measure) *model.Measure {
		for _, other := range model.Pure(x, negated(m.Src.Expression), func(e negated) []string { return dax.Negations(string(e)) }) {
			if name, bare := dax.BareReference(other); bare && named[strings.ToLower(name)] != m {
				return named[strings.ToLower(name)]
			}
		}
		return nil
	}
	return func(m *model.Measure) repeated {
		r := original[m]
		if r.Measure == nil {
			r.Measure = negatedMeasure(m)
			r.negation = r.Measure != nil
		}
		name, bare := dax.BareReference(m.Src.Expression)
		if !bare || r.Measure != nil && !r.half {
			return r
		}
		other := named[strings.ToLower(name)]
		if other == nil || other == m || r.Measure != nil && otherFormat(m, other) {
			return r
		}
		return repeated{Measure: other, alias: true, half: otherFormat(m, other)}
	}
}

// earlier returns the first by name of two measures. Either may be nil.
func earlier(a, b *model.Measure) *model.Measure {
	if a == nil || b != nil && b.Name < a.Name {
		return b
	}
	return a
}

// otherFormat reports whether two measures both have a format, and not the same one.
func otherFormat(a, b *model.Measure) bool {
	one, two := strings.TrimSpace(a.Src.FormatString), strings.TrimSpace(b.Src.FormatString)
	return one != "" && two != "" && one != two
}

func measureName(m *model.Measure) string { return wording.LowerFirst(model.Title(&m.Object)) }

// signs maps words and signs of measure names that mean the same.
var signs = map[string]string{"pct": "%", "percent": "%", "percentage": "%", "count": "#", "number": "#", "∆": "δ"}

// meaningOf returns the words of a name and the signs in it.
func meaningOf(m *model.Measure) []string {
	all := slices.Clone(m.Words)
	for _, r := range nfc.NFC.String(m.Name) {
		if r == '%' || r == '#' || r == '∆' || unicode.Is(unicode.Sc, r) {
			all = append(all, string(r))
		}
	}
	for i, w := range all {
		if sign := signs[w]; sign != "" {
			all[i] = sign
		}
	}
	return all
}

func namedAlike(_ *model.Scope, measures []*model.Measure) func(*model.Measure) rule.Verdict {
	find := similar(measures, meaningOf)
	return func(m *model.Measure) rule.Verdict {
		if other := find(m); other != nil {
			return rule.Fails(0.5,
				"say in the instructions when to use it and when "+measureName(other)+", or leave one of them out of what an AI sees",
				"hardly differs from %s", measureName(other))
		}
		return rule.Verdict{}
	}
}

func unsafeDivision(x *model.Scope, m *model.Measure) rule.Verdict {
	if !model.Pure(x, divided(m.Src.Expression), func(e divided) bool { return dax.DividesByUnknown(string(e)) }) {
		return rule.Verdict{}
	}
	return rule.Fails(0.5, "use DIVIDE in place of /, as it says what happens when the divisor is zero",
		"it divides by something that may be zero")
}
