package work_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/readiness"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/test/testworld"
	"readiness/work"
)

var agent = uuid.MustParse("dddddddd-0000-0000-0000-000000000001")

// part writes a part of the data agent.
func (b *bench) part(t *testing.T, path, text string) {
	t.Helper()
	write(t, filepath.Join(b.Root, "Retail", "Analyst.DataAgent", path), text)
}

// source writes a source of a stage, in a folder of the same name, with the table
// Sales selected.
func (b *bench) source(t *testing.T, stage, name, kind, id string, workspaceID uuid.UUID) {
	t.Helper()
	b.part(t, "Files/Config/"+stage+"/"+name+"/datasource.json", fmt.Sprintf(
		`{"artifactId":%q,"workspaceId":%q,"displayName":%q,"type":%q,"elements":[{"display_name":"Sales","type":"semantic_model.table","is_selected":true}]}`,
		id, workspaceID, name, kind))
}

const semantic = "semantic_model"

const instructions = "Answer with one number."

// publish writes a published data agent on the good model.
func (b *bench) publish(t *testing.T) {
	t.Helper()
	b.Item(t, "Retail", "Analyst.DataAgent", "Analyst", agent)
	b.part(t, "Files/Config/data_agent.json", "{}")
	b.part(t, "Files/Config/publish_info.json", `{"description":"Answers what was invoiced, by month and region."}`)
	b.part(t, "Files/Config/published/stage_config.json", fmt.Sprintf(`{"aiInstructions":%q}`, instructions))
	b.source(t, "published", "Sales", semantic, good.String(), uuid.Nil)
}

// assessAgent starts and carries out an assessment of the agent.
func (b *bench) assessAgent(t *testing.T) uuid.UUID {
	t.Helper()
	got, err := b.Assessments.StartAgent(t.Context(), b.ana(), workspace, agent)
	check(t, err)
	b.carry(t, b.Work)
	return got.OperationID
}

// agentAssessed returns the assessment made by an operation on the agent.
func (b *bench) agentAssessed(t *testing.T, id uuid.UUID) assessment.Assessment {
	t.Helper()
	if op := b.operation(t, id); op.Status != operation.StatusSucceeded {
		t.Fatalf("the assessment is %s: %+v", op.Status, op.Failure)
	}
	a, found, err := b.Views.AssessmentOf(t.Context(), "contoso", id)
	if err != nil || !found || a.DataAgent == nil || a.ModelID != agent || a.ModelName != "Analyst" {
		t.Fatal(a, found, err)
	}
	return a.Assessment
}

// An agent's score and document are what the regime returns for its published stage
// with the models of its sources.
//
// proves: 1/does/assess-data-agents
func TestAssessAgent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(t)
	b.part(t, "Files/Config/draft/stage_config.json", `{"aiInstructions":"not this"}`)
	a := b.agentAssessed(t, b.assessAgent(t))
	want := readiness.AssessAgent(
		readiness.Agent{Instructions: instructions, Description: "Answers what was invoiced, by month and region."},
		[]readiness.Source{{ID: good.String(), Name: "Sales", Tables: []string{"Sales"}, Model: b.model(t)}}, readiness.Options{},
	)
	if want.Score == nil || !cmp.Equal(a.Score, want.Score) || !cmp.Equal(a.ScoreDataAgent, want.Score) || a.FindingsCount != len(want.Findings) ||
		a.RegimeID != want.Regime || a.UsageInScoring || a.WorkspaceName != "Retail" {
		t.Errorf("the assessment reads %+v, want score %v and %d findings", a, *want.Score, len(want.Findings))
	}
	if a.Usage.State != assessment.NotGranted || a.Usage.Access != item.ConsentRequired || a.Usage.Reason == "" {
		t.Errorf("usage reads %+v", a.Usage)
	}
	hash := a.DataAgent.Sources[0].DefinitionHash
	read := []assessment.Source{{
		ID: good.String(), Name: "Sales", Type: semantic, WorkspaceID: workspace, Scored: true, DefinitionHash: hash,
		Usage: &assessment.Usage{State: assessment.NotGranted, Reason: a.Usage.Reason, Access: item.ConsentRequired},
	}}
	if d := cmp.Diff(&assessment.DataAgent{Stage: assessment.Published, Sources: read}, a.DataAgent); d != "" || hash == "" || hash == a.DefinitionHash {
		t.Errorf("what was read (-want +got):\n%s", d)
	}
	text, err := b.Views.Document(t.Context(), a.DocumentHash)
	check(t, err)
	var document struct {
		Report         json.RawMessage
		Model          readiness.Counts
		DataAgent      *assessment.DataAgent
		DefinitionHash string
	}
	check(t, json.Unmarshal(text, &document))
	report, err := json.Marshal(want)
	check(t, err)
	if d := cmp.Diff(string(report), string(document.Report)); d != "" || !cmp.Equal(document.DataAgent, a.DataAgent) || document.Model != want.Model || document.DefinitionHash != a.DefinitionHash {
		t.Errorf("the document's report (-want +got):\n%s", d)
	}
	if !strings.Contains(string(document.Report), `"source_model_id":"`+good.String()+`"`) {
		t.Error("no finding names its source")
	}
	if n := b.Count(t, `SELECT count(*) FROM step_tokens`); n != 0 {
		t.Errorf("%d tokens are stored after the end", n)
	}
	// Repeating a step changes nothing.
	before := b.Count(t, `SELECT count(*) FROM events`)
	again := work.AssessJob{
		Origin: commands.Origin{AccountID: "contoso", OperationID: a.OperationID, PersonID: b.ana().PersonID},
		Step:   assessment.Step{WorkspaceID: workspace, ModelID: agent, Plan: account.Team, AcceptedAt: noon},
	}
	if err := work.Carry(t.Context(), b.Work, again, 1); err != nil || b.Count(t, `SELECT count(*) FROM events`) != before {
		t.Errorf("again: %v", err)
	}
}

// The published stage is assessed if there is one, else the draft. The two are not
// compared.
func TestStageOfAnAgent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Item(t, "Retail", "Analyst.DataAgent", "Analyst", agent)
	b.part(t, "Files/Config/data_agent.json", "{}")
	b.part(t, "Files/Config/draft/stage_config.json", `{}`)
	b.source(t, "draft", "Sales", semantic, good.String(), workspace)
	var got []string
	assess := func() {
		t.Helper()
		a := b.agentAssessed(t, b.assessAgent(t))
		got = append(got, fmt.Sprintf("%s %v", a.DataAgent.Stage, a.ComparableWithPrevious))
	}
	assess()
	assess()
	b.publish(t)
	assess()
	assess()
	if want := []string{"Draft false", "Draft true", "Published false", "Published true"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// denied is a platform that answers with an error for one item.
type denied struct {
	work.Platform
	id  uuid.UUID
	err error
}

func (d denied) Definition(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error) {
	if it.ID == d.id {
		return definition.Definition{}, d.err
	}
	return d.Platform.Definition(ctx, as, it)
}

// A source that cannot be read, or that the person cannot see, is left out with a
// reason; the others are scored without it.
func TestSourcesOfAnAgent(t *testing.T) {
	t.Parallel()
	elsewhere := uuid.MustParse("aaaaaaaa-0000-0000-0000-000000000002")
	other := uuid.MustParse("bbbbbbbb-0000-0000-0000-000000000009")
	for name, c := range map[string]struct {
		meet   func(*testing.T, *bench)
		want   assessment.Source
		says   string
		scored int
	}{
		"not readable": {func(t *testing.T, b *bench) { b.source(t, "published", "X", semantic, broken.String(), uuid.Nil) },
			assessment.Source{ID: broken.String(), Type: semantic, WorkspaceID: workspace, Reason: "ItemNotReadable"}, "Sales.tmdl:2", 1},
		"not there": {func(t *testing.T, b *bench) { b.source(t, "published", "X", semantic, other.String(), uuid.Nil) },
			assessment.Source{ID: other.String(), Type: semantic, WorkspaceID: workspace, Reason: "ItemNotFound"}, "is not in workspace", 1},
		"a workspace not visible": {func(t *testing.T, b *bench) {
			b.Workspace(t, testworld.Workspace{ID: elsewhere, Name: "Vault", Members: []string{"bob"}})
			b.Model(t, "Vault", "Secret", other, "table Sales\n")
			b.source(t, "published", "X", semantic, other.String(), elsewhere)
		}, assessment.Source{ID: other.String(), Type: semantic, WorkspaceID: elsewhere, Reason: "ItemNotFound"}, "cannot see", 1},
		"denied": {func(t *testing.T, b *bench) {
			b.source(t, "published", "X", semantic, broken.String(), uuid.Nil)
			b.Work.Platform = denied{b.Work.Platform, broken, domain.Refuse(domain.PlatformConsentRequired, "consent is missing")}
		}, assessment.Source{ID: broken.String(), Type: semantic, WorkspaceID: workspace, Reason: "PlatformAccessDenied"}, "consent is missing", 1},
		"no semantic model": {func(t *testing.T, b *bench) { b.source(t, "published", "X", "kusto", other.String(), uuid.Nil) },
			assessment.Source{ID: other.String(), Type: "kusto", WorkspaceID: workspace, Reason: assessment.NoSemanticModel}, "only semantic models", 1},
		"an item of another type": {func(t *testing.T, b *bench) { b.source(t, "published", "X", semantic, agent.String(), uuid.Nil) },
			assessment.Source{ID: agent.String(), Type: semantic, WorkspaceID: workspace, Reason: "ItemNotFound"}, "", 1},
		"no id": {func(t *testing.T, b *bench) { b.source(t, "published", "X", semantic, "soon", uuid.Nil) },
			assessment.Source{ID: "X", Type: semantic, WorkspaceID: workspace, Reason: "ItemNotFound"}, "does not say", 1},
		"named twice": {func(t *testing.T, b *bench) {
			b.source(t, "published", "X", semantic, strings.ToUpper(good.String()), uuid.Nil)
		},
			assessment.Source{ID: "X", Type: semantic, WorkspaceID: workspace, Reason: assessment.NamedTwice}, "earlier", 1},
		"another workspace's": {func(t *testing.T, b *bench) {
			b.Workspace(t, testworld.Workspace{ID: elsewhere, Name: "Vault"})
			b.Model(t, "Vault", "Open", other, "table Sales\n\n\tcolumn Amount\n\t\tdataType: double\n")
			b.source(t, "published", "X", semantic, other.String(), elsewhere)
		}, assessment.Source{ID: other.String(), Type: semantic, WorkspaceID: elsewhere, Scored: true}, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.publish(t)
			c.meet(t, b)
			a := b.agentAssessed(t, b.assessAgent(t))
			got := slices.Clone(a.DataAgent.Sources)
			if len(got) != 2 || got[0].Name != "Sales" || !got[0].Scored || a.Score == nil {
				t.Fatalf("sources %+v, score %v", got, a.Score)
			}
			x := got[1]
			if !strings.Contains(x.Message, c.says) || (x.Usage != nil) != x.Scored || (x.DefinitionHash != "") != x.Scored || (x.Message == "") != x.Scored {
				t.Errorf("the source reads %+v, want %q in its message", x, c.says)
			}
			x.Message, x.Usage, x.DefinitionHash = "", nil, ""
			c.want.Name = "X"
			if d := cmp.Diff(c.want, x); d != "" {
				t.Errorf("source (-want +got):\n%s", d)
			}
			var report struct {
				Sources         []readiness.ScoredSource
				UnscoredSources []string `json:"unscored_sources"`
			}
			check(t, json.Unmarshal(b.document(t, a).Report, &report))
			if len(report.Sources) != c.scored || len(report.UnscoredSources) != 2-c.scored {
				t.Errorf("the report has sources %+v, and without a score %v", report.Sources, report.UnscoredSources)
			}
		})
	}
}

// An agent without any source that can be scored has no score; the findings about
// its own configuration are stored.
func TestAgentWithoutScoredSources(t *testing.T) {
	t.Parallel()
	for name, sources := range map[string]func(*testing.T, *bench){
		"none": func(t *testing.T, b *bench) {
			b.Remove(t, "Retail", "Analyst.DataAgent", "Files", "Config", "published", "Sales")
		},
		"one of another type": func(t *testing.T, b *bench) { b.source(t, "published", "Sales", "kusto", good.String(), uuid.Nil) },
	} {
		for access, want := range map[item.Access]assessment.UsageState{
			item.Granted: assessment.NoTrackedReports, item.ConsentRequired: assessment.NotGranted, item.Unavailable: assessment.UsageUnavailable,
		} {
			t.Run(name+" "+string(access), func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				b.access[item.PermissionUsage] = access
				b.publish(t)
				sources(t, b)
				a := b.agentAssessed(t, b.assessAgent(t))
				if a.Score != nil || a.ScoreDataAgent != nil || a.DataAgent.Sources == nil {
					t.Errorf("the assessment reads %+v", a)
				}
				if u := a.Usage; u.Applied || u.State != want || u.Access != access || u.Reason == "" {
					t.Errorf("usage reads %+v", u)
				}
			})
		}
	}
}

// TestAgentFailures checks which failures end the assessment of an agent, and what
// each refunds.
func TestAgentFailures(t *testing.T) {
	t.Parallel()
	source := func(code domain.Code) func(*testing.T, *bench) {
		return func(_ *testing.T, b *bench) {
			b.Work.Platform = denied{b.Work.Platform, good, domain.Refuse(code, "no")}
		}
	}
	for name, c := range map[string]struct {
		meet  func(*testing.T, *bench)
		code  domain.Code
		says  string
		spent int
	}{
		"no data agent": {func(t *testing.T, b *bench) {
			check(t, os.Remove(filepath.Join(b.Root, "Retail", "Analyst.DataAgent", "Files", "Config", "data_agent.json")))
		}, domain.ItemNotReadable, "data_agent.json", 1},
		"a source that is no JSON": {func(t *testing.T, b *bench) { b.part(t, "Files/Config/published/Sales/datasource.json", "{\n") },
			domain.ItemNotReadable, "Sales/datasource.json", 1},
		"no stage": {func(t *testing.T, b *bench) {
			b.Remove(t, "Retail", "Analyst.DataAgent", "Files", "Config", "published")
		}, domain.ItemNotReadable, "neither a published stage nor a draft", 1},
		"too many sources": {func(t *testing.T, b *bench) {
			for i := range assessment.MaxSources {
				b.source(t, "published", fmt.Sprint("S", i), "kusto", uuid.NewString(), uuid.Nil)
			}
		}, domain.ItemNotReadable, "21 sources", 1},
		"a source is paused":       {source(domain.CapacityPaused), domain.CapacityPaused, "", 0},
		"a source is busy":         {source(domain.CapacityBusy), domain.CapacityBusy, "", 0},
		"a source does not answer": {source(domain.PlatformUnavailable), domain.PlatformUnavailable, "", 0},
		"a source takes too long": {func(_ *testing.T, b *bench) {
			b.Work.Platform = denied{b.Work.Platform, good, context.DeadlineExceeded}
		}, domain.AssessmentTimedOut, "", 1},
		"the agent is paused": {func(_ *testing.T, b *bench) {
			b.Work.Platform = denied{b.Work.Platform, agent, domain.Refuse(domain.CapacityPaused, "no")}
		}, domain.CapacityPaused, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.publish(t)
			c.meet(t, b)
			got, err := b.Assessments.StartAgent(t.Context(), b.ana(), workspace, agent)
			check(t, err)
			check(t, work.Carry(t.Context(), b.Work, b.steps[0], work.Patience))
			op := b.operation(t, got.OperationID)
			if op.Status != operation.StatusFailed || op.Failure.Code != c.code || !strings.Contains(op.Failure.Message, c.says) || *op.Impact.Assessments != c.spent {
				t.Errorf("the operation reads %+v, failure %+v; want %s", op, op.Failure, c.code)
			}
			if a, f := b.used(t, account.Assessments, account.Day), b.used(t, account.FirstLooks, account.Lifetime); a != c.spent || f != c.spent {
				t.Errorf("%d assessments and %d first looks are spent, want %d", a, f, c.spent)
			}
		})
	}
}

// A platform that does not answer for a source is asked again, as for a model.
func TestAgentSourceIsAskedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(t)
	if _, err := b.Assessments.StartAgent(t.Context(), b.ana(), workspace, agent); err != nil {
		t.Fatal(err)
	}
	o := b.Work
	o.Platform = denied{o.Platform, good, domain.Refuse(domain.PlatformUnavailable, "no")}
	if err := work.Carry(t.Context(), o, b.steps[0], 0); !domain.IsRefused(err, domain.PlatformUnavailable) {
		t.Errorf("the first attempt: %v", err)
	}
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 1))
	b.agentAssessed(t, b.steps[0].OperationID)
}

// An agent that was deleted between the call and the step becomes a deleted tracked
// item (decisions/8/8). The step's messages call it a data agent.
func TestStepNoticesDeletedAgent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(t)
	b.assessAgent(t)
	b.assessAgent(t)
	tracked := func() trackeditem.Item {
		t.Helper()
		got := eventstore.FoldLast[trackeditem.Item](trackeditem.Stream("contoso", agent))
		check(t, b.Store.Load(t.Context(), got))
		return got.State
	}
	there := b.Work.Platform
	b.Work.Platform = denied{there, agent, domain.Refuse(domain.ItemNotFound, "no")}
	b.assessAgent(t)
	if got := tracked(); got.Status != trackeditem.StatusTracked {
		t.Errorf("not found but listed, it is %s", got.Status)
	}
	b.Work.Platform = there
	if _, err := b.Assessments.StartAgent(t.Context(), b.ana(), workspace, agent); err != nil {
		t.Fatal(err)
	}
	b.Remove(t, "Retail", "Analyst.DataAgent")
	b.carry(t, b.Work)
	if got := tracked(); got.Status != trackeditem.StatusDeleted || got.ItemType != item.DataAgent || got.ClaimedVia != trackeditem.ViaAgentAssessment {
		t.Errorf("the tracked item reads %+v", got)
	}
	b.publish(t)
	last, err := b.Assessments.StartAgent(t.Context(), b.ana(), workspace, agent)
	check(t, err)
	check(t, work.CarryAfterCrashes(t.Context(), b.Work, b.steps[len(b.steps)-1], 0, work.MaxCrashes))
	if op := b.operation(t, last.OperationID); op.Failure == nil || !strings.Contains(op.Failure.Message, "assessed this data agent") {
		t.Errorf("the operation reads %+v", op.Failure)
	}
}

// Views of the reports on each source weigh that source; the assessment's usage
// summarizes them all.
//
// proves: 4.4/single/3-weighted 2.9/usage/applied 2.9/usage/trackedReportCount
func TestUsageWeighsAnAgent(t *testing.T) {
	t.Parallel()
	b := newViewed(t)
	b.lookAround(t)
	b.publish(t)
	b.source(t, "published", "Aside", semantic, gone.String(), uuid.Nil)
	a := b.agentAssessed(t, b.assessAgent(t))
	thin, err := b.Work.Platform.Definition(t.Context(), b.ana().Caller, item.Item{ID: gone, Type: item.SemanticModel, WorkspaceID: workspace})
	check(t, err)
	m, err := semanticmodel.Read(thin)
	check(t, err)
	want := readiness.AssessAgent(readiness.Agent{Instructions: instructions, Description: "Answers what was invoiced, by month and region."}, []readiness.Source{
		{ID: gone.String(), Name: "Aside", Tables: []string{"Sales"}, Model: m},
		{ID: good.String(), Name: "Sales", Tables: []string{"Sales"}, Model: b.model(t), Usage: lookedAround},
	}, readiness.Options{})
	report, err := json.Marshal(want)
	check(t, err)
	if d := cmp.Diff(string(report), string(b.document(t, a).Report)); d != "" || want.Weighting != readiness.WeightedByUsage {
		t.Errorf("the report (-want +got):\n%s", d)
	}
	u, sales, other := a.Usage, a.DataAgent.Sources[1].Usage, a.DataAgent.Sources[0].Usage
	if !a.UsageInScoring || !u.Applied || u.State != assessment.UsageApplied || *u.TrackedReportCount != 2 || *u.WindowDays != 28 || u.Reason != "Aside: "+other.Reason {
		t.Errorf("usage reads %+v", u)
	}
	if !sales.Applied || sales.Reason != "" || other.Applied || other.State != assessment.NoTrackedReports || *other.TrackedReportCount != 0 {
		t.Errorf("usage of the sources reads %+v and %+v", sales, other)
	}
}
