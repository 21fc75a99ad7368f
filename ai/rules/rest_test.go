package rules_test

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/rules/meanings"
	"readiness/internal/optional"
	"readiness/test/samples"
)

// models calls a function for every sample and for every public model, if there are any.
func models(t *testing.T, each func(name string, m *semanticmodel.Model)) {
	t.Helper()
	roots := []string{samples.Workspaces(t)}
	if corpus, public := samples.Corpus(t); public {
		roots = append(roots, corpus)
	}
	n := 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			m := modelAt(t, path)
			if m == nil {
				return nil
			}
			n++
			each(strings.TrimPrefix(path, root), m)
			return fs.SkipDir
		})
		if err != nil {
			t.Error(err)
		}
	}
	if n < 9 {
		t.Errorf("only %d models", n)
	}
}

// checkRest applies the recommended proposals, that many times; then nothing more is recommended. Applied once, they do not
// lower the score, and raise it if there are any: of a real model, which has more than a few objects.
func checkRest(fail func(format string, args ...any), m *semanticmodel.Model, times int) {
	changed := false
	for _, ask := range asks(m) {
		a := rules.Propose(ask)
		if ask.Type == proposal.AIDataSchema {
			a.Proposals = onlyRecommended(a.Proposals)
		}
		changed = changed || len(a.Proposals) > 0
	}
	after := m
	for range times {
		after = optimized(after, true)
	}
	for _, ask := range asks(after) {
		if again := rules.Propose(ask).Proposals; len(again) > 0 {
			fail("%s is proposed again: %+v", ask.Type, again)
		}
	}
	before, then := readiness.Current().Assess(m, readiness.Options{}).RawUncapped, readiness.Current().Assess(after, readiness.Options{}).RawUncapped
	if times == 1 && before != nil && (then == nil || *then < *before || changed && *then == *before) {
		fail("score from %v to %v", *before, optional.Value(then))
	}
}

// After the recommended defaults are applied, the score is higher and a second run proposes nothing.
func TestRest(t *testing.T) {
	t.Parallel()
	models(t, func(name string, m *semanticmodel.Model) {
		checkRest(func(format string, args ...any) { t.Errorf(name+": "+format, args...) }, m, 1)
	})
	checkRest(t.Errorf, shop(), 1)
}

// Repeated runs over any model end without proposals, though not always after one: what one kind shows can need a text of another.
func TestRestOfAnyModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkRest(t.Fatalf, allNamed(anyModel().Draw(t, "model")), 3) })
}

// allNamed gives fields without a name one, because findings confuse a field without a name with its table, and tables
// without fields one, because there are none: to leave such a table out moves its weight to the others, which can cost more
// than leaving it out gains.
func allNamed(m *semanticmodel.Model) *semanticmodel.Model {
	for i := range m.Tables {
		t := &m.Tables[i]
		for j := range t.Columns {
			t.Columns[j].Name = cmp.Or(t.Columns[j].Name, "nameless")
		}
		for j := range t.Measures {
			x := &t.Measures[j]
			x.Name = cmp.Or(x.Name, "nameless")
			if strings.Contains(x.Expression, "["+x.Name+"]") {
				x.Expression = "1"
			}
		}
		if len(t.Columns)+len(t.Measures) == 0 {
			t.Columns = []semanticmodel.Column{{Name: "only", DataType: semanticmodel.String, SummarizeBy: "none"}}
		}
	}
	return m
}

// checkHiding: no object gains a violation of VIS-04 or VIS-07 by the proposals, all or the recommended ones, and nothing
// that instructions or verified answers name is hidden.
func checkHiding(fail func(format string, args ...any), m *semanticmodel.Model) {
	all := rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: m}).Proposals
	before := readiness.Current().Read(m, readiness.Options{}).Violations("VIS-04", "VIS-07")
	for _, set := range [][]proposal.Proposal{all, onlyRecommended(all)} {
		after := applied(m, proposal.AIDataSchema, set)
		for v, n := range readiness.Current().Read(after, readiness.Options{}).Violations("VIS-04", "VIS-07") {
			if n > before[v]+1e-9 {
				fail("%v violates by %v, by %v before", v, n, before[v])
			}
		}
	}
	named := meanings.Named(m)
	for _, p := range all {
		if p.Value == proposal.Hidden && slices.ContainsFunc(named, func(s finding.Subject) bool {
			return s.Table == p.Table && (s.Name == p.Name || p.Object.Type == proposal.Table && shownNow(m, s))
		}) && p.Object.Type != proposal.Table {
			fail("%v is named and hidden", p.Object)
		}
	}
}

func shownNow(m *semanticmodel.Model, s finding.Subject) bool {
	return slices.ContainsFunc(readiness.Expose(m).Tables, func(t readiness.ExposedTable) bool {
		return t.Name == s.Table && (slices.ContainsFunc(t.Columns, func(c readiness.ExposedColumn) bool { return c.Name == s.Name }) ||
			slices.ContainsFunc(t.Measures, func(x readiness.ExposedMeasure) bool { return x.Name == s.Name }))
	})
}

func TestHiding(t *testing.T) {
	t.Parallel()
	models(t, func(name string, m *semanticmodel.Model) {
		checkHiding(func(format string, args ...any) { t.Errorf(name+": "+format, args...) }, m)
	})
}

func TestHidingInAnyModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		if rapid.Bool().Draw(t, "chosen") {
			m.Copilot.Schema = anySchema(t, m)
		}
		if rapid.Bool().Draw(t, "instructed") {
			text := "Use [" + rapid.SampledFrom(names).Draw(t, "named") + "] and '" + rapid.SampledFrom(names).Draw(t, "table") + "'[" + rapid.SampledFrom(names).Draw(t, "field") + "]."
			m.Copilot.Instructions = &text
		}
		checkHiding(t.Fatalf, m)
	})
}

var reference = regexp.MustCompile(`(?:'([^'\n]+)')?\[([^\]\n]+)\]`)

// checkInstructions: the proposed text contradicts itself in nothing (INS-11), gives no measure a name that another object of
// the model has, names only what an AI still sees once the proposed AI data schema is applied, and has no line twice.
func checkInstructions(fail func(format string, args ...any), m *semanticmodel.Model) {
	a := rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: m})
	if len(a.Proposals) == 0 {
		return
	}
	value := a.Proposals[0].Value
	current := ""
	if m.Copilot.Instructions != nil && strings.TrimSpace(*m.Copilot.Instructions) != "" {
		current = *m.Copilot.Instructions
	}
	after := applied(m, proposal.AIInstructions, a.Proposals)
	before := readiness.Current().Read(m, readiness.Options{}).Violations("INS-11", "VIS-07")
	for v := range readiness.Current().Read(after, readiness.Options{}).Violations("INS-11", "VIS-07") {
		if _, known := before[v]; !known {
			fail("%v in %s", v, value)
		}
	}
	shown := readiness.Expose(applied(m, proposal.AIDataSchema, onlyRecommended(rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: m}).Proposals)))
	seen := map[string]bool{}
	for line := range strings.Lines(strings.TrimPrefix(value, current)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "- ") && seen[line] {
			fail("%q comes twice", line)
		}
		seen[line] = true
		for _, ref := range reference.FindAllStringSubmatch(line, -1) {
			if !namesShown(shown, ref[1], ref[2]) {
				fail("%q names %q, which an AI does not see", line, ref[0])
			}
		}
		for _, one := range meanings.Of(m).In(line) {
			for _, t := range m.Tables {
				for _, x := range t.Measures {
					if strings.EqualFold(x.Name, one.Term) && one.Measure.Name != x.Name {
						fail("%q gives the name of %q to %q", line, x.Name, one.Measure.Name)
					}
				}
			}
		}
	}
}

// namesShown reports whether a reference names something that is exposed.
func namesShown(e readiness.Exposure, table, name string) bool {
	return slices.ContainsFunc(e.Tables, func(t readiness.ExposedTable) bool {
		return (table == "" || strings.EqualFold(t.Name, table)) &&
			(slices.ContainsFunc(t.Columns, func(c readiness.ExposedColumn) bool { return table != "" && strings.EqualFold(c.Name, name) }) ||
				slices.ContainsFunc(t.Measures, func(x readiness.ExposedMeasure) bool { return strings.EqualFold(x.Name, name) }))
	})
}

func TestInstructionsOfModels(t *testing.T) {
	t.Parallel()
	models(t, func(name string, m *semanticmodel.Model) {
		checkInstructions(func(format string, args ...any) { t.Errorf(name+": "+format, args...) }, m)
	})
}

func TestInstructionsOfAnyModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel().Draw(t, "model")
		if rapid.Bool().Draw(t, "synonyms") {
			for range 3 {
				m.Cultures = append(m.Cultures, semanticmodel.Culture{Name: "en-US", Entities: []semanticmodel.LinguisticEntity{{
					Table: rapid.SampledFrom(names).Draw(t, "table"), Property: rapid.SampledFrom(names).Draw(t, "field"),
					Terms: []semanticmodel.Term{{Text: rapid.SampledFrom(append([]string{"turnover", "sales ytd", "net-sales ytd"}, names...)).Draw(t, "term"), State: "Authored"}},
				}}})
			}
		}
		if rapid.Bool().Draw(t, "instructed") {
			text := "Turnover means [" + rapid.SampledFrom(names).Draw(t, "named") + "].\n"
			m.Copilot.Instructions = &text
		}
		checkInstructions(t.Fatalf, m)
	})
}

// No description that is proposed is one that violates DSC-05, and every object that gets none and should be seen
// has a question.
func TestDescriptionsOfModels(t *testing.T) {
	t.Parallel()
	models(t, func(name string, m *semanticmodel.Model) {
		all := everything(m)
		a := rules.Propose(proposal.Ask{Type: proposal.Description, Model: m, Objects: all})
		violated := fixable(applied(m, proposal.Description, a.Proposals), "DSC-05")
		for _, p := range a.Proposals {
			if slices.Contains(violated, p.Object) {
				t.Errorf("%s: %v: %q", name, p.Object, p.Value)
			}
		}
		var left []proposal.Object
		for _, p := range rules.Propose(proposal.Ask{Type: proposal.AIDataSchema, Model: m}).Proposals {
			if p.Value == proposal.Hidden {
				left = append(left, p.Object)
			}
		}
		asked := map[proposal.Object]int{}
		for _, q := range a.Questions {
			asked[q.Object]++
			if !strings.HasSuffix(q.Text, "?") || asked[q.Object] > 1 {
				t.Errorf("%s: %+v", name, q)
			}
		}
		for _, o := range fixable(applied(m, proposal.Description, a.Proposals), "DSC-01", "DSC-02", "DSC-03") {
			if asked[o] == 0 && !slices.Contains(left, o) && !slices.ContainsFunc(a.Proposals, func(p proposal.Proposal) bool { return p.Object == o }) {
				t.Errorf("%s: %v has no text and no question", name, o)
			}
		}
	})
}
