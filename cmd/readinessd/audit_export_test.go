package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/cmd/cli"
	"readiness/eventstore/audit"
)

// Heads of every epoch of a log that was restarted twice before its export are verified against the imported log, with the trees that were
// exported.
//
// proves: decisions/20/epochs
func TestAuditExport(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	trees, lines := filepath.Join(a.files, "trees"), filepath.Join(a.files, "lines")
	a.wants(a.types("audit", "export"), cli.ExitFailed, "the trees of the log have no name")
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	var heads []string
	for _, epoch := range []string{"1", "2", "3"} {
		if epoch != "1" {
			a.wants(a.types("audit", "restart", "--because", "a test"), cli.ExitOK, "epoch "+epoch+" has begun")
		}
		all, _ := a.kept("all-"+epoch, audit.Service)
		one, _ := a.kept("contoso-"+epoch, "contoso")
		heads = append(heads, "--checkpoint", all, "--checkpoint", one)
		a.more()
	}
	a.ok(a.log.Seal(t.Context()))
	printed := a.types("audit", "export")
	a.wants(printed, cli.ExitOK, "exported")
	a.wants(a.types("audit", "export", "--output", trees), cli.ExitOK, "exported")
	a.wants(a.types("audit", "export", "--output", trees), cli.ExitFailed, "file exists")
	if text, err := os.ReadFile(trees); err != nil || string(text) != printed.stdout {
		t.Errorf("the file has %v\n%s\nwant\n%s", err, text, printed.stdout)
	}
	a.wants(a.types("events", "export", "--output", lines), cli.ExitOK)
	to, _ := a.replica()
	a.wants(to("", "events", "import", lines), cli.ExitOK)
	a.wants(to("", append([]string{"audit", "verify", "--trees", trees}, heads...)...), cli.ExitOK, ": 0 mismatches", "the log was imported without 5 persons")
	a.wants(to("", "audit", "verify", "--trees", trees), cli.ExitOK, ": 0 mismatches")
	a.wants(to("", append([]string{"audit", "verify"}, heads...)...), cli.ExitDamaged, "and this log has no such tree")
	lost := a.file("lost", a.signed(a.key, treeOrigin+"/2", otherHead(3)))
	a.wants(to("", "audit", "verify", "--trees", trees, "--checkpoint", lost), cli.ExitDamaged, "had another hash when it had 3 entries")

	contoso := a.types("audit", "export", "--account", "contoso").stdout
	if strings.Count(contoso, "\n") != 3 || strings.Contains(contoso, `"tree":""`) || strings.Contains(contoso, "fabrikam") {
		t.Errorf("the trees of one account are\n%s", contoso)
	}
	a.wants(to("", "audit", "verify", "--trees", lines), cli.ExitUsage, "line 1 is not one of readinessd audit export")
	a.wants(to("", "audit", "verify", "--trees", filepath.Join(a.files, "none")), cli.ExitFailed, "does not exist")
	a.wants(to("", "audit", "verify"), cli.ExitUsage, "--checkpoint or --checkpoint-to is missing")
}
