package rules

import (
	"slices"
	"strings"

	"readiness/ai/rules/prose"
	"readiness/definition/dax"
	"readiness/domain/proposal"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

// describeColumn says what the definition says about a column beyond names and structure: what it is computed from, which
// values it has, when it relates, its unit. It returns "" when that is nothing.
func (f *facts) describeColumn(x *field) string {
	lead := f.columnLead(x)
	if lead == "" {
		lead = f.unitLead(x)
	}
	if !informs(x.name, x.table, lead) {
		return ""
	}
	return prose.Compose(proposal.MaxDescription, lead)
}

func (f *facts) columnLead(x *field) string {
	t := x.table
	switch {
	case t.role == calculationGroup && x == t.itemColumn() && !t.mixed():
		return itemsLead(t)
	case t.role == calculationGroup || t.role == fieldParameter:
		return ""
	case x.orders != nil: // nobody asks for it
		return ""
	case strings.TrimSpace(x.column.Expression) != "":
		return f.calculated(x)
	case t.series != nil && t.role == plain: // the description of its table says which values
		return ""
	case t.series != nil:
		return prose.Capital(t.series.text()) + "."
	case x.manySide:
		return f.foreignKeyLead(x)
	}
	if values := t.fixedValues(x); strings.HasPrefix(values, `One of "`) {
		return values
	}
	return ""
}

// calculated says what the expression of a calculated column computes. Nothing is selected when it is.
func (f *facts) calculated(x *field) string {
	if s := f.explain(x); s.text != "" && f.tells(x, s) && !x.calls(selections) {
		return prose.First(proposal.MaxDescription, prose.Capital(s.full())+f.unit(x.column.FormatString)+".", prose.Capital(s.full())+".")
	}
	return ""
}

// itemsLead names as many items of a calculation group as fit, as written, as rule DSC-07 looks for them.
func itemsLead(t *table) string {
	lead := "Changes how a measure is calculated: "
	var fit []string
	for _, n := range prose.Mentions(itemNames(t)) {
		if wording.Length(lead+strings.Join(append(fit, n), ", ")+".") <= proposal.MaxDescription {
			fit = append(fit, n)
		}
	}
	if len(fit) == 0 {
		return "Changes how a measure is calculated, by the item chosen."
	}
	return lead + strings.Join(fit, ", ") + "."
}

// foreignKeyLead says which table a foreign key joins only on request. The structure says the others.
func (f *facts) foreignKeyLead(x *field) string {
	var texts []string
	for _, r := range x.relations {
		other := r.to
		if r.to == x {
			other = r.from
		}
		if !prose.Mentionable(other.table.src.Name) || !prose.Mentionable(other.name) || !prose.Mentionable(x.table.src.Name) {
			continue
		}
		to := "the row of " + other.table.src.Name
		if !strings.EqualFold(other.name, x.name) {
			to += " with the same " + other.name
		}
		if by := f.activating(x); by != "" && !r.src.IsActive {
			texts = append(texts, "Joins "+x.table.src.Name+" to "+to+" only where a measure asks for it, as "+by+" does.")
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return prose.Compose(proposal.MaxDescription, texts[0], texts[1:]...)
}

// activating returns a measure, or else a calculation item, that activates the column's relationship, "" for none.
func (f *facts) activating(x *field) string {
	for _, m := range f.activators(x) {
		if prose.Mentionable(m.name) && f.wantedThen(m) {
			return prose.MeasureRef(m.name)
		}
	}
	for _, t := range f.tables {
		if t.src.CalculationGroup == nil {
			continue
		}
		for _, i := range t.src.CalculationGroup.Items {
			if f.activates(dax.Read(i.Expression).Calls, nil, x) && prose.Mentionable(i.Name) {
				return "the calculation item " + i.Name
			}
		}
	}
	return ""
}

// activators returns the measures that activate a column's relationship themselves.
func (f *facts) activators(x *field) []*field {
	return lists.Where(x.usedBy, func(m *field) bool {
		goes, _ := f.goesBy(m, x)
		return goes && f.activates(m.dax.Calls, m.table, x)
	})
}

// goesBy reports whether a measure that activates a column's relationship computes something by it, not only what was computed before, and
// whether that is all it does.
func (f *facts) goesBy(m, x *field) (goes, alone bool) {
	n, ok := dax.Parse(m.measure.Expression)
	if !ok {
		return true, false
	}
	e := &explainer{facts: f, home: m.table}
	e.visit(n, func(call *dax.Node) {
		if call.Kind != dax.CallNode || len(call.Parts) < 2 || !slices.ContainsFunc(call.Parts[1:], func(p *dax.Node) bool {
			return p.Kind == dax.CallNode && activations[p.Text] && slices.ContainsFunc(p.Parts, func(p *dax.Node) bool {
				return p.Kind == dax.ColumnNode && f.resolve(p.Reference, m.table) == x
			})
		}) {
			return
		}
		goes = goes || call.Parts[0].Kind != dax.NameNode
		alone = goes && call == n && call.Text == "CALCULATE" && len(call.Parts) == 2
	})
	return goes, alone
}

// activates reports whether calls in an expression of a table activate a column's relationship.
func (f *facts) activates(calls []dax.Call, home *table, x *field) bool {
	return slices.ContainsFunc(calls, func(c dax.Call) bool {
		return activations[strings.ToUpper(c.Name)] &&
			slices.ContainsFunc(c.References, func(r dax.Reference) bool { return f.resolve(r, home) == x })
	})
}

// unitLead says the currency of a number. A dollar sign does not say which dollar.
func (f *facts) unitLead(x *field) string {
	in := f.currency(x.column.FormatString)
	if in == "" || !x.isNumber() || x.key {
		return ""
	}
	return "Given" + strings.TrimPrefix(in, ",") + "."
}
