package main

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"readiness/cmd/cli"
	"readiness/eventstore/audit"
)

// projections as-of prints the rows of the events up to a position or to a signed head, and leaves no tables.
func TestAsOf(t *testing.T) {
	t.Parallel()
	a := newAuditor(t)
	a.ok(a.log.Begin(t.Context(), treeOrigin))
	_, head := a.kept("first", audit.Service)
	a.more()
	last := query[int64](t, a.url, `SELECT max(position) FROM events`)
	asOf := func(args ...string) result { return a.types(append([]string{"projections", "as-of"}, args...)...) }
	before := query[string](t, a.url, `SELECT string_agg(g::text, ' ') FROM view_generations g`)

	plan := func(got result) string {
		t.Helper()
		a.wants(got, cli.ExitOK, `{"table" : "accounts", "row" : `)
		for line := range strings.Lines(got.stdout) {
			if strings.Contains(line, `"table" : "accounts"`) && strings.Contains(line, `"contoso"`) {
				_, rest, _ := strings.Cut(line, `"plan":"`)
				name, _, _ := strings.Cut(strings.TrimPrefix(rest, `"`), `"`)
				return name
			}
		}
		return ""
	}
	if was, is := plan(asOf("accounts", "--position", fmt.Sprint(head.Position))), plan(asOf("accounts", "--position", fmt.Sprint(last))); was == is {
		t.Errorf("the plan was %q and is %q", was, is)
	}
	if got := asOf("accounts", "--position", "0"); got.code != cli.ExitOK || got.stdout != "" {
		t.Errorf("before the first event: %+v", got)
	}
	other := asOf("accounts", "--position", fmt.Sprint(last), "--account", "fabrikam")
	if a.wants(other, cli.ExitOK, "fabrikam"); strings.Contains(other.stdout, "contoso") {
		t.Errorf("of another account:\n%s", other.stdout)
	}
	table := asOf("accounts", "--position", fmt.Sprint(last), "--format", "csv", "--table", "members")
	a.wants(table, cli.ExitOK, "account_id", "contoso")
	if rows, err := csv.NewReader(strings.NewReader(table.stdout)).ReadAll(); err != nil ||
		len(rows) != 1+query[int](t, a.url, `SELECT count(*) FROM members_v2`) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	timed := asOf("accounts", "--time", head.SignedAt.Add(time.Second).UTC().Format(time.RFC3339))
	if a.wants(timed, cli.ExitOK); timed.stdout != asOf("accounts", "--position", fmt.Sprint(head.Position)).stdout ||
		!strings.Contains(timed.stderr, fmt.Sprintf("as of position %d", head.Position)) || !strings.Contains(timed.stderr, string(head.Note)) {
		t.Errorf("as of the head: %+v", timed)
	}
	for name, row := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no view":         {[]string{"nothing", "--position", "1"}, cli.ExitUsage, `there is no view "nothing"`},
		"neither":         {[]string{"accounts"}, cli.ExitUsage, "either --position or --time"},
		"both":            {[]string{"accounts", "--position", "1", "--time", "2026-01-01T00:00:00Z"}, cli.ExitUsage, "either --position or --time"},
		"a later one":     {[]string{"accounts", "--position", fmt.Sprint(last + 1)}, cli.ExitFailed, fmt.Sprintf("the log has no position %d", last+1)},
		"a negative one":  {[]string{"accounts", "--position", "-1"}, cli.ExitFailed, "the log has no position -1"},
		"no time":         {[]string{"accounts", "--time", "yesterday"}, cli.ExitUsage, "--time must be like"},
		"an earlier time": {[]string{"accounts", "--time", "2020-01-01T00:00:00Z"}, cli.ExitFailed, "no head was signed at or before"},
		"another format":  {[]string{"accounts", "--position", "1", "--format", "xml"}, cli.ExitUsage, "--format must be ndjson or csv"},
		"csv of many":     {[]string{"accounts", "--position", "1", "--format", "csv"}, cli.ExitUsage, "name a table of the view: accounts, members"},
		"two standbys": {[]string{"accounts", "--position", "1", "--read-database-url", "postgres://one,two/x"}, cli.ExitUsage,
			"must name one server"},
		"no table": {[]string{"accounts", "--position", "1", "--table", "x"}, cli.ExitUsage, "name a table of the view"},
	} {
		if got := asOf(row.args...); got.code != row.code || got.stdout != "" || !strings.Contains(got.stderr, row.says) {
			t.Errorf("%s: %+v, want %d, %q", name, got, row.code, row.says)
		}
	}
	if after := query[string](t, a.url, `SELECT string_agg(g::text, ' ') FROM view_generations g`); after != before {
		t.Errorf("the generations are %s, and were %s", after, before)
	}
	if n := query[int](t, a.url, `SELECT count(*) FROM pg_class WHERE relname LIKE '%\_g0'`); n != 0 {
		t.Errorf("%d tables are left", n)
	}
}
