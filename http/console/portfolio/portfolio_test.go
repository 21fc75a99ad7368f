package portfolio

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/client"
)

// The distribution has the workspaces with the lowest means first, at most eight, and says how many there are.
func TestSpread(t *testing.T) {
	t.Parallel()
	var all client.PortfolioSummary
	for i := range maxGroups + 1 {
		scores := make(client.ScoreBands, 10)
		scores[5] = i + 1
		all.Workspaces = append(all.Workspaces, client.WorkspaceSummary{WorkspaceID: uuid.New(), WorkspaceName: fmt.Sprintf("w%02d", i), Mean: new(50.5 + float64(i)), Scores: scores})
	}
	all.WorkspacesCount = 1200
	c := spread(all)
	if len(c.Rows) != maxGroups || !strings.Contains(c.Caption, "the 8 lowest of 1200") || c.Rows[0].Label != "w00" || c.Rows[0].Middle != 51 || c.Rows[1].Counts != [10]int{5: 2} ||
		c.Rows[0].Link != "/?workspaceId="+all.Workspaces[0].WorkspaceID.String() {
		t.Errorf("got %+v", c)
	}
	all.Workspaces, all.WorkspacesCount = all.Workspaces[:2], 2
	all.Workspaces[1].Mean = nil
	if c := spread(all); len(c.Rows) != 1 || c.Caption != "Scores by workspace" {
		t.Errorf("a workspace without a score: got %+v", c)
	}
}

// Values of an address that are not well formed are left out, and the address of another page keeps the filters.
func TestQuery(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for address, want := range map[string]string{
		"":                                     "",
		"scoreBelow=70&days=30&q=a%26b":        "q=a&b below=70 since=2026-10-22",
		"scoreBelow=0":                         "",
		"scoreBelow=101":                       "",
		"scoreBelow=100":                       "below=100",
		"scoreBelow=x&days=x&sort=x&sort=name": "",
		"days=0":                               "",
		"outdated=yes":                         "outdated=true",
		"days=3650":                            "since=2016-11-23",
		"days=3651":                            "",
		"workspaceId=x":                        "",
		"workspaceId=11111111-1111-4111-8111-111111111111": "in=11111111-1111-4111-8111-111111111111",
		"sort=change&continuationToken=t":                  "sort=change token=t",
	} {
		values, err := url.ParseQuery(address)
		if err != nil {
			t.Fatal(err)
		}
		p := queryOf(values).params(now, 5)
		var got []string
		if p.Q != nil {
			got = append(got, "q="+*p.Q)
		}
		if p.WorkspaceID != nil {
			got = append(got, "in="+p.WorkspaceID.String())
		}
		if p.ScoreBelow != nil {
			got = append(got, fmt.Sprintf("below=%d", *p.ScoreBelow))
		}
		if p.NotAssessedSince != nil {
			got = append(got, "since="+p.NotAssessedSince.Format(time.DateOnly))
		}
		if p.Outdated != nil {
			got = append(got, fmt.Sprintf("outdated=%t", *p.Outdated))
		}
		if p.Sort != nil && *p.Sort != "score" {
			got = append(got, "sort="+string(*p.Sort))
		}
		if p.ContinuationToken != nil {
			got = append(got, "token="+*p.ContinuationToken)
		}
		if text := strings.Join(got, " "); text != want || *p.MaxResults != 5 {
			t.Errorf("%q: got %q, want %q", address, text, want)
		}
	}
	if got := (query{Text: "a&b", Below: "7", Sort: "name"}).By("views"); got != "/?q=a%26b&scoreBelow=7&sort=views" {
		t.Errorf("got %q", got)
	}
}
