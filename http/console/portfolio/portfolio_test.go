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

func scored(workspace string, score *int, change int) client.PortfolioModel {
	m := client.PortfolioModel{WorkspaceID: uuid.NewSHA1(uuid.Nil, []byte(workspace)), WorkspaceName: workspace, SemanticModelID: uuid.New(),
		Score: score, FindingsBySeverity: &client.Severities{High: 2, Low: 1}}
	if score != nil && change != 0 {
		m.Earlier = &client.EarlierScore{Change: change, Score: *score - change}
	}
	return m
}

// The summary names the lowest score and the largest loss, whatever the order of the list, and counts what changed.
func TestSummary(t *testing.T) {
	t.Parallel()
	models := []client.PortfolioModel{scored("b", new(70), -3), scored("a", new(100), 5), scored("a", nil, 0), scored("b", new(9), -1), scored("a", new(40), 0)}
	s := summarize(models, true)
	if s.Models != 5 || !s.Partial || *s.Median != 40 || s.High != 10 || s.Better != 1 || s.Less != 2 || s.Worst != &models[3] || s.Fell != &models[0] {
		t.Errorf("got %+v, median %d", s, *s.Median)
	}
	if caption := s.Spread.Caption; caption != "Scores by workspace, of the 5 models with the lowest scores" {
		t.Errorf("the chart of a part is named %q", caption)
	}
	rows := s.Spread.Rows
	if len(rows) != 2 || rows[0].Label != "b" || rows[0].Middle != 9 || rows[0].Counts != [10]int{0: 1, 7: 1} || rows[1].Counts != [10]int{4: 1, 9: 1} {
		t.Errorf("got %+v, want the workspace with the lowest median first, and 100 in the last column", rows)
	}
	if s := summarize([]client.PortfolioModel{scored("a", nil, 0)}, false); s.Median != nil || s.Worst != nil || s.Fell != nil || len(s.Spread.Rows) != 0 {
		t.Errorf("without a score: got %+v", s)
	}
	var many []client.PortfolioModel
	for i := range maxGroups + 1 {
		many = append(many, scored(fmt.Sprintf("w%02d", i), new(50+i), 0))
	}
	if c := summarize(many, false).Spread; len(c.Rows) != maxGroups || !strings.Contains(c.Caption, "the 8 lowest of 9") || c.Rows[0].Label != "w00" {
		t.Errorf("got %+v", c)
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

// No cell begins like a formula.
func TestCell(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "", "Sales": "Sales", "=1+1": "'=1+1", "@x": "'@x", "-x": "'-x", "+x": "'+x", "\tx": "'\tx", "a=b": "a=b", "é": "é"} {
		if got := cell(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
