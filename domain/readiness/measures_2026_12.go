package readiness

import (
	"slices"
	"strconv"
	"unicode"

	"readiness/definition/dax"
	"readiness/definition/semanticmodel"

	nfc "golang.org/x/text/unicode/norm"
)

// decemberMeasureRules also judge whether expressions can work (docs/regime.md H.2, H.3).
var decemberMeasureRules = amended(measureRules,
	rule{id: "MEA-01", k: 3, severity: High, check: stating(onModel(hasNumbers, enoughMeasures))},
	rule{id: "MEA-02", k: 2, severity: Medium, check: among(where(exposedColumns, onlySummable), unmeasured)},
	rule{id: "MEA-03", k: 3, severity: Medium, check: each(where(exposedMeasures, yieldsNumber), unformatted)},
	rule{id: "MEA-04", k: 2, severity: Low, fixes: []FixKind{Properties}, layout: true, check: stating(unfiled,
		strconv.Itoa(unfiledMeasures)+" at most need none")},
	rule{id: "MEA-05", k: 2, severity: Medium, fixes: []FixKind{AIDataSchema}, check: among(exposedMeasures, namedDuplicate)},
	rule{id: "MEA-06", k: 1, severity: Low, fixes: []FixKind{AIDataSchema, AIInstructions}, check: among(exposedMeasures, namedAlike)},
	rule{id: "MEA-07", k: 4, severity: High, check: unsound},
	rule{id: "MEA-08", k: 1, severity: Low, check: each(exposedMeasures, unsafeDivision)},
)

func onlySummable(x *scope, c *column) bool { return summable(x, c) && !isUnsummed(x, c) }

// yieldsNumber reports whether a measure may need a format: it does not yield text, also
// by the columns and measures that it refers to.
func yieldsNumber(x *scope, m *measure) bool { return !x.yieldsText(m) }

// yieldsText follows references to text columns and to measures. Measures in a circle
// yield no text.
func (x *scope) yieldsText(m *measure) bool {
	if x.memo.texts == nil {
		x.memo.texts = map[*object]bool{}
	}
	if text, known := x.memo.texts[&m.object]; known {
		return text
	}
	x.memo.texts[&m.object] = false // while it is being read
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
	x.memo.texts[&m.object] = text
	return text
}

func namedDuplicate(_ *scope, measures []*measure) func(*measure) verdict {
	find := duplicates(measures, func(m *measure) string {
		text := squeezed(m.src.Expression)
		if m.own { // the same text means another column elsewhere
			text = m.table.src.Name + wordBreak + text
		}
		return text
	})
	return func(m *measure) verdict {
		switch other, alias := find(m); {
		case other == nil:
			return verdict{}
		case alias:
			return fails(1, "leave it out of what an AI sees, as it only repeats "+measureName(other), "the expression is [%s]",
				shown(other.name,
					shownName))
		default:
			return fails(1, "keep it or "+measureName(other)+", and leave the other out of what an AI sees", "same expression as %s",
				measureName(other))
		}
	}
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
