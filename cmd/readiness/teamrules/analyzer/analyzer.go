// Package analyzer turns rules of the Best Practice Analyzer of Tabular Editor, whose expressions are Dynamic LINQ, into rules for --rules.
package analyzer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"readiness/domain/readiness"
	"readiness/domain/readiness/ownrules"
	"readiness/internal/jsonerror"
	"readiness/internal/lists"
	"readiness/offline/ignore"
)

// Rule is a rule of the analyzer, as far as it is read.
type Rule struct {
	ID, Name, Description, Scope, Expression string
	Severity                                 int
}

// Import is what became of the rules of a file.
type Import struct {
	// Rules is how many rules the file has, Imported how many of them became rules of one scope or several.
	Rules    int `json:"rules"`
	Imported int `json:"imported"`
	// Partly counts those of Imported of which a scope is left out.
	Partly int    `json:"partly"`
	Made   []Made `json:"made"`
	// Left says of each rule, or scope of a rule, that is left out why.
	Left []string `json:"left_out"`
}

// Made is a rule for --rules.
type Made struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Scope    string `json:"scope"`
	When     string `json:"when"`
	Severity string `json:"severity"`
	Why      string `json:"why,omitempty"`
	// Counterparts are rules of the score that judge the same.
	Counterparts []string `json:"counterparts,omitempty"`
}

// Read reads a file of rules.
func Read(text []byte) ([]Rule, error) {
	var all []Rule
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &all); err != nil {
		return nil, fmt.Errorf("no list of rules of the Best Practice Analyzer: %w", jsonerror.Explain(err))
	}
	if len(all) == 0 {
		return nil, errors.New("a list of rules of the Best Practice Analyzer, and no rule in it")
	}
	return all, nil
}

// scope is a scope of the analyzer: which objects of ours it judges.
type scope struct{ name, of, only string }

// scopes are those of the analyzer that judge what rules of a team can judge; only restricts a scope of ours to it.
var scopes = []scope{
	{"Model", "model", ""},
	{"Table", "table", "!table.isCalculated && !table.isCalculationGroup"},
	{"CalculatedTable", "table", "table.isCalculated"},
	{"CalculationGroup", "table", "table.isCalculationGroup"},
	{"DataColumn", "column", "!column.isCalculated && !column.table.isCalculated"},
	{"CalculatedColumn", "column", "column.isCalculated"},
	{"CalculatedTableColumn", "column", "!column.isCalculated && column.table.isCalculated"},
	{"Measure", "measure", ""},
	{"Hierarchy", "hierarchy", ""},
	{"CalculationItem", "calculationItem", ""},
	{"Relationship", "relationship", ""},
	{"ModelRole", "role", ""},
	{"Partition", "partition", ""},
	{"Perspective", "perspective", ""},
}

// Convert turns rules into rules for --rules. Rules that cannot be said with what rules of a team see are left out.
func Convert(all []Rule) Import {
	made := Import{Rules: len(all), Made: []Made{}, Left: []string{}}
	seen := map[string]bool{}
	for _, r := range all {
		converted, left := convert(r)
		converted = slices.DeleteFunc(converted, func(m Made) bool {
			if seen[m.ID] {
				left = append(left, r.ID+": another rule has this id")
				return true
			}
			seen[m.ID] = true
			return false
		})
		made.Made, made.Left = append(made.Made, converted...), append(made.Left, left...)
		if len(converted) > 0 {
			made.Imported++
			if len(left) > 0 {
				made.Partly++
			}
		}
	}
	return made
}

var (
	notInID  = regexp.MustCompile(`[^A-Z0-9]+`)
	category = regexp.MustCompile(`^\s*\[[^\]]*\]\s*`)
)

func convert(r Rule) (made []Made, left []string) {
	id := "BPA-" + strings.Trim(notInID.ReplaceAllString(strings.ToUpper(r.ID), "-"), "-")
	names := strings.FieldsFunc(r.Scope, func(c rune) bool { return c == ',' || c == ' ' })
	if strings.Contains(r.Expression, "LocalDateTable") {
		return nil, []string{r.ID + ": rules do not see the tables of automatic date hierarchies, which TIM-03 judges"}
	}
	var ours []string
	for _, name := range names {
		n := slices.IndexFunc(scopes, func(s scope) bool { return s.name == name })
		switch {
		case n < 0:
			left = append(left, fmt.Sprintf("%s: rules do not judge the scope %s", r.ID, name))
		case !slices.Contains(ours, scopes[n].of):
			ours = append(ours, scopes[n].of)
		}
	}
	var failed []string
	for _, of := range ours {
		m, err := one(r, id, of, names)
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", r.ID, err))
			continue
		}
		made = append(made, m)
	}
	slices.Sort(failed)
	failed = slices.Compact(failed)
	if len(made) == 0 && len(failed) > 0 {
		return nil, failed[:1]
	}
	if len(made) > 1 {
		for i := range made {
			made[i].ID += "-" + strings.ToUpper(made[i].Scope)
		}
	}
	return made, append(left, failed...)
}

// one converts a rule for one of our scopes.
func one(r Rule, id, of string, names []string) (Made, error) {
	when, err := translate(r.Expression, of)
	if err != nil {
		return Made{}, err
	}
	var only []string
	all := true
	for _, s := range scopes {
		if s.of == of && s.only != "" {
			if slices.Contains(names, s.name) {
				only = append(only, s.only)
			} else {
				all = false
			}
		}
	}
	if !all && len(only) > 0 {
		when = either(only) + " && " + when
	}
	title := strings.TrimSuffix(strings.TrimSpace(category.ReplaceAllString(r.Name, "")), ".")
	m := Made{ID: id, Title: cmp.Or(title, r.ID), Scope: of, When: when, Severity: []string{"low", "medium", "high"}[min(max(r.Severity, 1), 3)-1],
		Why: described(r.Description)}
	for _, c := range ignore.Counterparts() {
		if strings.EqualFold(c.ID, r.ID) {
			m.Counterparts = c.Rules
		}
	}
	_, problems := ownrules.Compile([]ownrules.Definition{{OwnRule: readiness.OwnRule{ID: m.ID}, Scope: of, When: when, Message: "x"}}, readiness.Current())
	if problems != nil {
		return Made{}, fmt.Errorf("its expression became %s, which %s", when, problems[0].Message)
	}
	return m, nil
}

// either is a condition that one of some conditions holds.
func either(all []string) string {
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(lists.Map(all, func(c string) string { return "(" + c + ")" }), " || ") + ")"
}

// maxDescribed bounds a description, in characters.
const maxDescribed = 500

func described(text string) string {
	text = strings.NewReplacer("%objecttype%", "object", "%objectname%", "the object", "%object%", "the object").Replace(text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return string(runes[:min(len(runes), maxDescribed)])
}

// YAML returns the rules as a file for --rules.
func (i Import) YAML() []byte {
	var b strings.Builder
	quoted := func(text string) string {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		_ = e.Encode(text) // a text
		return strings.TrimSpace(out.String())
	}
	b.WriteString("# Made by readiness rules import from rules of the Best Practice Analyzer. Add tests: readiness rules test runs them.\nversion: 1\nown:\n")
	for _, m := range i.Made {
		if m.Counterparts != nil {
			fmt.Fprintf(&b, "  # The score has its counterpart: %s.\n", strings.Join(m.Counterparts, ", "))
		}
		fmt.Fprintf(&b, "  - id: %s\n    title: %s\n    scope: %s\n    when: |\n      %s\n    message: %s\n    severity: %s\n", m.ID, quoted(m.Title), m.Scope,
			m.When, quoted(strings.NewReplacer("{", "{{", "}", "}}").Replace(m.Title)), m.Severity)
		if m.Why != "" {
			fmt.Fprintf(&b, "    why: %s\n", quoted(m.Why))
		}
	}
	return []byte(b.String())
}
