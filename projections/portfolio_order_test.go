package projections_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/pixies"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/test/pgtest"
)

// newPortfolio returns an observer with every view, of which none follows the log.
func newPortfolio(t *testing.T) observer {
	t.Helper()
	codec, err := eventstore.NewCodec(commands.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	seen := *projections.PageViews
	seen.Inline = true
	all := slices.DeleteFunc(projections.All(), func(v *projections.View) bool { return !v.Inline })
	o := observer{codec: codec}
	o.views = &projections.Views{Pool: pgtest.Pool(t)}
	o.engine = projections.NewEngine(o.views.Pool, append(all, &seen)...)
	o.log = eventstore.New(o.views.Pool, codec, eventstore.Options{Inline: o.engine.Inline})
	o.views.Store = o.log
	if err := o.engine.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return o
}

// today is the day of the tests; an assessment is made at a moment of one of the days before.
var today = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// made is an assessment of a model: its score, -1 for none, days before today and the rules.
type made struct {
	Model, Score int
	Days         float64
	Regime       string
	// Delete deletes so many of the model's oldest assessments instead.
	Delete int
}

func modelID(n int) uuid.UUID { return uuid.UUID{0: byte(n), 15: 1} }

// inWorkspace is the workspace of a model.
func inWorkspace(model int) uuid.UUID { return uuid.UUID{0: 255, 15: byte(model % 3)} }

// stored are the stored assessments of each model, oldest event first.
type stored map[int][]assessment.Assessment

// append appends the event that is made to the log and to what is stored.
func (s stored) append(t *testing.T, o observer, m made) {
	t.Helper()
	past := s[m.Model]
	var e domain.Event
	if m.Delete > 0 {
		gone := assessment.ResultsDeleted{ModelID: modelID(m.Model), Standing: assessment.Standing{Recorded: len(past) - m.Delete}}
		for _, a := range past[:m.Delete] {
			gone.AssessmentIDs = append(gone.AssessmentIDs, a.AssessmentID)
		}
		if s[m.Model] = past[m.Delete:]; len(s[m.Model]) == 0 {
			delete(s, m.Model)
		}
		e = gone
	} else {
		a := assessment.Assessment{AssessmentID: uuid.New(), ModelID: modelID(m.Model), WorkspaceID: inWorkspace(m.Model), ModelName: fmt.Sprint("Model ", m.Model),
			AssessedAt: today.Add(-time.Duration(m.Days * float64(24*time.Hour))), RegimeID: m.Regime}
		if m.Score >= 0 {
			a.Score = &m.Score
		}
		s[m.Model] = append(past, a)
		e = assessment.Recorded{Assessment: a, Standing: assessment.Standing{Recorded: len(past) + 1}}
	}
	decideOn(t, o, "acme", eventstore.Tail(assessment.Stream("acme", modelID(m.Model))), domain.Command[struct{}](command{e}))
}

// changes returns the changes of the models in the workspaces since the day, the largest loss first, computed from all that is stored.
func (s stored) changes(since time.Time, workspaces []uuid.UUID) []string {
	type row struct {
		model, change int
	}
	var rows []row
	for model, all := range s {
		if !slices.Contains(workspaces, inWorkspace(model)) {
			continue
		}
		newest := all[len(all)-1]
		var before *assessment.Assessment
		for _, a := range all {
			later := before == nil || cmp.Or(a.AssessedAt.Compare(before.AssessedAt), bytes.Compare(a.AssessmentID[:], before.AssessmentID[:])) > 0
			if !a.AssessedAt.After(since) && a.Basis().Comparable(newest.Basis()) && later {
				before = &a
			}
		}
		r := row{model, 1000}
		if before != nil && before.Score != nil && newest.Score != nil {
			r.change = *newest.Score - *before.Score
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.change, b.change), cmp.Compare(a.model, b.model)) })
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprint(r.model, " ", r.change))
	}
	return out
}

var allWorkspaces = []uuid.UUID{inWorkspace(0), inWorkspace(1), inWorkspace(2)}

// pages returns the models of all pages of the portfolio with what they are ordered by.
func (o observer) pages(t *testing.T, q projections.PortfolioQuery, by func(projections.PortfolioModel) any) (rows []string) {
	t.Helper()
	q.AccountID, q.From, q.To = "acme", today.AddDate(0, 0, -27), today
	for {
		page, err := o.views.Portfolio(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page {
			rows = append(rows, fmt.Sprint(m.Newest.ModelID[0], " ", by(m)))
		}
		if len(page) < q.Limit {
			return rows
		}
		q.After = new(page[len(page)-1].Cursor())
	}
}

func changeOf(m projections.PortfolioModel) any { return m.Cursor().Change }

// The portfolio by change is that of a computation over all assessments, on pages of any size and for everyone's part.
//
// proves: decisions/17/sorts decisions/17/earlier
func TestPortfolioByChange(t *testing.T) {
	t.Parallel()
	const now, old = "2026-12", "2026-11"
	for name, tt := range map[string]struct {
		made []made
		want string // model and change
	}{
		"none":                           {nil, ""},
		"ties are by id":                 {[]made{{2, 50, 40, now, 0}, {1, 60, 40, now, 0}, {2, 40, 1, now, 0}, {1, 50, 1, now, 0}, {3, 90, 40, now, 0}, {3, 80, 1, now, 0}}, "1 -10, 2 -10, 3 -10"},
		"one assessment":                 {[]made{{1, 50, 1, now, 0}, {2, 50, 40, now, 0}}, "2 0, 1 1000"},
		"not old enough":                 {[]made{{1, 50, 29.9, now, 0}, {1, 40, 1, now, 0}}, "1 1000"},
		"at midnight":                    {[]made{{1, 50, 30, now, 0}, {1, 40, 1, now, 0}}, "1 -10"},
		"the newest that is old enough":  {[]made{{1, 50, 90, now, 0}, {1, 70, 31, now, 0}, {1, 10, 20, now, 0}, {1, 60, 1, now, 0}}, "1 -10"},
		"no change":                      {[]made{{1, 50, 90, now, 0}, {1, 50, 31, now, 0}, {1, 50, 1, now, 0}, {2, 50, 31, now, 0}, {2, 49, 1, now, 0}}, "2 -1, 1 0"},
		"assessed after other rules":     {[]made{{1, 50, 40, old, 0}, {1, 20, 1, now, 0}}, "1 1000"},
		"between those of other rules":   {[]made{{1, 50, 40, now, 0}, {1, 90, 35, old, 0}, {1, 20, 1, now, 0}}, "1 -30"},
		"no score now":                   {[]made{{1, 50, 40, now, 0}, {1, -1, 1, now, 0}, {2, 50, 40, now, 0}, {2, 60, 1, now, 0}}, "2 10, 1 1000"},
		"no score then":                  {[]made{{1, 70, 50, now, 0}, {1, -1, 40, now, 0}, {1, 50, 1, now, 0}}, "1 1000"},
		"deleted":                        {[]made{{1, 50, 40, now, 0}, {1, 20, 1, now, 0}, {1, 0, 0, "", 2}, {2, 50, 40, now, 0}}, "2 0"},
		"the oldest deleted":             {[]made{{1, 50, 40, now, 0}, {1, 20, 1, now, 0}, {1, 0, 0, "", 1}}, "1 1000"},
		"assessed again after a removal": {[]made{{1, 50, 40, now, 0}, {1, 0, 0, "", 1}, {1, 20, 1, now, 0}}, "1 1000"},
		"one is late":                    {[]made{{1, 20, 1, now, 0}, {1, 50, 40, now, 0}}, "1 0"},
		"a late one between":             {[]made{{1, 20, 50, now, 0}, {1, 90, 35, now, 0}, {1, 40, 40, now, 0}}, "1 -50"},
		"a year without an assessment":   {[]made{{1, 70, 400, now, 0}, {1, 50, 365, now, 0}}, "1 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, s := newPortfolio(t), stored{}
			for _, m := range tt.made {
				s.append(t, o, m)
			}
			since := today.AddDate(0, 0, -30)
			for _, limit := range []int{1, 2, 100} {
				q := projections.PortfolioQuery{Workspaces: allWorkspaces, Sort: projections.PortfolioByChange, Earlier: since, Limit: limit}
				if got := strings.Join(o.pages(t, q, changeOf), ", "); got != tt.want {
					t.Errorf("pages of %d: got %q, want %q", limit, got, tt.want)
				}
			}
			if got := strings.Join(s.changes(since, allWorkspaces), ", "); got != tt.want {
				t.Errorf("computed: got %q, want %q", got, tt.want)
			}
		})
	}
}

// On every day after any assessments and deletions the order by change is that of a computation, for everyone's part, and a rebuild makes
// the same rows.
func TestPortfolioByChangeOfAnyAssessments(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			o, s, random := newPortfolio(t), stored{}, rand.New(rand.NewPCG(seed, 0))
			scores, regimes := []int{-1, 0, 40, 50, 50, 50, 60, 100}, []string{"2026-12", "2026-12", "2026-12", "2026-11"}
			check := func() {
				t.Helper()
				for _, days := range []int{0, 1, 9, 29, 30, 31, 60, 400} { // later than today
					for _, workspaces := range [][]uuid.UUID{allWorkspaces, allWorkspaces[1:2], {}} {
						since := today.AddDate(0, 0, days-30)
						q := projections.PortfolioQuery{Workspaces: workspaces, Sort: projections.PortfolioByChange, Earlier: since, Limit: 1 + random.IntN(9)}
						if d := gocmp.Diff(s.changes(since, workspaces), o.pages(t, q, changeOf)); d != "" {
							t.Fatalf("%d days later, in %d workspaces (-want +got):\n%s", days, len(workspaces), d)
						}
						rose, fell, same, err := o.views.PortfolioChanges(t.Context(), projections.PortfolioQuery{AccountID: "acme", Workspaces: workspaces, Earlier: since})
						for _, row := range s.changes(since, workspaces) {
							var model, change int
							_, _ = fmt.Sscan(row, &model, &change)
							switch {
							case change == 1000:
							case change > 0:
								rose--
							case change < 0:
								fell--
							default:
								same--
							}
						}
						if err != nil || rose != 0 || fell != 0 || same != 0 {
							t.Fatalf("%d days later: %d, %d and %d too many changes, error %v", days, rose, fell, same, err)
						}
					}
				}
			}
			for i := range 150 {
				m := made{Model: random.IntN(9), Score: scores[random.IntN(len(scores))], Days: float64(random.IntN(80)) / 2, Regime: regimes[random.IntN(len(regimes))]}
				if i > 75 { // most are newer than those before
					m.Days /= float64(1 + random.IntN(40))
				}
				if n := len(s[m.Model]); n > 0 && random.IntN(12) == 0 {
					m.Delete = 1 + random.IntN(n)
				}
				s.append(t, o, m)
				if i%50 == 49 {
					check()
					o.same(t, "assessments")
				}
			}
			check()
		})
	}
}

// The views of a model are those of all pages of its reports with Pixies in the days of the query, whether an event has them or none yet,
// and the order is theirs. Reports without views count as reports.
func TestPortfolioByViewsOfAnyReports(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			o, s, random := newPortfolio(t), stored{}, rand.New(rand.NewPCG(seed, 1))
			views, reports := map[int]int64{}, map[int]int{}
			for model := range 12 {
				s.append(t, o, made{Model: model, Score: 50, Days: 1, Regime: "2026-12"})
				views[model] = 0
			}
			for n := range 14 {
				report, model := uuid.UUID{15: byte(n)}, random.IntN(9) // several have none
				id := modelID(model)
				is := pixies.Report{ReportID: report, WorkspaceID: inWorkspace(model), ModelID: &id, Status: pixies.StatusHasPixies}
				events, counts := []domain.Event{pixies.Added{Report: is}}, true
				switch random.IntN(5) {
				case 0:
					is.Status, counts = pixies.StatusPixiesRemoved, false
					events = append(events, pixies.Removed{Report: is})
				case 1:
					is.ModelID, counts = nil, false
					events = append(events, pixies.Added{Report: is})
				}
				decideOn(t, o, "acme", eventstore.Tail(pixies.Stream("acme", report)), domain.Command[struct{}](command(events)))
				if counts {
					reports[model]++
				}
				for range random.IntN(5) {
					day, seen := today.AddDate(0, 0, -random.IntN(32)), random.IntN(3)
					pages := map[string]int{"a": seen, "b": 1}
					decideOn(t, o, "acme", eventstore.Tail(pixies.SeenStream("acme", report, day)), domain.Command[struct{}](command{
						pixies.Seen{ReportID: report, Day: day.Format(time.DateOnly), Hour: new(day.Hour()), Views: pages}}))
					hour := today.Add(time.Duration(random.IntN(24)) * time.Hour)
					if _, err := o.views.Pool.Exec(t.Context(), `INSERT INTO page_view_hours VALUES ('acme', $1, $2, 'a', 1) ON CONFLICT DO NOTHING`, report, hour); err != nil {
						t.Fatal(err)
					}
					if counts && !day.Before(today.AddDate(0, 0, -27)) {
						views[model] += int64(seen) + 1
					}
				}
				var hours int64
				if err := o.views.Pool.QueryRow(t.Context(), `SELECT count(*) FROM page_view_hours WHERE report_id = $1`, report).Scan(&hours); err != nil {
					t.Fatal(err)
				}
				if counts {
					views[model] += hours
				}
			}
			for _, workspaces := range [][]uuid.UUID{allWorkspaces, allWorkspaces[:1], {}} {
				var want []string
				for model := range 12 {
					if slices.Contains(workspaces, inWorkspace(model)) {
						want = append(want, fmt.Sprint(model, " ", views[model], " ", reports[model]))
					}
				}
				slices.SortFunc(want, func(a, b string) int {
					var m, n int
					var v, w int64
					_, _ = fmt.Sscan(a, &m, &v)
					_, _ = fmt.Sscan(b, &n, &w)
					return cmp.Or(cmp.Compare(w, v), cmp.Compare(n, m))
				})
				for _, limit := range []int{1, 2, 5, 100} {
					q := projections.PortfolioQuery{Workspaces: workspaces, Sort: projections.PortfolioByViews, Earlier: today, Limit: limit}
					if d := gocmp.Diff(want, o.pages(t, q, func(m projections.PortfolioModel) any { return fmt.Sprint(m.Views, " ", m.Reports) })); d != "" {
						t.Errorf("pages of %d (-want +got):\n%s", limit, d)
					}
				}
			}
			o.same(t, "page_views")
		})
	}
}
