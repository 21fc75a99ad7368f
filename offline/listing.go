package offline

import (
	"errors"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// Listing chooses the findings in lists for people. It affects no score, count or gate.
type Listing struct {
	// Top is how many rules of an item are listed, those that cost the most first; 0 means all.
	Top int
	// All lists every finding by itself instead of the rules.
	All bool
	// Rules limits lists to findings that break one of these rules, and Object to those about it (names); each finding is
	// then listed by itself.
	Rules  []string
	Object string
}

// Validate returns an error if the regime has no rule of one of the ids.
func (l Listing) Validate(r *readiness.Regime) error {
	ids := idsOf(r)
	for _, id := range l.Rules {
		if !slices.ContainsFunc(ids, func(known string) bool { return strings.EqualFold(known, id) }) {
			return errors.New(unknownRule(ids, id))
		}
	}
	return nil
}

// filtered reports whether only some findings are listed.
func (l Listing) filtered() bool { return len(l.Rules) > 0 || l.Object != "" }

// singly reports whether findings are listed one by one.
func (l Listing) singly() bool { return l.All || l.filtered() }

// ruleOf returns the rule under which a finding is listed: the first of its rules that was asked for. It returns "" if
// the finding is not listed.
func (l Listing) ruleOf(f Finding) string {
	if l.Object != "" && !slices.ContainsFunc(names(f), func(name string) bool { return strings.EqualFold(name, l.Object) }) {
		return ""
	}
	if len(l.Rules) == 0 {
		return f.RuleIDs[0]
	}
	for _, id := range f.RuleIDs {
		if slices.ContainsFunc(l.Rules, func(asked string) bool { return strings.EqualFold(asked, id) }) {
			return id
		}
	}
	return ""
}

// chosen returns the findings that are listed.
func (l Listing) chosen(all []Finding) []Finding {
	if !l.filtered() {
		return all
	}
	var out []Finding
	for _, f := range all {
		if l.ruleOf(f) != "" {
			out = append(out, f)
		}
	}
	return out
}

// lists reports whether a finding of the item is listed.
func (l Listing) lists(i Assessed) bool {
	if i.Since != nil && len(l.chosen(i.Since.Fixed))+len(l.chosen(i.Since.Unchanged)) > 0 {
		return true
	}
	return len(l.chosen(i.Findings)) > 0
}

// names returns the spellings that name the object of a finding.
func names(f Finding) []string {
	quoted := "'" + strings.ReplaceAll(f.Table, "'", "''") + "'"
	field := "[" + strings.ReplaceAll(f.ObjectName, "]", "]]") + "]"
	plain := "[" + f.ObjectName + "]"
	switch f.ObjectType {
	case finding.TableObject:
		return []string{f.Table, quoted}
	case finding.ColumnObject:
		return []string{f.Table + plain, quoted + plain, f.Table + field, quoted + field}
	case finding.MeasureObject:
		return []string{f.ObjectName, plain, field, f.Table + plain, quoted + plain, f.Table + field, quoted + field}
	case finding.ModelObject, finding.DataAgentObject:
		return []string{"#", f.ObjectName}
	default:
		return []string{f.ObjectName}
	}
}

// objectOf names the object of a finding as DAX does.
func objectOf(f Finding) string {
	all := names(f)
	switch f.ObjectType {
	case finding.TableObject, finding.ColumnObject, finding.CalculationItemObject, finding.RelationshipObject,
		finding.VerifiedAnswerObject, finding.SourceObject:
		return printable(all[len(all)-1])
	case finding.MeasureObject:
		return printable(all[2])
	case finding.DataAgentObject:
		return "the data agent"
	case finding.ModelObject:
	}
	return "the model"
}

// idsOf returns the ids of a regime's rules.
func idsOf(r *readiness.Regime) []string {
	var ids []string
	for _, one := range r.Rules() {
		ids = append(ids, one.ID)
	}
	return ids
}
