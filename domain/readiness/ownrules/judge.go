package ownrules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"readiness/domain/readiness"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

// Judge implements readiness.OwnRules. Every rule judges every object of its scope, whether or not an AI sees it.
func (s *Set) Judge(x *model.Scope) []readiness.OwnVerdicts {
	w := newWorld(x)
	left := uint64(maxRun)
	all := make([]readiness.OwnVerdicts, len(s.rules))
	for i := range s.rules {
		r := runner{w: w, rule: &s.rules[i], most: min(maxRule, left), left: min(maxRule, left)}
		before := r.left
		all[i] = r.judge()
		left -= before - r.left
	}
	return all
}

// runner applies a rule to a model.
type runner struct {
	w    *world
	rule *compiled
	most uint64 // what it may cost, and
	left uint64 // how much of that is left
}

func (r *runner) judge() (all readiness.OwnVerdicts) {
	objects, values := r.w.judged(r.rule.scope)
	variables := map[string]any{"model": r.w.object("Model", r.w)}
	for i, o := range objects {
		select {
		case <-r.w.x.Done:
			return readiness.OwnVerdicts{LeftOut: "the assessment was ended before"}
		default:
		}
		variables[r.rule.Definition.Scope] = values[i]
		violated, why := r.run(r.rule.when, variables)
		var verdict rule.Verdict
		if why == "" && violated == types.True {
			verdict = rule.Verdict{Violation: 1}
			verdict.Message, why = r.say(variables)
		}
		if why != "" {
			return readiness.OwnVerdicts{LeftOut: why + ", at " + wording.LowerFirst(titleOf(o))}
		}
		all.Judged = append(all.Judged, readiness.OwnVerdict{Object: o, Verdict: verdict})
	}
	return all
}

func titleOf(o model.Judged) string {
	if o == nil {
		return "the model"
	}
	return model.Title(o.Base())
}

// run evaluates an expression; why says why it has no value.
func (r *runner) run(e expression, variables map[string]any) (v ref.Val, why string) {
	v, details, err := e.program.Eval(variables)
	cost := uint64(maxObject)
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	over := cost >= r.left
	r.left -= min(cost, r.left)
	if cancelled, ok := errors.AsType[interpreter.EvalCancelledError](err); ok && cancelled.Cause == interpreter.CostLimitExceeded {
		return nil, fmt.Sprintf("it takes more than %d steps for one object", maxObject)
	}
	if err != nil {
		return nil, err.Error() + e.place(err)
	}
	if over && r.most < maxRule {
		return nil, fmt.Sprintf("all rules together take more than %d steps for the model", maxRun)
	}
	if over {
		return nil, fmt.Sprintf("it takes more than %d steps for the model", maxRule)
	}
	return v, ""
}

// place says where in the expression an error of CEL is.
func (e expression) place(err error) string {
	failed, ok := errors.AsType[*types.Err](err)
	if !ok {
		return ""
	}
	at := e.source.GetStartLocation(failed.NodeID())
	if at.Line() < 1 {
		return ""
	}
	return fmt.Sprintf(" (%d:%d of the expression)", at.Line(), at.Column()+1)
}

// say returns the message with its values.
func (r *runner) say(variables map[string]any) (text, why string) {
	var b strings.Builder
	for _, p := range r.rule.message {
		if p.program == nil {
			b.WriteString(p.text)
			continue
		}
		v, why := r.run(p.expression, variables)
		if why != "" {
			return "", why
		}
		b.WriteString(wording.Shown(shownValue(v), maxMessage))
	}
	return strings.TrimRight(wording.Shown(b.String(), maxMessage), ". "), ""
}

func shownValue(v ref.Val) string {
	switch v := v.(type) {
	case types.String:
		return string(v)
	case types.Double:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	}
	list, ok := v.(traits.Lister)
	if !ok {
		return fmt.Sprint(v.Value())
	}
	var texts []string
	for i := list.Iterator(); i.HasNext() == types.True; {
		texts = append(texts, string(i.Next().(types.String)))
	}
	return strings.Join(texts, ", ")
}
