package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
	"readiness/domain/proposal/textcheck"
	"readiness/domain/readiness/wording"
	"readiness/internal/lateregexp"
)

// keyMeasures is how many measures the instructions explain.
const keyMeasures = 12

// unaddable are words in the names of numbers that should not be added up (rule TYP-02).
var unaddable = prose.SetOf("id key sk pk fk guid code no nr nbr number year yr month mth week wk day dow quarter qtr zip postal " +
	"postcode latitude longitude lat lon rank index " +
	"rate ratio percent pct age is has flag flg version")

// selections are functions of measures that show what a person selected in a report.
var selections = prose.SetOf("SELECTEDVALUE ISFILTERED HASONEVALUE")

// aboutMeasures explains the measures that matter most, those with something to say about them, no two the
// same.
func (f *facts) aboutMeasures() []string {
	var lines []string
	seen := map[string]bool{}
	for _, x := range f.allMeasures() {
		name, text := f.bracketed(x), squeezed(x.measure.Expression)
		if name == "" {
			continue
		}
		if !x.exposed || seen[text] && text != "" || len(lines) == keyMeasures || (dax.Texts{}).Yields(x.measure.Expression) ||
			f.explain(x).constant || x.calls(selections) || f.shiftsAutomaticDates(x) {
			continue
		}
		if explained := f.explained(x); explained != "" && !seen[explained] && (len(x.usedBy) > 0 || !scaled.MatchString(explained)) {
			seen[text], seen[explained] = true, true
			lines = append(lines, name+": "+explained+".")
		}
	}
	return lines
}

// scaled finds a measure that only shows another in thousands or millions.
var scaled = lateregexp.New(`^\[[^\]]*\] divided by 1(?:000)+$`)

// explained returns what a measure is, "" if nothing is known beyond its name or a person's description says it, which an AI reads anyway.
func (f *facts) explained(x *field) string {
	text := strings.TrimSuffix(prose.Sentences(prose.OneLine(x.description), 120), ".")
	if text != "" && f.adds(described{x.object(), x.table, x}, text) {
		return ""
	}
	made := f.computes(x)
	if wording.Length(made) > 160 || !f.lastingOnly(x) {
		return ""
	}
	return prose.LowerStart(made)
}

// checked returns what checks of texts need to know of the model.
func (f *facts) checked() *textcheck.Model {
	if f.checks == nil {
		f.checks = textcheck.Of(f.src)
	}
	return f.checks
}

// lastingOnly reports whether a measure refers only to measures that an AI sees: a line must not name
// others.
func (f *facts) lastingOnly(x *field) bool {
	return !slices.ContainsFunc(x.refs, func(to *field) bool { return to.measure != nil && (!to.exposed || !f.wantedThen(to)) })
}

// shiftsAutomaticDates reports whether a measure is computed by the automatic date table of a date table, which filters on the latter do
// not reach: by its years, the last year is the same as this one.
func (f *facts) shiftsAutomaticDates(x *field) bool {
	seen := map[*field]bool{x: true}
	for queue := []*field{x}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at.measure == nil {
			continue
		}
		for _, r := range at.dax.Automatic {
			if to := f.resolve(r, at.table); to != nil && to.table.role == dateTable {
				return true
			}
		}
		for _, to := range at.refs {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return false
}

// clearsAll finds what makes a measure the same for every group.
var clearsAll = lateregexp.New(`(?i)\b(?:REMOVEFILTERS|ALL|ALLSELECTED)\s*\(\s*\)`)

func (f *facts) aboutDefaults() []string {
	var lines []string
	for _, t := range f.tables {
		if t.role != dimension || !prose.Sayable(t.noun()) || t.noun() == "row" || len(lines) > 8 {
			continue
		}
		if label := f.labelOf(t); label != nil {
			lines = append(lines, "By default show "+prose.Article(t.noun())+" by "+f.written(label)+".")
		}
	}
	var ratios []string
	for _, x := range f.allMeasures() {
		if name := f.bracketed(x); name != "" && strings.Contains(x.measure.FormatString, "%") && len(ratios) < 4 && !f.shiftsAutomaticDates(x) &&
			!clearsAll.MatchString(x.measure.Expression) && isRatio(x, f.explain(x).text) {
			ratios = append(ratios, name)
		}
	}
	if len(ratios) > 0 {
		const within = " for the group asked about; do not add up or average "
		if len(ratios) == 1 {
			lines = append(lines, "Always let "+ratios[0]+" compute its percentage"+within+"it.")
		} else {
			lines = append(lines, "Always let "+prose.List(ratios, 0)+" compute their percentages"+within+"them.")
		}
	}
	return lines
}

// isRatio reports whether an expression is understood as what its name says: the name of a growth is no promise that the quotient is one.
func isRatio(x *field, text string) bool {
	if growthNames.Meets(said(x)) {
		return strings.HasPrefix(text, "relative change ")
	}
	return strings.Contains(text, " divided by ") || strings.HasPrefix(text, "share of ")
}

// labelOf returns the column that is marked as the label of a dimension, if its name says more than that of the table.
func (f *facts) labelOf(t *table) *field {
	k := told{known: prose.Set{}, implied: []prose.Set{idle}}
	for _, w := range prose.Words(t.src.Name) {
		k.known[meaningOf(w)] = true
	}
	for _, x := range t.columns {
		if x.column.IsDefaultLabel && f.written(x) != "" && k.lacks(x.name) {
			return x
		}
	}
	return nil
}
