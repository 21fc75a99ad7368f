package ignore_test

import (
	"slices"
	"strings"
	"testing"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/readiness/finding"
	"readiness/offline/ignore"
)

// The entry and the annotation that the pages of the rules show cover the finding that they are shown for, and no other.
func TestHowToIgnore(t *testing.T) {
	t.Parallel()
	annotations := map[finding.ObjectType]bool{}
	current := readiness.Current()
	for _, rule := range current.Rules() {
		e, _ := explained.Rule(rule.ID)
		f, err := e.Fails.Finding(current, rule.ID)
		if err != nil {
			t.Fatalf("%s: %v", rule.ID, err)
		}
		text := ignore.EntryFor(rule.ID, f.Key)
		read, err := ignore.Parse("ignore.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v in\n%s", rule.ID, err, text)
		}
		covers := coveredBy(read.Entries)
		other := finding.Key{Table: f.Table + " Copy", ObjectName: "Copy"}
		if left(t, current, e.Fails, rule.ID, f, covers) || covers(rule.ID, other) || covers("other", f.Key) {
			t.Errorf("%s: the entry does not cover %+v alone:\n%s", rule.ID, f.Key, text)
		}
		if line := ignore.AnnotationFor(rule.ID, f.ObjectType); line != "" {
			annotations[f.ObjectType] = true
			name, value, _ := strings.Cut(strings.TrimPrefix(line, "annotation "), " = ")
			covers := coveredBy(ignore.OfModel(annotatedModel(f, map[string]string{name: value}), semanticmodel.Source{}, nil, warned(t)))
			if left(t, current, e.Fails, rule.ID, f, covers) || covers(rule.ID, other) {
				t.Errorf("%s: the annotation does not cover %+v alone: %s", rule.ID, f.Key, line)
			}
		}
	}
	if len(annotations) != 5 {
		t.Errorf("annotations of %v, want those of tables, columns, measures, relationships and models", annotations)
	}
}

// coveredBy returns a function that reports whether an entry covers a rule's finding about an object.
func coveredBy(all []ignore.Entry) func(string, finding.Key) bool {
	return func(rule string, key finding.Key) bool {
		return slices.ContainsFunc(all, func(e ignore.Entry) bool { return e.Matches(rule, key) })
	}
}

// warned fails the test if an annotation is wrong.
func warned(t *testing.T) func(semanticmodel.Source, string) {
	return func(_ semanticmodel.Source, message string) { t.Error(message) }
}

// left reports whether the example still has the finding when what covers accepts is ignored.
func left(t *testing.T, r *readiness.Regime, e explained.Example, rule string, f readiness.Finding, covers func(string, finding.Key) bool) bool {
	t.Helper()
	result, err := e.Assess(r, readiness.Options{Ignore: covers})
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(result.Findings, func(g readiness.Finding) bool { return g.Key == f.Key && slices.Contains(g.RuleIDs, rule) })
}

// annotatedModel has the object of a finding, with annotations.
func annotatedModel(f readiness.Finding, annotations map[string]string) *semanticmodel.Model {
	switch f.ObjectType {
	case finding.TableObject:
		return &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: f.Table, Annotations: annotations}}}
	case finding.ColumnObject:
		return &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: f.Table, Columns: []semanticmodel.Column{{Name: f.ObjectName, Annotations: annotations}}}}}
	case finding.MeasureObject:
		return &semanticmodel.Model{Tables: []semanticmodel.Table{{Name: f.Table, Measures: []semanticmodel.Measure{{Name: f.ObjectName, Annotations: annotations}}}}}
	case finding.RelationshipObject:
		from, to, _ := strings.Cut(f.ObjectName, " -> ")
		fromTable, fromColumn, _ := strings.Cut(strings.TrimSuffix(from, "]"), "[")
		toTable, toColumn, _ := strings.Cut(strings.TrimSuffix(to, "]"), "[")
		return &semanticmodel.Model{Relationships: []semanticmodel.Relationship{{
			FromTable: fromTable, FromColumn: fromColumn, ToTable: toTable, ToColumn: toColumn, Annotations: annotations,
		}}}
	default:
		return &semanticmodel.Model{Annotations: annotations}
	}
}

// A name that YAML would read as something else is quoted.
func TestIgnoreEntry(t *testing.T) {
	t.Parallel()
	got := ignore.EntryFor("NAM-03", finding.Key{Table: "2024: #Net", ObjectName: `Rgn "A"`})
	want := "ignore:\n  - rule: NAM-03\n    table: \"2024: #Net\"\n    object: \"Rgn \\\"A\\\"\"\n    reason: why this finding is accepted\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is added is read again, whatever the layout of the file.
func TestWith(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "ignore:\n  - rule: DSC-02\n    reason: x\n", "ignore:\n- rule: DSC-02\n  reason: x", "ignore:\r\n    - rule: DSC-02\r\n      reason: x\r\n",
		"# why\nignore:\n  - rule: DSC-02\n    reason: x\n\n"} {
		now, err := ignore.With(file, "DSC-01", finding.Key{Table: "Net: 1", ObjectName: ""}, " it is\nso ")
		if err != nil {
			t.Errorf("%q: %v", file, err)
			continue
		}
		all, err := ignore.Parse("x", []byte(now))
		if n := len(all.Entries) - 1; err != nil || n < 0 || !strings.HasPrefix(now, file) || all.Entries[n].Reason != "it is\nso" || *all.Entries[n].Table != "Net: 1" {
			t.Errorf("%q: %v %+v", now, err, all)
		}
	}
	for _, file := range []string{"ignore: [{rule: DSC-02, reason: x}]\n", "ignore: x\n", "ignore:\n  - rule: DSC-02\n    reason: >-\n", "ignore: []\n"} {
		if now, err := ignore.With(file, "DSC-01", finding.Key{Table: "T"}, ""); err == nil {
			t.Errorf("%q becomes %q", file, now)
		}
	}
}
