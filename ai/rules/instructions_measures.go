package rules

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
)

// keyMeasures is how many measures the instructions explain.
const keyMeasures = 12

// keyMeasureFields returns the measures to explain: shown, not helpers, no two the same.
func (f *facts) keyMeasureFields() []*field {
	var out []*field
	seen := map[string]bool{}
	for _, x := range f.allMeasures() {
		text := squeezed(x.measure.Expression)
		if len(out) == keyMeasures {
			break
		}
		if x.exposed && !x.helper() && x.bracketed() != "" && (text == "" || !seen[text]) {
			seen[text] = true
			out = append(out, x)
		}
	}
	return out
}

// unaddable are words in the names of numbers that should not be added up (rule TYP-02).
var unaddable = setOf("id key sk pk fk guid code no nr nbr number year yr month mth week wk day dow quarter qtr zip postal postcode " +
	"latitude longitude lat lon rank index " +
	"rate ratio percent pct age is has flag flg version")

func (f *facts) aboutMeasures() []string {
	var lines []string
	for _, x := range f.keyMeasureFields() {
		phrased := phrase(x.name)
		if !sayable(phrased) {
			phrased = "what its name says"
		}
		lines = append(lines, "Use "+x.bracketed()+" for "+phrased+f.explained(x)+".")
	}
	if len(lines) > 0 {
		return lines
	}
	for _, t := range f.tables {
		if !t.many && t.role != plain {
			continue
		}
		for _, x := range t.columns {
			if x.exposed && x.isNumber() && !x.key && !unaddable.meets(x.words) && x.column.SummarizeBy != "none" && x.written() != "" &&
				len(lines) < keyMeasures {
				lines = append(lines, "Use the sum of "+x.written()+", as no measure computes it.")
			}
		}
	}
	if len(lines) > 0 {
		return lines
	}
	lines = []string{"Use counts of rows, as the model has no measures."}
	for _, t := range f.tables {
		for _, x := range t.columns {
			if x.exposed && !x.key && x.written() != "" && len(lines) < 6 {
				lines = append(lines, "Use "+x.written()+" to group and filter.")
			}
		}
	}
	return lines
}

// explained returns what a measure is, after a colon. A person's description is used only without
// references, because these may name fields that do not exist.
func (f *facts) explained(x *field) string {
	phrased := strings.TrimSuffix(sentences(oneLine(x.description), 120), ".")
	if meaningful(phrased, x.name) && mentionableLine(phrased) && !strings.ContainsAny(phrased, "[]'") {
		return ": " + lowerStart(phrased)
	}
	made := strings.TrimPrefix(strings.TrimSuffix(f.measureLead(x), "."), capital(phrase(x.name))+": ")
	if made != "" && length(made) <= 160 {
		return ": " + lowerStart(made)
	}
	return ""
}

func (f *facts) aboutDefaults() []string {
	lines := []string{"Unless the question says otherwise, answer with the measures of the model rather than with sums of columns."}
	if !slices.ContainsFunc(f.allMeasures(), func(x *field) bool { return x.exposed }) {
		lines = []string{"Unless the question says otherwise, add up amounts and count rows over everything there is."}
	}
	for _, t := range f.tables {
		if t.role != dimension || !sayable(t.noun()) || t.noun() == "row" || len(lines) > 8 {
			continue
		}
		if label := labelOf(t); label != nil && label.written() != "" {
			lines = append(lines, "By default show "+article(t.noun())+" by "+label.written()+".")
		}
	}
	var ratios []string
	for _, x := range f.allMeasures() {
		if x.exposed && strings.Contains(x.measure.FormatString, "%") && x.bracketed() != "" && len(ratios) < 4 {
			ratios = append(ratios, x.bracketed())
		}
	}
	if len(ratios) > 0 {
		lines = append(lines, "Never add up or average percentages such as "+list(ratios,
			0)+": let the measure compute them for the group asked about.")
	}
	return lines
}

// labelOf returns the column that represents a row of a dimension: the one marked as label, else the
// one whose name says that it is the name of a row.
func labelOf(t *table) *field {
	for _, x := range t.columns {
		if x.column.IsDefaultLabel && x.exposed {
			return x
		}
	}
	names := []string{t.noun(), "name", t.noun() + " name", lastWord(t.noun()) + " name"}
	for _, x := range t.columns {
		if x.column.DataType == semanticmodel.String && x.exposed && !x.key && slices.Contains(names, phrase(x.name)) {
			return x
		}
	}
	return nil
}
