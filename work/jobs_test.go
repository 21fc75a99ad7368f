package work_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"readiness/commands"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/work"
)

// A row of the queue that an earlier version stored runs with the same arguments, and
// a row that this version stores has the same members. Only the person differs, whom
// rows named before there were ids.
func TestJobsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	operationID, other := uuid.UUID{15: 1}, uuid.UUID{15: 2}
	of := commands.Origin{AccountID: "contoso", OperationID: operationID, PersonID: "ana",
		RequestID: "request", Trace: "trace"}
	const (
		head = `{"accountId":"contoso","operationId":"00000000-0000-0000-0000-000000000001",`
		tail = `"person":"ana","requestId":"request","trace":"trace"}`
		in   = `"workspaceId":"33333333-3333-3333-3333-333333333333",`
		id   = `"00000000-0000-0000-0000-000000000002",`
		at   = `"acceptedAt":"2026-11-21T12:00:00Z",`
	)
	workspaceID := uuid.MustParse("33333333-3333-3333-3333-333333333333")
	for kind, c := range map[string]struct {
		row  string
		args river.JobArgs
		read func([]byte) (river.JobArgs, error)
	}{
		"assess-semantic-model": {head + in + `"semanticModelId":` + id + `"plan":"Team",` + at + tail,
			work.AssessJob{Origin: of, Step: assessment.Step{WorkspaceID: workspaceID, ModelID: other, Plan: account.Team,
				AcceptedAt: noon}}, read[work.AssessJob]},
		"optimize-semantic-model": {head + in + `"semanticModelId":` + id + tail,
			work.OptimizeJob{Origin: of, Step: optimization.Step{WorkspaceID: workspaceID, ModelID: other}}, read[work.OptimizeJob]},
		"change-pixies": {head + in + `"reportId":` + id + `"plan":"Team",` + tail,
			work.PixiesJob{Origin: of, Step: pixies.Step{WorkspaceID: workspaceID, ReportID: other, Plan: account.Team}},
			read[work.PixiesJob]},
		"ask-questions": {head + `"runId":` + id + at + tail,
			work.AskJob{Origin: of, Step: benchmark.Step{RunID: other, AcceptedAt: noon}}, read[work.AskJob]},
		"make-benchmark-questions": {head + in + `"semanticModelId":` + id + tail,
			work.QuestionsJob{Origin: of, QuestionStep: benchmark.QuestionStep{WorkspaceID: workspaceID, ModelID: other}},
			read[work.QuestionsJob]},
	} {
		t.Run(kind, func(t *testing.T) {
			if c.args.Kind() != kind {
				t.Errorf("its kind is %q", c.args.Kind())
			}
			got, err := c.read([]byte(c.row))
			check(t, err)
			if d := cmp.Diff(c.args, got); d != "" {
				t.Errorf("read (-want +got):\n%s", d)
			}
			former, err := c.read([]byte(strings.Replace(c.row, `"person":"ana"`, `"person":{"issuer":"i","id":"ana"}`, 1)))
			check(t, err)
			named := strings.Replace(c.row, `"person":"ana"`, `"person":"`+string(item.FormerPersonID(item.Person{Issuer: "i", ID: "ana"}))+`"`, 1)
			if got, err = c.read([]byte(named)); err != nil || !cmp.Equal(former, got) {
				t.Errorf("with a person without id, read %+v", former)
			}
			body, err := json.Marshal(c.args)
			check(t, err)
			if d := cmp.Diff(members(t, []byte(c.row)), members(t, body)); d != "" {
				t.Errorf("stored (-want +got):\n%s", d)
			}
		})
	}
}

func read[A river.JobArgs](row []byte) (river.JobArgs, error) {
	var args A
	err := json.Unmarshal(row, &args)
	return args, err
}

func members(t *testing.T, body []byte) (m map[string]any) {
	t.Helper()
	check(t, json.Unmarshal(body, &m))
	return m
}
