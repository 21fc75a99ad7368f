package readiness

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"

	nfc "golang.org/x/text/unicode/norm"
)

// decemberMeasureRules also judge whether expressions can work (docs/regime.md H.2, H.3).
var decemberMeasureRules = amended(measureRules,
	rule{id: "MEA-01", k: 3, severity: High, check: stating(onModel(hasNumbers, enoughMeasures))},
	rule{id: "MEA-02", k: 2, severity: Medium, check: among(where(exposedColumns, onlySummable), unmeasured)},
	rule{id: "MEA-03", k: 3, severity: Medium, check: each(where(exposedMeasures, yieldsNumber), unformattedNumber)},
	rule{id: "MEA-04", k: 2, severity: Low, fixes: []FixKind{Properties}, layout: true, check: stating(unfiled,
		strconv.Itoa(unfiledMeasures)+" at most need none")},
	rule{id: "MEA-05", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, check: among(exposedMeasures, namedDuplicate)},
	rule{id: "MEA-06", k: 1, severity: Low, fixes: []FixKind{AIDataSchema, AIInstructions}, check: among(exposedMeasures, namedAlike)},
	rule{id: "MEA-07", k: 4, severity: High, check: unsound},
	rule{id: "MEA-08", k: 1, severity: Low, check: each(exposedMeasures, unsafeDivision)},
)

func onlySummable(x *scope, c *column) bool { return summable(x, c) && !isUnsummed(x, c) }

// yieldsNumber reports whether a measure may need a format: it does not yield text, also
// by the columns and measures that it refers to, and VIS-03 does not hide it
// (docs/regime-precision.md P6).
func yieldsNumber(x *scope, m *measure) bool {
	return !x.yieldsText(m) && x.helper(&m.object).reason == ""
}

var countingFunctions = setOf("COUNTROWS,COUNT,COUNTA,COUNTX,COUNTAX,DISTINCTCOUNT,DISTINCTCOUNTNOBLANK")

// unformattedNumber finds half a fault in a count without a format, which reads well (docs/regime-precision.md P6).
func unformattedNumber(x *scope, m *measure) verdict {
	v := unformatted(x, m)
	if v.violation == 0 {
		return v
	}
	if call := dax.ResultCall(m.src.Expression); countingFunctions[call] {
		return fails(0.5, "set a format string for integers, such as #,0, as it counts", "no format string, its result is %s", call)
	}
	return v
}

type textsKey struct{}

// yieldsText follows references to text columns and to measures. Measures in a circle
// yield no text.
func (x *scope) yieldsText(m *measure) bool {
	known := remembered(x, textsKey{}, func() map[*object]bool { return map[*object]bool{} })
	if text, done := known[&m.object]; done {
		return text
	}
	known[&m.object] = false // while it is being read
	texts := dax.Texts{
		Column: func(r dax.Reference) bool {
			o := x.names.resolve(r, m.table)
			return o != nil && o.kind == columnKind && x.names.columns[o.index].is(semanticmodel.String)
		},
		Measure: func(name string) bool {
			o := x.names.resolve(dax.Reference{Name: name}, m.table)
			return o != nil && o.kind == measureKind && x.yieldsText(x.names.byIndex[o.index])
		},
	}
	text := texts.Yields(m.src.Expression)
	known[&m.object] = text
	return text
}

func namedDuplicate(_ *scope, measures []*measure) func(*measure) verdict {
	find := repeats(measures)
	return func(m *measure) verdict {
		switch r := find(m); {
		case r.measure == nil:
			return verdict{}
		case r.half:
			return fails(0.5, "keep it only if people need "+measureName(r.measure)+" in its format too, and say so in its description",
				"same result as %s, format %q in place of %q", measureName(r.measure), shown(m.src.FormatString, shownText),
				shown(r.src.FormatString, shownText))
		case r.alias:
			return fails(1, "leave it out of what an AI sees, as it only repeats "+measureName(r.measure), "the expression is [%s]",
				shown(r.name, shownName))
		default:
			return fails(1, "keep it or "+measureName(r.measure)+", and leave the other out of what an AI sees", "same expression as %s",
				measureName(r.measure))
		}
	}
}

// repeated is a measure that another one repeats.
type repeated struct {
	*measure
	alias bool // the other's expression is its name
	half  bool // both have a format, and not the same one
}

// repeats returns a function that finds what a measure repeats: the first by name of those before it with the same
// expression, else the one that is its expression. One that it repeats in full comes before one that it repeats by half
// (docs/regime-precision.md P7).
func repeats(measures []*measure) func(*measure) repeated {
	byName := slices.Clone(measures)
	slices.SortStableFunc(byName, func(a, b *measure) int { return strings.Compare(a.name, b.name) })
	named := map[string]*measure{}        // by name in lower case, as DAX compares names
	earliest := map[string]*measure{}     // by expression
	formatted := map[[2]string]*measure{} // the earliest by expression and format
	original := map[*measure]repeated{}
	for _, m := range byName {
		if name := strings.ToLower(m.name); named[name] == nil {
			named[name] = m
		}
		text := squeezed(m.src.Expression)
		if text == "" {
			continue
		}
		if m.own { // the same text means another column elsewhere
			text = m.table.src.Name + wordBreak + text
		}
		same := [2]string{text, strings.TrimSpace(m.src.FormatString)}
		switch first := earliest[text]; {
		case first == nil:
			earliest[text] = m
		case !otherFormat(m, first):
			original[m] = repeated{measure: first}
		default:
			full := earlier(formatted[same], formatted[[2]string{text, ""}])
			original[m] = repeated{measure: cmp.Or(full, first), half: full == nil}
		}
		if formatted[same] == nil {
			formatted[same] = m
		}
	}
	return func(m *measure) repeated {
		r := original[m]
		name, bare := dax.BareReference(m.src.Expression)
		if !bare || r.measure != nil && !r.half {
			return r
		}
		other := named[strings.ToLower(name)]
		if other == nil || other == m || r.measure != nil && otherFormat(m, other) {
			return r
		}
		return repeated{other, true, otherFormat(m, other)}
	}
}

// earlier returns the first by name of two measures. Either may be nil.
func earlier(a, b *measure) *measure {
	if a == nil || b != nil && b.name < a.name {
		return b
	}
	return a
}

// otherFormat reports whether two measures both have a format, and not the same one (docs/regime-precision.md P7).
func otherFormat(a, b *measure) bool {
	one, two := strings.TrimSpace(a.src.FormatString), strings.TrimSpace(b.src.FormatString)
	return one != "" && two != "" && one != two
}

func measureName(m *measure) string { return lowerFirst(subject(&m.object)) }

// signs maps words and signs of measure names that mean the same.
var signs = map[string]string{"pct": "%", "percent": "%", "percentage": "%", "count": "#", "number": "#", "∆": "δ"}

// meaningOf returns the words of a name and the signs in it.
func meaningOf(m *measure) []string {
	all := slices.Clone(m.words)
	for _, r := range nfc.NFC.String(m.name) {
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

func namedAlike(_ *scope, measures []*measure) func(*measure) verdict {
	find := similar(measures, meaningOf)
	return func(m *measure) verdict {
		if other := find(m); other != nil {
			return fails(0.5,
				"say in the instructions when to use it and when "+measureName(other)+", or leave one of them out of what an AI sees",
				"hardly differs from %s", measureName(other))
		}
		return verdict{}
	}
}

func unsafeDivision(_ *scope, m *measure) verdict {
	if !dax.DividesByUnknown(m.src.Expression) {
		return verdict{}
	}
	return fails(0.5, "use DIVIDE in place of /, as it says what happens when the divisor is zero",
		"it divides by something that may be zero")
}
