package declared_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/cmd/declared"
	"readiness/domain/account"
	"readiness/test/samples"
)

// The sample states every default, and an omitted value is the default too.
func TestPlansSample(t *testing.T) {
	t.Parallel()
	sample, err := os.ReadFile("../../samples/plans.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]string{
		"the sample": string(sample), "nothing": "plans:\n", "a plan without values": "plans: {Team: {assessments: {}}}\n",
	} {
		got, err := declared.ParsePlans("plans.yaml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(account.DefaultPlans(), got); diff != "" {
			t.Errorf("%s (-defaults +got):\n%s", name, diff)
		}
	}
	for _, member := range []string{"trackedItems", "assessments", "optimizationApplies", "benchmarkRuns", "benchmarkBuilds", "firstLooks", "members", "scheduledAssessments"} {
		if n := strings.Count(string(sample), "\n    "+member+": "); n != 4 {
			t.Errorf("the sample states %s for %d plans, want 4", member, n)
		}
	}
}

func TestParsePlansOverridesDefaults(t *testing.T) {
	t.Parallel()
	got, err := declared.ParsePlans("plans.yaml", []byte(`plans:
  Free:
    assessments: {limit: 0}
    benchmarkRuns: {period: Month}
    scheduledAssessments: true
  Team:
    trackedItems: {unlimited: true}
    optimizationApplies: {limit: 7, period: Lifetime}
    members: {limit: 1}
  Enterprise:
    firstLooks: {limit: 2147483647}
    assessments: {limit: 9, unlimited: false}
`))
	if err != nil {
		t.Fatal(err)
	}
	n := func(v int) *int { return &v }
	want := account.DefaultPlans()
	free, team, enterprise := want[account.Free], want[account.Team], want[account.Enterprise]
	free.Assessments.Limit, free.BenchmarkRuns.Period, free.ScheduledAssessments = n(0), account.Month, true
	team.TrackedItems.Limit, team.OptimizationApplies, team.Members.Limit = nil, account.Allowance{Limit: n(7), Period: account.Lifetime}, n(1)
	enterprise.FirstLooks.Limit, enterprise.Assessments.Limit = n(1<<31-1), n(9)
	want[account.Free], want[account.Team], want[account.Enterprise] = free, team, enterprise
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(account.DefaultPlans()[account.Business], got[account.Business]); diff != "" {
		t.Errorf("a plan that the file omits (-want +got):\n%s", diff)
	}
}

func TestParsePlansReportsEachProblem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ src, want string }{
		"empty":               {"", "plans.yaml: must hold one YAML document with the member plans"},
		"accounts":            {"accounts: []\n", `plans.yaml:1:1: accounts: unknown member; the closest is "plans"`},
		"unknown plan":        {"plans:\n  Teem: {}\n", `plans.yaml:2:3: plans.Teem: unknown member; the closest is "Team"`},
		"unknown allowance":   {"plans:\n  Team:\n    assesments: {limit: 1}\n", `plans.yaml:3:5: plans.Team.assesments: unknown member; the closest is "assessments"`},
		"limit and none":      {"plans: {Team: {members: {limit: 1, unlimited: true}}}\n", "plans.yaml:1:26: plans.Team.members.limit: cannot be combined with unlimited: true"},
		"no limit nor none":   {"plans: {Enterprise: {members: {unlimited: false}}}\n", "plans.yaml:1:32: plans.Enterprise.members.unlimited: is false, so a limit must be given"},
		"negative":            {"plans: {Team: {firstLooks: {limit: -1}}}\n", "plans.yaml:1:29: plans.Team.firstLooks.limit: must be at least 0"},
		"a plan for no one":   {"plans: {Team: {members: {limit: 0}}}\n", "plans.yaml:1:26: plans.Team.members.limit: must be at least 1"},
		"too much":            {"plans: {Team: {assessments: {limit: 2147483648}}}\n", "plans.yaml:1:37: plans.Team.assessments.limit: must be an integer below 2147483648, not integer"},
		"text":                {"plans: {Team: {assessments: {limit: many}}}\n", "plans.yaml:1:37: plans.Team.assessments.limit: must be an integer, not string"},
		"a number alone":      {"plans: {Team: {assessments: 5}}\n", "plans.yaml:1:29: plans.Team.assessments: must be a mapping of members, not integer"},
		"unknown period":      {"plans: {Team: {assessments: {period: Daily}}}\n", `plans.yaml:1:30: plans.Team.assessments.period: must be one of Day, Month, Lifetime, not "Daily"; the closest is "Day"`},
		"no period":           {"plans: {Team: {assessments: {period: Unlimited}}}\n", `plans.yaml:1:30: plans.Team.assessments.period: must be one of Day, Month, Lifetime, not "Unlimited"; the closest is "Lifetime"`},
		"a period that is no": {"plans: {Team: {firstLooks: {period: Day}}}\n", `plans.yaml:1:29: plans.Team.firstLooks.period: unknown member; the closest is "limit"`},
		"a word as switch":    {"plans: {Team: {scheduledAssessments: sometimes}}\n", "plans.yaml:1:38: plans.Team.scheduledAssessments: must be true or false, not string"},
		"everything at once": {"plans:\n  Free:\n    members: {limit: 0}\n  Team:\n    firstLooks: {limit: -5}\n",
			"plans.yaml:3:15: plans.Free.members.limit: must be at least 1\nplans.yaml:5:18: plans.Team.firstLooks.limit: must be at least 0"},
		"too large": {strings.Repeat("#", declared.MaxBytes+1), "plans.yaml: the file has 4194305 bytes; at most 4194304 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := declared.ParsePlans("plans.yaml", []byte(tt.src))
			if err == nil || got != nil {
				t.Fatalf("got %v, error %v, want an error and no plans", got, err)
			}
			if err.Error() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", err, tt.want)
			}
		})
	}
}

// Whatever the bytes, parsing returns either all four plans, none with a negative limit, or errors that name the file.
func FuzzParsePlans(f *testing.F) {
	f.Add(samples.Text(f, "plans.yaml"))
	f.Add([]byte("plans: {Free: {assessments: {limit: -1}, members: {unlimited: false}}}"))
	f.Add([]byte("plans:\n  Team: &t {trackedItems: {limit: 0x10}}\n  Business: *t\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		plans, err := declared.ParsePlans("plans.yaml", src)
		if err != nil {
			if plans != nil || !strings.HasPrefix(err.Error(), "plans.yaml") {
				t.Fatalf("got %v and error %v", plans, err)
			}
			return
		}
		if len(plans) != len(account.DefaultPlans()) {
			t.Fatalf("got %d plans", len(plans))
		}
		for plan, l := range plans {
			for _, a := range []account.Allowance{l.TrackedItems, l.Assessments, l.OptimizationApplies, l.BenchmarkRuns, l.BenchmarkBuilds, l.FirstLooks, l.Members} {
				if a.Limit != nil && *a.Limit < 0 || a.Period == "" {
					t.Errorf("%s grants %+v", plan, a)
				}
			}
		}
	})
}

// A file may begin with a byte order mark; what makes it unreadable is named.
func TestTextsOfFiles(t *testing.T) {
	t.Parallel()
	if _, err := declared.ParsePlans("p.yaml", []byte("\ufeffplans: {}\r\n")); err != nil {
		t.Errorf("with a mark: %v", err)
	}
	for text, want := range map[string]string{
		"\xff\xfep\x00": "p.yaml:1:1: this is UTF-16 text",
		"plans: {}\x00": "p.yaml:1:10: the file contains a NUL character",
		"version https://git-lfs.github.com/spec/v1\n":        "p.yaml:1:1: this is a Git LFS pointer",
		"plans:\n<<<<<<< a\n  free: {}\n=======\n>>>>>>> b\n": "p.yaml:2:1: this is an unsolved merge conflict",
	} {
		if _, err := declared.ParsePlans("p.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
