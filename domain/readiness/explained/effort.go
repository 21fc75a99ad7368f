package explained

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// Effort is how long it takes to mend something.
type Effort string

// The efforts.
const (
	Minutes Effort = "minutes"
	Hour    Effort = "hour"
	Days    Effort = "days"
)

// efforts are those for one object by hand, where they are more than minutes.
var efforts = map[string]Effort{
	"AGT-02": Hour, "INS-01": Hour, "INS-02": Hour, "INS-04": Hour, "INS-07": Hour, "INS-10": Hour, "MEA-01": Hour, "MEA-05": Hour,
	"MEA-10": Hour, "REL-02": Hour, "REL-05": Days, "REL-07": Days, "REL-09": Hour, "REL-11": Days, "TIM-01": Hour, "TIM-06": Hour, "TYP-03": Hour,
	"TYP-04": Hour, "VIS-05": Hour,
}

// untrue are rules whose findings make answers wrong, whatever the texts say.
var untrue = []string{"INS-09", "MEA-07", "MEA-09", "MEA-10", "REL-04", "REL-08", "REL-10"}

// structural begin the ids of rules about what is calculated, not about how it is called or described.
var structural = []string{"MEA", "REL", "TIM", "TYP"}

// EffortOf returns how long it takes to mend one object of a rule by hand.
func EffortOf(ruleID string) Effort { return cmp.Or(efforts[ruleID], Minutes) }

// EffortIn returns the effort of a number of minutes.
func EffortIn(minutes int) Effort {
	switch {
	case minutes <= 30:
		return Minutes
	case minutes <= 120:
		return Hour
	}
	return Days
}

// Task is the findings of one rule on a model, as something to do.
type Task struct {
	Rule     string
	Count    int
	Severity finding.Severity // the highest
	// Points is what the findings cost: the score without caps rises by it when they are mended, and all else stays.
	Points float64
	// Kinds are the kinds of proposals that can mend the findings; without one it is done by hand.
	Kinds []finding.FixKind
	// Caps says that the findings limit the score.
	Caps bool
	// own is the rule of a team; nil for one of ours.
	own  *readiness.OwnRule
	full bool // a finding fails by more than half
}

// NewTask returns the task of a rule of a result, without findings.
func NewTask(ruleID string, r readiness.Result) Task {
	t := Task{Rule: ruleID, Severity: finding.Low, own: r.OwnRule(ruleID),
		Caps: slices.ContainsFunc(r.Caps, func(id string) bool { return slices.Contains(readiness.CapRules(id), ruleID) })}
	if rule, ok := readiness.Current().Rule(ruleID); ok && !t.Caps { // no proposal lifts a cap
		t.Kinds = rule.FixKinds
	}
	return t
}

// Add adds a finding that is listed under the task's rule.
func (t *Task) Add(f readiness.Finding) {
	t.Count++
	t.Points += f.Impact
	t.full = t.full || f.Violation > 0.5
	if rank(f.Severity) > rank(t.Severity) {
		t.Severity = f.Severity
	}
}

// Minutes estimates how long the task takes: an object by hand as its rule says, proposals to be read through.
func (t Task) Minutes() int {
	if len(t.Kinds) > 0 {
		return Reading(t)
	}
	if t.Rule == "TIM-01" && !t.full { // there is a table to mark
		return 5
	}
	effort := EffortOf(t.Rule)
	if t.own != nil {
		effort = Effort(t.own.Effort)
	}
	return t.Count * map[Effort]int{Minutes: 5, Hour: 60, Days: 480}[effort]
}

// Fault returns what is wrong, as a title: that of the rule with the number of objects.
func (t Task) Fault() string {
	if t.own == nil {
		return Fault(t.Rule, t.Count)
	}
	if t.Count == 1 {
		return t.own.Title
	}
	return fmt.Sprintf("%s (%d)", t.own.Title, t.Count)
}

// Help returns why the rule is and how to satisfy it; "" if a team's rule says neither.
func (t Task) Help() string {
	if t.own == nil {
		e := explanations[t.Rule]
		return strings.TrimSpace(e.Why + " " + e.Fix)
	}
	return strings.TrimSpace(t.own.Why + " " + t.own.Fix)
}

// Fix returns how to mend it, in a sentence; "" if a team's rule does not say.
func (t Task) Fix() string {
	if t.own == nil {
		return explanations[t.Rule].Fix
	}
	return t.own.Fix
}

// Reading estimates how many minutes it takes to read through the proposals for some tasks: a start for each kind, a while for
// what would take an hour by hand, and a moment for each object.
func Reading(all ...Task) int {
	var kinds []finding.FixKind
	minutes := 0
	for _, t := range all {
		if k := t.Kinds[0]; !slices.Contains(kinds, k) {
			kinds, minutes = append(kinds, k), minutes+5
		}
		if EffortOf(t.Rule) != Minutes {
			minutes += 10
		}
		minutes += t.Count / 4
	}
	return minutes
}

// Effort returns how long the task takes.
func (t Task) Effort() Effort { return EffortIn(t.Minutes()) }

// Urgent reports whether the task comes before everything else: it limits the score, or answers are wrong whatever the texts say.
func (t Task) Urgent() bool { return t.Caps || slices.Contains(untrue, t.Rule) }

// Misleads reports whether the task is about relationships that give wrong totals, or none at all: texts would be written for another model.
func (t Task) Misleads() bool {
	return strings.HasPrefix(t.Rule, "REL") && t.Severity == finding.High && t.Effort() != Days
}

// tier is 0 for what is urgent, 1 for faults of the structure that are no trifles and can be mended at once, else 2: texts
// about a wrong structure would be written twice.
func (t Task) tier() int {
	switch {
	case t.Urgent():
		return 0
	case t.own != nil && t.own.Dimension == "": // it costs no points, so its severity decides
		return map[finding.Severity]int{finding.High: 1, finding.Medium: 1, finding.Low: 2}[t.own.Severity]
	case slices.Contains(structural, t.Rule[:min(3, len(t.Rule))]) && t.Severity != finding.Low && t.Effort() != Days && t.Points >= 0.1:
		return 1
	}
	return 2
}

// Compare orders tasks: what to do first is less.
func (t Task) Compare(o Task) int {
	gain := func(t Task) float64 { return t.Points / float64(max(t.Minutes(), 1)) }
	return cmp.Or(cmp.Compare(t.tier(), o.tier()), cmp.Compare(gain(o), gain(t)), cmp.Compare(rank(o.Severity), rank(t.Severity)),
		strings.Compare(t.Rule, o.Rule))
}

// Leading returns the rule of a finding under which it is listed: the first that makes answers wrong, else the first.
func Leading(ruleIDs []string) string {
	for _, id := range ruleIDs {
		if slices.Contains(untrue, id) {
			return id
		}
	}
	return strings.Join(ruleIDs[:min(1, len(ruleIDs))], "")
}

// Tasks returns findings of a result by their leading rules, what to do first at the beginning.
func Tasks(r readiness.Result, findings []readiness.Finding) []Task {
	at := map[string]int{}
	var all []Task
	for _, f := range findings {
		rule := Leading(f.RuleIDs)
		n, ok := at[rule]
		if !ok {
			n = len(all)
			at[rule] = n
			all = append(all, NewTask(rule, r))
		}
		all[n].Add(f)
	}
	slices.SortFunc(all, Task.Compare)
	return all
}

// Gain returns by how much the score rises, not rounded, if a result loses the findings of some tasks: less than their points
// while another cause limits the score. It is 0 without a score.
func Gain(r readiness.Result, done ...Task) float64 {
	if r.Raw == nil {
		return 0
	}
	score := *r.RawUncapped
	for _, t := range done {
		score += t.Points
	}
	for _, id := range r.Caps {
		most, ok := readiness.CapLimit(id)
		stays := slices.ContainsFunc(r.Findings, func(f readiness.Finding) bool {
			rule := Leading(f.RuleIDs)
			return slices.Contains(readiness.CapRules(id), rule) && !slices.ContainsFunc(done, func(t Task) bool { return t.Rule == rule })
		})
		if ok && stays {
			score = min(score, most)
		}
	}
	return max(0, score-*r.Raw)
}

func rank(s finding.Severity) int {
	return slices.Index([]finding.Severity{finding.Low, finding.Medium, finding.High}, s)
}
