package readiness

import (
	"fmt"
	"strconv"
	"strings"
)

// rule is one row of docs/regime.md C.4.
type rule struct {
	id       string
	k        float64 // weight inside the dimension
	severity Severity
	fixes    []FixKind
	check    check
	// layout marks rules about properties that a data agent's DAX generation is not
	// given. They do not apply to data agents (docs/regime.md C.6 (3)).
	layout bool
	// usage marks rules that need a usage map. The unweighted scores are computed
	// without them.
	usage bool
	// unweighted judges for the unweighted scores when there is a usage map; nil if that
	// makes no difference.
	unweighted check
	// copilot marks rules about the parts that prepare a model for AI. They do not apply
	// to a model whose parts the platform does not show.
	copilot bool
	// settled is true if an account chose the severity, which then also takes the place of
	// those that verdicts have of their own.
	settled bool
}

// check judges every eligible object of a scope, in object order.
type check func(x *scope, say func(judged, verdict))

// judged is an object that a rule judges.
type judged interface{ base() *object }

// verdict is the result of a rule for one object. The zero verdict passes.
type verdict struct {
	violation float64 // 0 to 1
	// message says what to do, as a clause without a subject; evidence says what was
	// found.
	message, evidence string
	// implied marks a failure that follows from something being absent. Its message is
	// used only when no other rule of the finding has one.
	implied bool
	// severity takes the place of the severity of the rule, if not "".
	severity Severity
}

func fails(violation float64, message, evidence string, args ...any) verdict {
	return verdict{violation: violation, message: message, evidence: fmt.Sprintf(evidence, args...)}
}

func absent(message, evidence string) verdict {
	return verdict{violation: 1, message: message, evidence: evidence, implied: true}
}

// each judges objects one by one.
func each[O judged](eligible func(*scope) []O, judge func(*scope, O) verdict) check {
	return func(x *scope, say func(judged, verdict)) {
		for _, o := range eligible(x) {
			say(o, judge(x, o))
		}
	}
}

// among judges objects with regard to all eligible objects, which prepare is given.
func among[O judged](eligible func(*scope) []O, prepare func(*scope, []O) func(O) verdict) check {
	return func(x *scope, say func(judged, verdict)) {
		objects := eligible(x)
		judge := prepare(x, objects)
		for _, o := range objects {
			say(o, judge(o))
		}
	}
}

// onModel judges the model as one object, where the rule applies.
func onModel(applies func(*scope) bool, judge func(*scope) verdict) check {
	return func(x *scope, say func(judged, verdict)) {
		if applies(x) {
			say(nil, judge(x))
		}
	}
}

// stating adds the evidence to the message of a check: the objects and numbers that
// decided, and the limits.
func stating(c check, limits ...string) check {
	return func(x *scope, say func(judged, verdict)) {
		c(x, func(o judged, v verdict) { say(o, v.stated(limits)) })
	}
}

func (v verdict) stated(limits []string) verdict {
	if v.violation > 0 {
		v.message += " (" + strings.Join(append([]string{v.evidence}, limits...), "; ") + ")"
	}
	return v
}

func always(*scope) bool { return true }

// modelItself returns the pseudo-object of a rule about the entire model.
func modelItself(ruleID string) *object {
	return &object{kind: otherKind, objectType: ModelObject, index: -1, name: "#" + ruleID}
}

// where returns the members of a set that keep accepts.
func where[O judged](set func(*scope) []O, keep func(*scope, O) bool) func(*scope) []O {
	return func(x *scope) []O {
		var kept []O
		for _, o := range set(x) {
			if keep(x, o) {
				kept = append(kept, o)
			}
		}
		return kept
	}
}

// The sets of docs/regime.md C.1: T, C, M and F contain exposed objects. Facts and dimensions
// are determined over all tables, hidden or not (docs/regime.md C.9 (7)).
func exposedTables(x *scope) []*table              { return x.t }
func exposedColumns(x *scope) []*column            { return x.c }
func exposedMeasures(x *scope) []*measure          { return x.m }
func exposedObjects(x *scope) []*object            { return x.all }
func allTables(x *scope) []*table                  { return x.tables }
func allRelationships(x *scope) []*relationship    { return x.relationships }
func verifiedAnswers(x *scope) []*answer           { return x.answers }
func describedObjects(x *scope) []*object          { return x.described }
func isFact(_ *scope, t *table) bool               { return t.fact() }
func isDimension(_ *scope, t *table) bool          { return t.dimension() }
func notKey(_ *scope, c *column) bool              { return !c.key }
func isBetween(_ *scope, r *relationship) bool     { return r.between() }
func activeBetween(x *scope, r *relationship) bool { return r.src.IsActive && r.between() }

// subject names an object at the start of a message.
func subject(o *object) string {
	name := shown(o.name, shownName)
	switch o.objectType {
	case TableObject:
		return "Table " + quoted(o.table.src.Name)
	case ColumnObject:
		return "Column " + quoted(o.table.src.Name) + "[" + name + "]"
	case MeasureObject:
		return "Measure [" + name + "]"
	case CalculationItemObject:
		return "Calculation item " + name + " of " + quoted(o.table.src.Name)
	case RelationshipObject:
		return "Relationship " + shown(o.name, 2*shownName)
	case VerifiedAnswerObject:
		return "Verified answer " + quoted(o.name)
	case SourceObject:
		return "Source " + quoted(o.name)
	case DataAgentObject:
		return "The data agent"
	case ModelObject:
	}
	return "The model"
}

// quoted returns the name of a table or an answer, quoted as in DAX and cut for
// display.
func quoted(name string) string {
	return "'" + strings.ReplaceAll(shown(name, shownName), "'", "''") + "'"
}

// count returns a number with its noun, as in "1 column" and "3 columns".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
