package commands_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/assessment"
	"readiness/domain/auditview"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/modelnotes"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/person"
	"readiness/domain/pixies"
	"readiness/domain/proposal"
	"readiness/domain/schedule"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/domain/verdict"
	"readiness/domain/webhook"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
)

var update = flag.Bool("update", false, "write golden files that are missing; one that exists is never rewritten")

// examples returns an example of every event.
func examples() []domain.Event {
	id := func(n byte) uuid.UUID { return uuid.UUID{15: n} }
	seven, forty, yes, itemID, at := 7, 40, true, id(4), time.Date(2026, 11, 21, 12, 0, 0, 123456000, time.UTC)
	ana := item.FormerPersonID(item.Person{Issuer: "https://issuer.example", ID: "tid/ana"})
	settings := account.Settings{AddPixies: true, CapacityDetails: true, AIFeatures: true, DefinitionCopies: account.CopiesNone}
	standing := assessment.Standing{Accepted: 2, Recorded: 1, Basis: assessment.Basis{RegimeID: "2026-11"}}
	failure := operation.Failure{Code: domain.ItemNotReadable, Message: "tables/Sales.tmdl:3:1: expected a name"}
	result := assessment.Result{ModelID: id(4), Outcome: assessment.Assessed, AssessmentID: &itemID, Score: &forty, ScoreDataAgent: &seven, FindingsCount: &seven}
	reserved := trackeditem.Item{
		ItemID: id(4), ItemType: item.SemanticModel, WorkspaceID: id(3), WorkspaceName: "Retail", DisplayName: "Sales", LicenseID: "main",
		ReservedBy: []uuid.UUID{id(1), id(2)},
	}
	reservedRoom := room.Total{Used: 7, ByLicense: map[string]int{"main": 4, "eu": 3}, Reserved: 2, ReservedByLicense: map[string]int{"main": 1, "eu": 1}}
	tracked := trackeditem.Item{
		ItemID: id(4), ItemType: item.SemanticModel, WorkspaceID: id(3), WorkspaceName: "Retail", DisplayName: "Sales",
		Status: trackeditem.StatusDeleted, TrackedSince: at, DeletedAt: &at, LicenseID: "main", ClaimedVia: trackeditem.ViaAssessment,
	}
	saved := benchmark.SavedSet{DocumentHash: "sha256:1", QuestionSetHash: "sha256:2", Count: 20, Repeats: 3, OperationID: id(1), Number: 2}
	old, money := "Old", "Money"
	source := &optimization.Source{AssessmentID: id(2), DocumentHash: "sha256:1", Score: &forty}
	writes := []optimization.Write{{Type: proposal.DisplayFolder, Objects: []optimization.Object{{
		Key: "Sales|Revenue", Type: proposal.DisplayFolder, Table: "Sales", Object: "Revenue", ObjectType: proposal.Measure, Property: rewrite.DisplayFolder,
		Previous: &old, Written: &money,
	}}}}
	skipped := []optimization.Skip{{Key: "Sales|Cost", Reason: "ItemChanged", Message: "it is in another folder"}}
	held := optimization.Standing{Holder: &itemID, Count: 3, LastAt: &at, Applies: []optimization.StandingApply{{OperationID: id(8), At: at}}}
	child := optimization.Child{
		Kind: optimization.Descriptions, PreviewID: &itemID, PreviewStanding: optimization.ChildSucceeded, ExpiresAt: &at, OperationID: &itemID, Reverts: &itemID,
		Standing: optimization.ChildFailed, Code: domain.ItemChanged, Message: "changed",
	}
	report := pixies.Report{
		ReportID: id(6), WorkspaceID: id(3), ReportName: "Sales", ModelID: &itemID, Status: pixies.StatusHasPixies, Pages: &seven, Visuals: &forty,
		Placed: []pixies.Placed{{Page: "Overview", ID: "0f"}}, ChangedAt: &at, Holder: &itemID, LastOperation: &itemID,
	}
	provider := aiprovider.Configuration{
		ProviderID: id(7).String(), Name: "Azure", Kind: aiprovider.AzureOpenAI, BaseURL: "https://texts.example", Model: "d", APIVersion: "2026-05-01",
		WorkspaceID: id(3), DataAgentID: id(5), Purposes: []aiprovider.Purpose{aiprovider.Proposals}, Enabled: true,
		DataPolicy: aiprovider.DataPolicy{SendDAX: true}, Limits: aiprovider.DefaultLimits(),
	}
	hook := webhook.Configuration{WebhookID: id(7), Host: "hooks.example", Events: []webhook.Kind{webhook.ScoreFell, webhook.AssessmentFailed, webhook.OperationEnded, webhook.AllowanceLow}, Format: webhook.CloudEvents, Enabled: true}
	scheduled := schedule.Schedule{
		ScheduleID: id(7), WorkspaceID: id(3), ModelID: id(4), WorkspaceName: "Retail", ModelName: "Sales",
		Timing:  schedule.Timing{Frequency: schedule.Weekly, DayOfWeek: "Monday", TimeUTC: "06:30"},
		Enabled: true, Owner: ana, Paused: &schedule.Reason{Code: domain.ItemNotFound, Message: "gone"}, PausedAt: &at, NextAt: &at,
		LastRun:   &schedule.Run{Slot: at, OperationID: &itemID, Outcome: schedule.Missed, Code: domain.ItemNotFound, Message: "gone"},
		CreatedAt: at, ChangedAt: at,
	}
	side := benchmark.Side{
		WorkspaceID: id(3), WorkspaceName: "Retail", SemanticModelID: id(4), SemanticModelName: "Sales",
		AnsweredBy: benchmark.AnsweredBy{
			Kind: verdict.DataAgent, DataAgentID: &itemID, DataAgentName: "Analyst", DataAgentWorkspaceID: &itemID, DataAgentWorkspaceName: "Agents",
			ProviderID: "7", ProviderName: "Azure",
		},
	}
	asked := abtest.Questions{Document: "sha256:1", SetHash: "sha256:2", Count: 20}
	words := abtest.Words{
		Name: "Synonyms", Description: &old, Hypothesis: &abtest.Hypothesis{Text: "B is better", Kind: &old}, LabelA: &old, LabelB: &money,
		SideADescription: &old, SideBDescription: &money,
	}
	share := verdict.Rate(0.1667)
	took := &verdict.ResponseTime{N: 24, Errors: 1, MeanMS: 8120, MedianMS: 7400, P90MS: 14100, P95MS: 16020, MinMS: 2100, MaxMS: 21900, Includes: "ask_to_last_token", Excludes: []string{"judging"}}
	aggregate := verdict.Aggregate{
		Comparable: 20, Excluded: 1, Scores: verdict.Scores{A: &seven, B: &forty}, ResponseTimes: verdict.ResponseTimes{A: took},
		AccuracyDifference:     verdict.AccuracyDifference{BMinusA: &share, CI: &verdict.Interval{Method: "paired_bootstrap_2000", Low: 0.02, High: 0.29}},
		McNemar:                verdict.McNemarTest{N10: 1, N01: 4, P: 0.375, Exact: true, Underpowered: true, Note: "too few differing questions"},
		ResponseTimeDifference: &verdict.DurationDifference{MedianBMinusA: -640, MeanBMinusA: -410, CI: &verdict.DurationInterval{Method: "paired_bootstrap_2000", Low: -1500, High: 180}},
		Improvements:           []string{"q07", "q11"}, Regressions: []string{"q15"}, Conclusion: verdict.NoDifferenceShown, Alpha: 0.05, Corrections: "none",
	}
	runs := abtest.Standing{
		Runs: 2, SortedAt: at, Succeeded: &itemID, Aggregate: &aggregate, Gaps: []int{3},
		Latest: &abtest.LatestRun{RunID: id(1), Status: operation.StatusFailed, StartedAt: at, FinishedAt: &at, Aggregate: &aggregate, Failure: &failure},
	}
	sideB := abtest.B
	return []domain.Event{
		account.Opened{AccountID: "contoso", Plan: account.Team, Status: account.Active, Region: "westeurope", Settings: settings},
		account.PlanChanged{Plan: account.Business},
		account.StatusChanged{Status: account.Suspended},
		account.RegionChanged{Region: "northeurope"},
		account.SettingsChanged{Settings: settings},
		account.LicenseSaved{License: account.License{ID: "main", Label: "Main", Default: true, Allocated: &seven, Region: "westeurope", Status: "Active"}},
		account.LicenseRemoved{LicenseID: "main"},
		account.PersonSaved{Person: account.SavedPerson{Person: ana, Role: account.Admin, License: "main", Permissions: map[item.Permission]item.Access{item.PermissionUsage: item.Granted}}},
		account.PersonRemoved{Person: ana},
		person.Erased{PersonID: ana},
		account.DocumentSaved{Name: "aiProvider", Text: `{"kind":"rules"}`},
		account.DocumentRemoved{Name: "aiProvider"},
		account.Sealed{Size: 42, Root: []byte{1, 2, 3}},
		account.Erased{},
		account.Spent{Kind: account.Assessments, OperationID: id(1), Amount: 3, Used: 7},
		account.Refunded{Kind: account.FirstLooks, OperationID: id(1), Amount: 1, Used: 6},
		operation.Accepted{
			OperationID: id(1), AccountID: "contoso", Type: operation.AssessSemanticModel, Owner: ana,
			Resource: operation.Resource{WorkspaceID: id(3), ItemID: &itemID, ItemType: item.SemanticModel},
			Impact:   operation.Impact{Assessments: &seven, FirstLook: &yes},
		},
		operation.Started{Percent: &seven},
		operation.Progressed{Percent: 40},
		operation.Succeeded{},
		operation.Failed{Failure: failure, Impact: operation.Impact{Assessments: &seven}},
		operation.Cancelled{},
		assessment.RunAccepted{WorkspaceID: id(3), WorkspaceName: "Retail", Models: []assessment.Model{{ModelID: id(4), ModelName: "Sales", FirstLook: true}}},
		assessment.ModelEnded{Result: result},
		assessment.Accepted{OperationID: id(1), WorkspaceID: id(3), ModelID: id(4), FirstLook: true, Standing: standing},
		assessment.Refunded{OperationID: id(1), Standing: standing},
		assessment.Recorded{Standing: standing, Assessment: assessment.Assessment{
			AssessmentID: id(2), OperationID: id(1), WorkspaceID: id(3), WorkspaceName: "Retail", ModelID: id(4), ModelName: "Sales", AssessedAt: at,
			Score: &forty, ScoreDataAgent: &seven, FindingsCount: 12, RegimeID: "2026-11", UsageInScoring: true, ComparableWithPrevious: true,
			Usage:        assessment.Usage{Applied: true, State: "Applied", Reason: "because", WindowDays: &seven, TrackedReportCount: &seven, Access: item.Granted},
			DocumentHash: "sha256:1", DefinitionHash: "sha256:2", SchemaVersion: 1,
		}},
		assessment.Pinned{ModelID: id(4), AssessmentID: id(2), Standing: standing},
		assessment.Unpinned{ModelID: id(4), AssessmentID: id(2), Standing: standing},
		modelnotes.OwnerSet{ModelID: id(4), Owner: ana},
		modelnotes.Added{ModelID: id(4), NoteID: id(2), By: ana, Text: "Ask Bo first.", At: at},
		modelnotes.Changed{ModelID: id(4), NoteID: id(2), Text: "Ask Cy first.", At: at},
		modelnotes.Removed{ModelID: id(4), NoteID: id(2)},
		modelnotes.OwnerRemoved{ModelID: id(4)},
		assessment.Ended{OperationID: id(1), Standing: assessment.Standing{Accepted: 2, Running: 1, Recorded: 1, Basis: assessment.Basis{RegimeID: "2026-11"}}},
		assessment.ResultsDeleted{ModelID: id(4), AssessmentIDs: []uuid.UUID{id(2), id(5)}, Standing: assessment.Standing{Accepted: 2}},
		trackeditem.Claimed{Item: tracked},
		trackeditem.Reserved{Item: reserved},
		trackeditem.Released{Item: reserved},
		trackeditem.Joined{ItemID: id(4), OperationID: id(2)},
		trackeditem.Left{ItemID: id(4), OperationID: id(2)},
		trackeditem.Removed{Item: tracked},
		trackeditem.AddedAgain{Item: tracked},
		trackeditem.Deleted{Item: tracked},
		trackeditem.ResultsDeleted{Item: tracked},
		trackeditem.TrackedAgain{Item: tracked},
		trackeditem.Renamed{Item: tracked},
		operation.WaitingForOwner{Until: &at},
		operation.SignInNeeded{Code: domain.Unauthorized, Message: "sign in again", Claims: "e30", Permission: "Item.Read.All", At: at, Until: at},
		operation.Resumed{},
		operation.ImpactCorrected{Impact: operation.Impact{OptimizationApplies: &seven, TrackedItem: &yes}},
		optimization.PreviewAccepted{Kind: optimization.Descriptions, ModelName: "Sales", Source: source, Bundle: &itemID},
		optimization.Previewed{DocumentHash: "sha256:3", Changes: 7, ExpiresAt: at},
		optimization.ApplyAccepted{
			Kind: optimization.Properties, ModelName: "Sales", PreviewID: &itemID, Unattended: true, Source: source, Reverts: &itemID,
			Writes: writes, Applies: 2, Allowance: "allowance-contoso-optimizationApplies-2026-11-21", Bundle: &itemID,
		},
		optimization.Proposed{DocumentHash: "sha256:3", Writes: writes, Skipped: skipped},
		optimization.WriteStarted{Write: 1},
		optimization.WriteIntended{Write: 1, DefinitionHash: "sha256:2", Skipped: skipped, Undo: []rewrite.Undo{{
			Target:  rewrite.Target{Property: rewrite.DisplayFolder, Table: "Sales", Name: "Revenue"},
			Written: "Money", Lines: &old, Culture: "en-US", Made: map[string]string{"tables/Sales": ""}, Created: []string{"Copilot/schema.json"},
		}}},
		optimization.WritesContinued{Writes: writes, Skipped: skipped},
		optimization.IntentContinued{Write: 1, Skipped: skipped, Undo: []rewrite.Undo{{Target: rewrite.Target{Property: rewrite.Description, Table: "Sales"}, Written: "Sold."}}},
		optimization.WriteSent{Write: 1, Operation: id(9).String()},
		optimization.WriteLanded{Write: 1, At: at},
		optimization.WriteFailed{Write: 1, Failure: failure},
		optimization.Restored{By: id(9), Keys: []string{"Sales|Revenue"}, Complete: true},
		optimization.LockTaken{OperationID: id(1), Standing: held},
		optimization.LockReleased{OperationID: id(1), Wrote: true, Standing: held},
		optimization.BundleAccepted{Form: optimization.Unattended, AcceptedAt: at, ModelName: "Sales", WorkspaceName: "Retail", Of: &itemID, Children: []optimization.Child{child}},
		optimization.ChildChanged{Child: child},
		optimization.BundleUsed{By: id(9)},
		pixies.Locked{Report: report},
		pixies.Added{Report: report},
		pixies.Removed{Report: report},
		pixies.Unchanged{Report: report},
		pixies.ReportDeleted{Report: report},
		pixies.RunAccepted{
			Verb: pixies.Adds, WorkspaceID: id(3), WorkspaceName: "Retail", Reports: []pixies.Named{{ReportID: id(6), ReportName: "Sales"}}, Single: true,
			Setup:   &pixies.Setup{CollectorBaseURL: "https://views.example", Size: 4, Corner: "TopLeft", ExcludePages: []string{"Draft*"}},
			License: "main", KeepCopies: true,
		},
		pixies.ChangeIntended{
			ReportID: id(6), Outcome: pixies.OutcomeAdded, ModelID: &itemID, Placed: report.Placed, Pages: 7, Visuals: 40, TrackedItem: true,
			DefinitionHash: "sha256:2", CopyHash: "sha256:3",
		},
		pixies.ChangeSent{ReportID: id(6), Operation: id(9).String()},
		pixies.ReportEnded{ReportID: id(6), Outcome: pixies.OutcomeFailed, Pages: &seven, Visuals: &forty, Error: &failure},
		pixies.Seen{ReportID: id(6), Day: "2026-11-21", Views: map[string]int{"Overview": 7}},
		benchmark.SaveAccepted{OperationID: id(1), Number: 3, Saved: &saved},
		benchmark.QuestionsSaved{SavedSet: saved, Accepted: 3},
		benchmark.GenerationAccepted{ModelName: "Sales", Count: 20, Allowance: "allowance-contoso-benchmarkBuilds-2026-11-21"},
		benchmark.SavingAccepted{ModelName: "Sales", DocumentHash: "sha256:1", Number: 3},
		benchmark.QuestionsMade{DocumentHash: "sha256:1", QuestionSetHash: "sha256:2", Count: 20, CanRun: 19},
		auditview.Asked{View: "accounts", Position: 12, Note: "readiness.example.com/audit\n1\nroot\n", SignedAt: &at},
		auditview.Listed{DocumentHash: "sha256:1", Rows: 2},
		aiprovider.Saved{Configuration: provider, At: at},
		aiprovider.Changed{Configuration: provider, At: at},
		aiprovider.KeyChanged{ProviderID: id(7).String(), HasKey: true, At: at},
		aiprovider.Tested{
			ProviderID: id(7).String(), Test: aiprovider.Test{At: at, LatencyMs: 40, ErrorCode: aiprovider.TimedOut, Message: "It took too long."},
			Capabilities: &aiprovider.Capabilities{JSONSchema: aiprovider.Strict, Temperature: &yes, Tools: &yes},
		},
		aiprovider.Used{ProviderID: id(7).String(), By: "abtest/1"},
		aiprovider.Released{ProviderID: id(7).String(), By: "abtest/1"},
		aiprovider.Deleted{ProviderID: id(7).String()},
		webhook.Created{Configuration: hook, At: at},
		webhook.Changed{Configuration: hook, NewAddress: true, At: at},
		webhook.Stopped{WebhookID: id(7), At: at},
		webhook.SecretRotated{WebhookID: id(7), PreviousEndsAt: at, At: at},
		webhook.Deleted{WebhookID: id(7)},
		schedule.Created{Schedule: scheduled},
		schedule.Changed{Schedule: scheduled},
		schedule.SlotStarted{Slot: at, OperationID: id(1), Schedule: scheduled},
		schedule.SlotRefused{Slot: at, Code: domain.AssessmentDailyLimitReached, Schedule: scheduled},
		schedule.Paused{Slot: at, Schedule: scheduled},
		schedule.Deleted{ScheduleID: id(7)},
		benchmark.RunAccepted{
			RunID: id(8), AccountID: "contoso", OperationID: id(1), Side: side, Questions: "sha256:1", QuestionSetHash: "sha256:2", Count: 20, Repeats: 3,
			AbTest: &benchmark.OfTest{AbTestID: id(9), Side: "b"}, Allowance: "allowance-contoso-benchmarkRuns-2026-11", At: at,
		},
		benchmark.RunStarted{At: at},
		benchmark.Asked{QuestionID: "q07", N: 2, Verdict: verdict.Correct, Method: verdict.ByFields, DurationMS: 9100, DocumentHash: "sha256:3", Made: 7, Errors: 1},
		benchmark.RunCompleted{At: at, Outcome: benchmark.Outcome{
			DocumentHash: "sha256:3", Score: &forty, Verdicts: verdict.Counts{Correct: 46, Incorrect: 10, Unclear: 3, Refused: 1, Error: 2},
			ResponseTime: took, Scored: 20, Stable: 16,
		}},
		benchmark.RunFailed{Failure: failure, At: at},
		benchmark.RunCancelled{At: at},
		benchmark.VerdictOverruled{
			Overrule: benchmark.Overrule{QuestionID: "q07", N: 2, Verdict: verdict.Correct, Reason: "It is rounded."}, At: at,
			Outcome: benchmark.Outcome{
				DocumentHash: "sha256:4", Score: &forty, Verdicts: verdict.Counts{Correct: 47, Incorrect: 9}, ResponseTime: took, Scored: 20, Stable: 16,
				Overruled: 1, Judge: &verdict.Judge{ProviderID: id(7).String(), Model: "judge-1", PromptVersion: "judge/1"}, Judged: 12, JudgeOverruled: 1,
			},
		},
		benchmark.RunDeleted{},
		abtest.Created{
			AbTestID: id(9), AccountID: "contoso", Words: words, SideA: side, SideB: side, Source: abtest.Source{Kind: abtest.FromRun, RunID: &itemID, RunStoredAt: &at},
			CorrectAnswers: abtest.Preserve, Repeats: 3, Questions: asked, At: at,
		},
		abtest.Reworded{Words: words},
		abtest.RunAdded{RunID: id(1), SideA: side, SideB: side, Questions: asked, At: at, Standing: runs},
		abtest.QuestionsFrozen{Questions: asked},
		abtest.RunEnded{RunID: id(1), Status: operation.StatusSucceeded, Failure: &failure, Aggregate: &aggregate, Gap: &seven, Document: "sha256:3", At: at, Standing: runs},
		abtest.RunRevised{RunID: id(1), Aggregate: aggregate, Gap: seven, Document: "sha256:4", Standing: runs},
		abtest.RunRemoved{RunID: id(1), Standing: runs},
		abtest.Deleted{Runs: 2},
		abtest.Tested{RunID: id(1), AbTestID: id(5), MidP: 0.03125, At: at},
		abtest.RunAccepted{
			RunID: id(1), AbTestID: id(9), SideA: side, SideB: side, Questions: asked, CorrectAnswers: abtest.Update, ComputedAt: &at, Repeats: 3,
			Reused: &itemID, Freezes: true, Allowance: "allowance-contoso-benchmarkRuns-2026-11", At: at,
		},
		abtest.SideQueued{Side: abtest.A, BenchmarkRunID: id(8)},
		abtest.SideStarted{Side: abtest.A},
		abtest.SideCompleted{Side: abtest.A},
		abtest.SideFailed{Side: abtest.B, Failure: failure, CapacityWorkspaceID: &itemID},
		abtest.Compared{Document: "sha256:3", Aggregate: aggregate, Agreement: verdict.Agreement{
			N: 20, BothCorrect: 14, OnlyA: 1, OnlyB: 4, Neither: 1, Observed: &share, Expected: &share, Kappa: &share,
			AnswerAgreement: verdict.AnswerAgreement{N: 20, Equal: 13, Different: 6, Undecided: 1}, Method: "question_verdict",
		}},
		abtest.ComparisonRevised{Compared: abtest.Compared{Document: "sha256:4", Aggregate: aggregate}},
		abtest.RunStopped{Side: &sideB, Counted: true, Asked: 7, Total: 40},
		abtest.RunErased{},
		room.Counted{Change: room.Change{ItemIDs: []uuid.UUID{id(4), id(5)}, LicenseID: "main", Total: room.Total{Used: 7, ByLicense: map[string]int{"main": 4, "eu": 3}}}},
		room.Reserved{Change: room.Change{ItemIDs: []uuid.UUID{id(4)}, LicenseID: "main", Total: reservedRoom}},
		room.Released{Change: room.Change{ItemIDs: []uuid.UUID{id(4)}, LicenseID: "main", Total: reservedRoom}},
	}
}

// Every version of every event ever written stays readable: its golden file,
// written once, decodes to its original meaning. If a file no longer does, add an
// upcaster; never rewrite the file.
func TestStoredEventsStayReadable(t *testing.T) {
	t.Parallel()
	codec, err := eventstore.NewCodec(commands.Events()...)
	check(t, err)
	covered, formerly := map[string]bool{}, map[string][]string{}
	for _, typ := range commands.Events() {
		formerly[typ.Example.EventType()] = typ.Formerly
	}
	for _, e := range examples() {
		name, version, stored, err := codec.Encode(e, accountKey(t))
		check(t, err)
		data, err := sealed.Open(stored, accountKey(t), name)
		check(t, err)
		covered[name] = true
		file := filepath.Join("testdata", "events", fmt.Sprintf("%s.v%d.json", name, version))
		if _, err := os.Stat(file); os.IsNotExist(err) && *update {
			var pretty bytes.Buffer
			check(t, json.Indent(&pretty, data, "", "  "))
			check(t, os.WriteFile(file, append(pretty.Bytes(), '\n'), 0o644))
		} else if err != nil {
			t.Fatalf("%v; -update writes the file of a new event", err)
		}
		for _, written := range append([]string{name}, formerly[name]...) {
			for v := version; v > 0; v-- {
				file := filepath.Join("testdata", "events", fmt.Sprintf("%s.v%d.json", written, v))
				golden, err := os.ReadFile(file)
				if os.IsNotExist(err) && written == name && v < version && formerly[name] != nil {
					continue // it was renamed later
				}
				check(t, err)
				got, err := codec.Decode(written, v, golden, nil)
				if err != nil {
					t.Errorf("%s: %v", file, err)
				} else if d := cmp.Diff(e, got, cmpopts.IgnoreUnexported(abtest.LatestRun{})); d != "" {
					t.Errorf("%s no longer means what it meant (-meant +read):\n%s", file, d)
				}
			}
		}
	}
	for _, typ := range commands.Events() {
		if name := typ.Example.EventType(); !covered[name] {
			t.Errorf("the event %s has no example in examples", name)
		}
	}
}

// What an earlier version stored gains no member when it is read and shown: a member that was never computed is absent,
// not 0.
func TestStoredEventsGainNoMembers(t *testing.T) {
	t.Parallel()
	codec, err := eventstore.NewCodec(commands.Events()...)
	check(t, err)
	files, err := filepath.Glob(filepath.Join("testdata", "events", "*.json"))
	check(t, err)
	for _, file := range files {
		golden, err := os.ReadFile(file)
		check(t, err)
		base := strings.TrimSuffix(filepath.Base(file), ".json")
		at := strings.LastIndex(base, ".v")
		name := base[:at]
		n, err := strconv.Atoi(base[at+len(".v"):])
		check(t, err)
		event, err := codec.Decode(name, n, golden, nil)
		check(t, err)
		text, err := json.Marshal(event)
		check(t, err)
		var was, is any
		check(t, json.Unmarshal(golden, &was))
		check(t, json.Unmarshal(text, &is))
		for _, path := range gained(was, is, "") {
			t.Errorf("%s gains %s", file, path)
		}
	}
}

// gained returns the paths of the members that a value has and an earlier form of it does not.
func gained(was, is any, path string) (all []string) {
	switch is := is.(type) {
	case map[string]any:
		before, _ := was.(map[string]any)
		for name, value := range is {
			if earlier, had := before[name]; had {
				all = append(all, gained(earlier, value, path+"."+name)...)
			} else {
				all = append(all, path+"."+name)
			}
		}
	case []any:
		before, _ := was.([]any)
		for i := range min(len(is), len(before)) {
			all = append(all, gained(before[i], is[i], path+"[]")...)
		}
	}
	return all
}
