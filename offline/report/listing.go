package report

import (
	"errors"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/internal/lists"
	"readiness/offline"
	"readiness/offline/rulehelp"
	"readiness/offline/show"
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
	// Minutes bounds what to do first to what fits into them; 0 for no bound.
	Minutes int
	// Preview is the command that proposes changes to an item of a service, whose reports list no single findings; "" for files.
	Preview string
}

// Validate returns an error if the regime has no rule of one of the ids.
func (l Listing) Validate(r *readiness.Regime) error {
	ids := rulehelp.IDs(r)
	for _, id := range l.Rules {
		if !slices.ContainsFunc(ids, func(known string) bool { return strings.EqualFold(known, id) }) {
			return errors.New(rulehelp.Unknown(ids, id))
		}
	}
	return nil
}

// Filtered reports whether only some findings are listed.
func (l Listing) Filtered() bool { return len(l.Rules) > 0 || l.Object != "" }

// Singly reports whether findings are listed one by one.
func (l Listing) Singly() bool { return l.All || l.Filtered() }

// ruleOf returns the rule under which a finding is listed: the leading one, or the first of its rules that was asked for. It returns "" if
// the finding is not listed.
func (l Listing) ruleOf(f offline.Finding) string {
	if l.Object != "" && !Names(f, l.Object) {
		return ""
	}
	if len(l.Rules) == 0 {
		return explained.Leading(f.RuleIDs)
	}
	for _, id := range f.RuleIDs {
		if slices.ContainsFunc(l.Rules, func(asked string) bool { return strings.EqualFold(asked, id) }) {
			return id
		}
	}
	return ""
}

// Chosen returns the findings that are listed.
func (l Listing) Chosen(all []offline.Finding) []offline.Finding {
	if !l.Filtered() {
		return all
	}
	return lists.Where(all, func(f offline.Finding) bool { return l.ruleOf(f) != "" })
}

// Lists reports whether a finding of the item is listed.
func (l Listing) Lists(i offline.Assessed) bool {
	if i.Since != nil && len(l.Chosen(i.Since.Fixed))+len(l.Chosen(i.Since.Unchanged)) > 0 {
		return true
	}
	return len(l.Chosen(i.Findings)) > 0
}

// ListsAny reports whether a finding of one of the items is listed.
func (l Listing) ListsAny(a *offline.Assessment) bool {
	for _, i := range a.All() {
		if l.Lists(i) {
			return true
		}
	}
	return false
}

// Names reports whether a text names the object of a finding; letter case does not matter.
func Names(f offline.Finding, text string) bool {
	return slices.ContainsFunc(names(f), func(name string) bool { return strings.EqualFold(name, text) })
}

// names returns the spellings that name the object of a finding.
func names(f offline.Finding) []string {
	quoted := "'" + strings.ReplaceAll(f.Table, "'", "''") + "'"
	field := "[" + strings.ReplaceAll(f.ObjectName, "]", "]]") + "]"
	plain := "[" + f.ObjectName + "]"
	switch f.ObjectType {
	case finding.TableObject:
		return []string{f.Table, quoted}
	case finding.ColumnObject, finding.HierarchyObject:
		return []string{f.Table + plain, quoted + plain, f.Table + field, quoted + field}
	case finding.MeasureObject:
		return []string{f.ObjectName, plain, field, f.Table + plain, quoted + plain, f.Table + field, quoted + field}
	case finding.ModelObject, finding.DataAgentObject:
		return []string{"#", f.ObjectName}
	default:
		return []string{f.ObjectName}
	}
}

// ObjectOf names the object of a finding as DAX does.
func ObjectOf(f offline.Finding) string {
	all := names(f)
	switch f.ObjectType {
	case finding.TableObject, finding.ColumnObject, finding.HierarchyObject, finding.RoleObject, finding.CalculationItemObject, finding.RelationshipObject,
		finding.PartitionObject, finding.PerspectiveObject,
		finding.VerifiedAnswerObject, finding.SourceObject:
		return show.Printable(all[len(all)-1])
	case finding.MeasureObject:
		return show.Printable(all[2])
	case finding.DataAgentObject:
		return "the data agent"
	case finding.ModelObject:
	}
	return "the model"
}
