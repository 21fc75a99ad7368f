package work_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/assessment"
	"readiness/domain/readiness"
	"readiness/work"
)

// Fingerprints are stored for the models of a run over several, for as long as its result is readable, and deleted with
// the results of their model.
func TestFingerprints(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	write(t, filepath.Join(b.Root, "Retail", good.String()+".SemanticModel", "definition", "tables", "Sales.tmdl"),
		"/// What was sold.\ntable Sales\n\n\tmeasure Revenue = SUM(Sales[Amount])\n\n\tcolumn Amount\n\t\tdataType: double\n")
	many, one := b.start(t, good, broken, gone), b.start(t, good)
	for _, s := range b.steps {
		check(t, work.Carry(t.Context(), b.Work, s, 0))
	}
	stored := func() map[bool]int { // how many of the run's assessments have a fingerprint
		t.Helper()
		all, err := b.Views.StoredBy(t.Context(), "contoso", many)
		check(t, err)
		n := map[bool]int{}
		for _, f := range all {
			n[f != nil]++
		}
		return n
	}
	if diff := cmp.Diff(map[bool]int{true: 2}, stored()); diff != "" {
		t.Errorf("fingerprints of the run (-want +got):\n%s", diff)
	}
	run, err := b.Views.Run(t.Context(), many)
	check(t, err)
	result, _ := run.Result(good)
	all, err := b.Views.StoredBy(t.Context(), "contoso", many)
	check(t, err)
	want := readiness.FingerprintOf(b.model(t))
	if diff := cmp.Diff(&want, all[*result.AssessmentID]); diff != "" || len(want.Measures) != 1 || len(want.Tables) != 1 || len(want.Objects) != 2 {
		t.Errorf("the fingerprint (-want +got):\n%s", diff)
	}
	if alone, err := b.Views.StoredBy(t.Context(), "contoso", one); err != nil || len(alone) != 1 {
		t.Errorf("a single assessment: %v, %v", alone, err)
	} else {
		for _, f := range alone {
			if f != nil {
				t.Errorf("a single assessment has the fingerprint %+v", f)
			}
		}
	}
	expiring := func() int {
		return b.Count(t, fmt.Sprintf(`SELECT count(*) FROM documents WHERE expires_at = '%s'`, noon.Add(assessment.FingerprintLife).Format(time.RFC3339)))
	}
	if n := expiring(); n != 2 {
		t.Errorf("%d fingerprints expire after %s, want 2", n, assessment.FingerprintLife)
	}
	if _, err := b.Assessments.DeleteResults(t.Context(), b.ana(), workspace, good); err != nil {
		t.Fatal(err)
	}
	if n, diff := expiring(), cmp.Diff(map[bool]int{true: 1}, stored()); n != 1 || diff != "" {
		t.Errorf("after the deletion: %d documents; of the run (-want +got):\n%s", n, diff)
	}
	check(t, b.Work.Documents.Sweep(t.Context(), noon.Add(assessment.FingerprintLife+time.Second)))
	if diff := cmp.Diff(map[bool]int{false: 1}, stored()); diff != "" {
		t.Errorf("after the sweep (-want +got):\n%s", diff)
	}
}
