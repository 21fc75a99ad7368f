package offline_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/ignore"
)

// An assessment of many models says of each what an assessment of it alone says.
func TestPackedFindings(t *testing.T) {
	t.Parallel()
	var columns strings.Builder
	for n := range 400 {
		fmt.Fprintf(&columns, "\tcolumn 'Amount %d'\n\t\tdataType: int64\n\t\tsourceColumn: a%d\n\n", n, n)
	}
	byPath := map[string]string{}
	for n := range 20 {
		byPath[fmt.Sprintf("M%d.SemanticModel/definition/tables/Sales.tmdl", n)] = "table Sales\n\n" + columns.String()
	}
	root := files(t, byPath)
	before := baseline(t, root)
	byPath["M7.SemanticModel/definition/tables/Sales.tmdl"] += "\tcolumn Extra\n\t\tdataType: int64\n\t\tsourceColumn: x\n"
	changed := files(t, byPath)
	for name, o := range map[string]offline.AssessOptions{
		"plain":    {},
		"severe":   {MinSeverity: finding.Medium},
		"ignored":  {Ignores: &offline.Ignores{File: ignore.File{Entries: []ignore.Entry{{Rule: "DSC-02", Reason: "told elsewhere"}}}}},
		"baseline": {Baseline: before},
	} {
		t.Run(name, func(t *testing.T) {
			all := assess(t, o, changed)
			loose, lost := 0, 0.0
			for n, i := range all.All() {
				loose += len(all.Items[n].Findings) + len(all.Items[n].Ignored)
				one := assess(t, o, changed, filepath.Join(changed, filepath.FromSlash(i.Path))).Items[0]
				for what, pair := range map[string][2]any{
					"findings": {i.Findings, one.Findings},
					"ignored":  {i.Ignored, one.Ignored},
					"since":    {i.Since, one.Since},
					"lost":     {i.Lost(), one.Lost()},
					"reported": {all.Items[n].Reported(finding.Medium), one.Reported(finding.Medium)},
					"accepted": {all.Items[n].Accepted(), one.Accepted()},
				} {
					if !reflect.DeepEqual(pair[0], pair[1]) {
						t.Fatalf("%s of %s: got %.300s, want %.300s", what, i.Path, fmt.Sprint(pair[0]), fmt.Sprint(pair[1]))
					}
				}
				for _, points := range i.Lost() {
					lost += points
				}
			}
			if lost == 0 && name != "ignored" || loose > 7_000 {
				t.Errorf("%d findings are not packed, %v points are lost", loose, lost)
			}
		})
	}
}
