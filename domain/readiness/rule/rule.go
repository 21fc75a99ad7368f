// Package rule defines what a scoring rule is, and the ways in which rules choose the
// objects that they judge. The rules themselves are in the packages of their dimensions.
package rule

import (
	"fmt"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/model"
	"readiness/internal/lists"
)

// Rule is one scoring rule.
type Rule struct {
	ID       string
	Weight   float64 // weight inside the dimension
	Severity finding.Severity
	Fixes    []finding.FixKind
	Check    Check
	// Layout marks rules about properties that a data agent's DAX generation is not
	// given. They do not apply to data agents.
	Layout bool
	// Usage marks rules that need a usage map. The unweighted scores are computed
	// without them.
	Usage bool
	// Unweighted judges for the unweighted scores when there is a usage map; nil if that
	// makes no difference.
	Unweighted Check
	// Reads is what the rule reads in addition to the model's objects. If any of it is
	// unknown, the rule does not apply.
	Reads semanticmodel.Aspect
	// Settled is true if an account chose the severity, which then also replaces
	// the severities of verdicts.
	Settled bool
}

// Check judges every eligible object of a scope, in object order.
type Check func(x *model.Scope, say func(model.Judged, Verdict))

// Verdict is the result of a rule for one object. The zero verdict passes.
type Verdict struct {
	Violation float64 // 0 to 1
	// Message says what to do, as a clause without a subject; Evidence says what was
	// found.
	Message, Evidence string
	// Implied marks a failure that follows from something being absent. Its message is
	// used only when no other rule of the finding has one.
	Implied bool
	// Severity takes the place of the severity of the rule, if not "".
	Severity finding.Severity
}

// Fails returns a verdict that an object fails by a violation above 0 and at most 1. evidence is a format of args.
func Fails(violation float64, message, evidence string, args ...any) Verdict {
	return Verdict{Violation: violation, Message: message, Evidence: fmt.Sprintf(evidence, args...)}
}

// Absent returns a verdict that an object fails because something is absent. It is implied.
func Absent(message, evidence string) Verdict {
	return Verdict{Violation: 1, Message: message, Evidence: evidence, Implied: true}
}

// Each judges objects one by one.
func Each[O model.Judged](eligible func(*model.Scope) []O, judge func(*model.Scope, O) Verdict) Check {
	return func(x *model.Scope, say func(model.Judged, Verdict)) {
		for _, o := range eligible(x) {
			say(o, judge(x, o))
		}
	}
}

// Among judges objects with regard to all eligible objects, which prepare is given.
func Among[O model.Judged](eligible func(*model.Scope) []O, prepare func(*model.Scope, []O) func(O) Verdict) Check {
	return func(x *model.Scope, say func(model.Judged, Verdict)) {
		objects := eligible(x)
		judge := prepare(x, objects)
		for _, o := range objects {
			say(o, judge(o))
		}
	}
}

// OnModel judges the model as one object, where the rule applies.
func OnModel(applies func(*model.Scope) bool, judge func(*model.Scope) Verdict) Check {
	return func(x *model.Scope, say func(model.Judged, Verdict)) {
		if applies(x) {
			say(nil, judge(x))
		}
	}
}

// Stating adds the evidence to the message of a check: the objects and numbers that
// decided, and the limits.
func Stating(c Check, limits ...string) Check {
	return func(x *model.Scope, say func(model.Judged, Verdict)) {
		c(x, func(o model.Judged, v Verdict) { say(o, v.Stated(limits)) })
	}
}

// Stated returns a failing verdict with its evidence and the limits in the message.
func (v Verdict) Stated(limits []string) Verdict {
	if v.Violation > 0 {
		v.Message += " (" + strings.Join(append([]string{v.Evidence}, limits...), "; ") + ")"
	}
	return v
}

// Always applies to every model.
func Always(*model.Scope) bool { return true }

// ModelItself returns the pseudo-object of a rule about the entire model.
func ModelItself(ruleID string) *model.Object {
	return &model.Object{Kind: model.OtherKind, ObjectType: finding.ModelObject, Index: -1, Name: "#" + ruleID}
}

// Where returns the members of a set that keep accepts.
func Where[O model.Judged](set func(*model.Scope) []O, keep func(*model.Scope, O) bool) func(*model.Scope) []O {
	return func(x *model.Scope) []O {
		return lists.Where(set(x), func(o O) bool { return keep(x, o) })
	}
}

// ExposedTables returns T, the exposed tables. Facts and dimensions are determined over all tables, hidden or not.
func ExposedTables(x *model.Scope) []*model.Table { return x.T }

// ExposedColumns returns C, the exposed columns.
func ExposedColumns(x *model.Scope) []*model.Column { return x.C }

// ExposedMeasures returns M, the exposed measures.
func ExposedMeasures(x *model.Scope) []*model.Measure { return x.M }

// ExposedObjects returns T, C and M together, in object order.
func ExposedObjects(x *model.Scope) []*model.Object { return x.All }

// AllTables returns the tables after dropping, hidden or not.
func AllTables(x *model.Scope) []*model.Table { return x.Tables }

// AllRelationships returns the relationships whose columns exist.
func AllRelationships(x *model.Scope) []*model.Relationship { return x.Relationships }

// VerifiedAnswers returns the verified answers.
func VerifiedAnswers(x *model.Scope) []*model.Answer { return x.Answers }

// DescribedObjects returns the exposed objects without key columns.
func DescribedObjects(x *model.Scope) []*model.Object { return x.Described }

// NotKey leaves out key columns.
func NotKey(_ *model.Scope, c *model.Column) bool { return !c.Key }

// IsBetween selects the relationships between tables of the star schema.
func IsBetween(_ *model.Scope, r *model.Relationship) bool { return r.Between() }

// ActiveBetween selects the active ones among those of IsBetween.
func ActiveBetween(x *model.Scope, r *model.Relationship) bool { return r.Src.IsActive && r.Between() }

// OrPass returns a verdict, or for nil the one that passes.
func OrPass(v *Verdict) Verdict {
	if v == nil {
		return Verdict{}
	}
	return *v
}

// SeverityFor returns the severity of a verdict.
func (r *Rule) SeverityFor(v Verdict) finding.Severity {
	if v.Severity != "" && !r.Settled {
		return v.Severity
	}
	return r.SeverityOf(v.Violation)
}

// SeverityOf returns the severity of a violation: one level lower when it is below 1.
func (r *Rule) SeverityOf(violation float64) finding.Severity {
	switch {
	case violation >= 1:
		return r.Severity
	case r.Severity == finding.High:
		return finding.Medium
	}
	return finding.Low
}
