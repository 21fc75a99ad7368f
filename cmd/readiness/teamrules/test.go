package teamrules

import (
	"fmt"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/ownrules"
	"readiness/internal/lists"
	"readiness/offline"
	"readiness/offline/report"
)

// Outcome is how a test in a file ended.
type Outcome struct {
	Rule string `json:"rule"`
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
	// Fault says why it failed; "" if it passed.
	Fault string `json:"fault,omitempty"`
}

// Test runs the tests of all rules, each on its rule alone, and names the rules that have none.
func (r *Rules) Test() (all []Outcome, untested []string) {
	for _, one := range r.own {
		tests := one.file.Own[one.index].Tests
		if len(tests) == 0 {
			untested = append(untested, one.ID)
		}
		for n, t := range tests {
			o := Outcome{one.ID, t.Name, one.file.File, one.file.LineOfTest(one.index, n), ""}
			if o.Name == "" {
				o.Name = fmt.Sprintf("test %d", n+1)
			}
			o.Fault = fault(one.Definition, t.TMDL, t.Violated)
			all = append(all, o)
		}
	}
	return all, untested
}

// fault says why a rule does not find what it should in a model; "" if it does.
func fault(d ownrules.Definition, tmdl string, want []string) string {
	d.Dimension = "" // the finding alone
	found, err := violated(d, tmdl)
	if err != nil {
		return err.Error()
	}
	var missing []string
	left := slices.Clone(found)
	for _, name := range want {
		n := slices.IndexFunc(left, func(f offline.Finding) bool { return report.Names(f, name) })
		if n < 0 {
			missing = append(missing, name)
			continue
		}
		left = slices.Delete(left, n, n+1)
	}
	var faults []string
	if missing != nil {
		faults = append(faults, "not violated: "+strings.Join(missing, ", "))
	}
	if len(left) > 0 {
		faults = append(faults, "violated: "+strings.Join(lists.Map(left, report.ObjectOf), ", "))
	}
	return strings.Join(faults, "; ")
}

// violated returns the findings of a rule in a model.
func violated(d ownrules.Definition, tmdl string) ([]offline.Finding, error) {
	set, problems := ownrules.Compile([]ownrules.Definition{d}, readiness.Current())
	if problems != nil {
		return nil, fmt.Errorf("the rule: %s", problems[0].Message)
	}
	m, err := semanticmodel.Read(definition.New(definition.Part{Path: "definition/model.tmdl", Data: []byte(tmdl)}))
	if err != nil {
		return nil, fmt.Errorf("the model: %w", err)
	}
	regime, err := readiness.Current().WithOwn("", set)
	if err != nil {
		return nil, err
	}
	result := regime.Assess(m, readiness.Options{Ignore: nil})
	if why := result.Own[0].LeftOut; why != "" {
		return nil, fmt.Errorf("the rule was left out: %s", why)
	}
	var all []offline.Finding
	for _, f := range result.Findings {
		if slices.Contains(f.RuleIDs, d.ID) {
			all = append(all, offline.Finding{Finding: f})
		}
	}
	return all, nil
}
