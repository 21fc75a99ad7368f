package work_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/upgrade"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
	"readiness/work"
)

// reported is a platform that counts how often it is asked for reports. It lists none if refuses is set, and never finishes to read one if
// slow is.
type reported struct {
	work.Platform
	listed, read  int
	slow, refuses bool
}

func (p *reported) Reports(ctx context.Context, as item.Caller, workspace uuid.UUID) ([]item.WorkspaceReport, error) {
	p.listed++
	if p.refuses {
		return nil, errors.New("away")
	}
	return p.Platform.Reports(ctx, as, workspace)
}

func (p *reported) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	if it.Type == item.Report {
		if p.read++; p.slow {
			return definition.Definition{}, &item.Pending{Begun: true}
		}
	}
	return p.Platform.Definition(ctx, as, it)
}

// An assessment counts what leaves with Q&A. Reports are searched only of a model with a linguistic schema whose Q&A is on, alone or
// as one of several; where they are not, the platform is not asked for them, and nothing says that there are none.
//
// proves: decisions/17/leaving-qna
func TestLeavingQnA(t *testing.T) {
	t.Parallel()
	const schema = `{"Entities":{"e":{"Definition":{"Binding":{"ConceptualEntity":"Sales"}},"Terms":["deals",{"trades":{"State":"Suggested"}},` +
		`{"sale":{"State":"Generated"}},{"sells":{"State":"Deleted"}}]},"unbound":{}},"Relationships":{"mine":{},"made":{"State":"Generated"},` +
		`"gone":{"State":"Deleted"}},"SuggestedQuestions":["How many?"]}`
	holds := upgrade.Inventory{Synonyms: 1, Suggested: 1, Generated: 1, Deleted: 1, Entities: 1, Relationships: 2, Phrasings: 1, Questions: 1}
	asks := []assessment.QnAReport{{ReportID: report1, ReportName: "Report " + report1.String()[35:], Visuals: 1, Bookmarks: 1, Pages: []string{"Page"}}}
	one := []uuid.UUID{good}
	for name, c := range map[string]struct {
		without, off bool // no linguistic schema, Q&A is off
		models       []uuid.UUID
		platform     reported
		want         assessment.LeavingQnA
		listed, read int
	}{
		"alone":                {models: one, want: assessment.LeavingQnA{Inventory: holds, Reports: asks, ReportsRead: new(2), ReportsUnread: 1}, listed: 1, read: 3},
		"a slow platform":      {models: one, platform: reported{slow: true}, want: assessment.LeavingQnA{Inventory: holds, ReportsRead: new(0), ReportsUnread: 3}, listed: 1, read: 6},
		"none can be listed":   {models: one, platform: reported{refuses: true}, want: assessment.LeavingQnA{Inventory: holds, ReportsUnlisted: true}, listed: 1},
		"one of several":       {models: []uuid.UUID{good, broken}, want: assessment.LeavingQnA{Inventory: holds, Reports: asks, ReportsRead: new(2), ReportsUnread: 1}, listed: 1, read: 3},
		"no linguistic schema": {models: one, without: true},
		"Q&A is off":           {models: one, off: true, want: assessment.LeavingQnA{Inventory: holds}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newReporting(t) // two reports that can be read, and one that cannot
			write(t, filepath.Join(b.report(report1), "definition/pages/p2/visuals/ask/visual.json"), `{"name":"ask","visual":{"visualType":"qnaVisual"}}`)
			write(t, filepath.Join(b.report(report1), "definition/bookmarks/b.bookmark.json"), `{"explorationState":{"v":"qnaVisual"}}`)
			if !c.without {
				write(t, b.file("cultures/en-US.tmdl"), "cultureInfo en-US\n\n\tlinguisticMetadata = "+schema+"\n\t\tcontentType: json\n")
			}
			if c.off {
				write(t, filepath.Join(filepath.Dir(filepath.Dir(b.file("model.tmdl"))), "definition.pbism"), `{"version":"4.2","settings":{"qnaEnabled":false}}`)
			}
			c.platform.Platform = b.Work.Platform
			o := b.Work
			o.Platform = &c.platform
			id := b.start(t, c.models...)
			b.carry(t, o)
			got, found, err := b.Views.AssessmentOf(t.Context(), "contoso", id)
			if err != nil || !found || got.LeavingQnA == nil {
				t.Fatal(found, err, got.LeavingQnA)
			}
			got.LeavingQnA.Losses = nil
			if diff := cmp.Diff(c.want, *got.LeavingQnA); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if c.platform.listed != c.listed || c.platform.read != c.read {
				t.Errorf("it was asked for reports %d times and for their definitions %d times, want %d and %d", c.platform.listed, c.platform.read, c.listed, c.read)
			}
		})
	}
}

// Over REST a model without a linguistic schema costs no call for reports, and one with it a listing and one read of each.
func TestCallsOfLeavingQnA(t *testing.T) {
	t.Parallel()
	b := newReporting(t)
	r := overREST(t, b, emulator.Layout{Exact: true})
	b.assessed(t, b.Work)
	if n := r.called("/reports"); n != 0 || len(r.begun()) != 1 {
		t.Errorf("without a linguistic schema: %d listings, reads %v", n, r.begun())
	}
	write(t, b.file("cultures/en-US.tmdl"), "cultureInfo en-US\n\n\tlinguisticMetadata = {\"CustomInstructions\":\"Revenue is net.\"}\n\t\tcontentType: json\n")
	b.assessed(t, b.Work)
	want := map[string]int{good.String(): 2, report1.String(): 1, report2.String(): 1, ruined.String(): 1}
	if d := cmp.Diff(want, r.begun()); d != "" || r.called("/reports") != 1 {
		t.Errorf("with one: %d listings, reads (-want +got):\n%s", r.called("/reports"), d)
	}
}
