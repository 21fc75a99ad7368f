package http_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/eventstore"
	"readiness/http/routing"
)

var agentPath = "/v1/workspaces/" + sales.String() + "/dataAgents/" + agent.String() + "/aiReadiness"

// agentAssessed starts an assessment of the agent as a person and completes it, as the worker does.
func (w *world) agentAssessed(person string, stage assessment.Stage, usage assessment.Usage, sources ...assessment.Source) (operationID, made uuid.UUID) {
	w.t.Helper()
	operationID = w.post(agentPath+"/assess", w.as(person), "").operation()
	made, score, found := uuid.Must(uuid.NewV7()), 61, 4
	hash, stored, err := w.Work.Documents.Put(w.t.Context(), []byte(`{"schemaVersion":1,"report":{"overall_score":61,"dimensions":[],"findings":[]}}`))
	check(w.t, err)
	accountID := accountOf[person]
	run := eventstore.Fold(operation.Stream(operationID), assessment.EvolveRun)
	standing := eventstore.FoldLast[assessment.Standing](assessment.Stream(accountID, agent))
	check(w.t, w.Store.Change(w.t.Context(), eventstore.Metadata{Account: accountID}, []eventstore.Loadable{run, standing}, func(c *eventstore.Change) error {
		c.Queue(stored)
		if err := eventstore.Decide(c, run, assessment.EndModel{Result: assessment.Result{ModelID: agent, Outcome: assessment.Assessed, AssessmentID: &made, Score: &score, FindingsCount: &found}}); err != nil {
			return err
		}
		return eventstore.Decide(c, standing, assessment.Record{Assessment: assessment.Assessment{
			AssessmentID: made, OperationID: operationID, WorkspaceID: sales, WorkspaceName: "Sales", ModelID: agent, ModelName: "Analyst", AssessedAt: w.Now(),
			Score: &score, ScoreDataAgent: &score, FindingsCount: found, RegimeID: "2026-11", Usage: usage, UsageInScoring: usage.Applied, DocumentHash: hash, SchemaVersion: 1,
			DataAgent: &assessment.DataAgent{Stage: stage, Sources: sources},
		}})
	}))
	return operationID, made
}

// An assessment of a data agent, as an operation's result and as read later. It is that of a model, with the agent
// and its sources in place of the model.
//
// proves: 1/does/assess-data-agents 2.7/operationType/AssessDataAgent 4.2/result/3-AssessDataAgent 4.4/single/3-consent
func TestAssessmentOfADataAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.as("bob")
	denied := assessment.Usage{State: assessment.NotGranted, Reason: "no", Access: item.ConsentRequired}
	id, made := w.agentAssessed("bob", assessment.Published, denied,
		assessment.Source{ID: modelA.String(), Name: "Actuals", Type: "semantic_model", WorkspaceID: sales, Scored: true, DefinitionHash: "sha256:1", Usage: &denied},
		assessment.Source{ID: "lake", Name: "Lake", Type: "lakehouse_tables", WorkspaceID: finance, Reason: assessment.NoSemanticModel, Message: "only semantic models are scored"},
	)
	state := w.get(operationPath(id), bob).ok(200)
	if diff := cmp.Diff(map[string]any{"workspaceId": sales.String(), "itemId": agent.String(), "itemType": "DataAgent"}, state.body["resource"]); diff != "" || state.body["operationType"] != "AssessDataAgent" {
		t.Errorf("got %s, resource (-want +got):\n%s", state.text, diff)
	}
	if diff := cmp.Diff(map[string]any{"assessments": 1.0, "firstLook": true, "trackedItem": false}, state.body["allowanceImpact"]); diff != "" {
		t.Errorf("allowanceImpact (-want +got):\n%s", diff)
	}
	result := w.get(operationPath(id)+"/result", bob).ok(200)
	usage := result.body["usage"].(map[string]any)
	if message, _ := usage["message"].(string); !strings.Contains(message, "Grant the permission") || usage["access"] != "ConsentRequired" || usage["permission"] != "Dataset.Read.All" || usage["consentUrl"] == nil {
		t.Errorf("usage of the result reads %v", usage)
	}
	read := w.get(agentPath+"/assessments/"+made.String(), bob).ok(200)
	stored := map[string]any{"applied": false, "state": "NotGranted", "reason": "no"}
	if diff := cmp.Diff(stored, read.body["usage"]); diff != "" {
		t.Errorf("usage as stored (-want +got):\n%s", diff)
	}
	delete(read.body, "usage")
	delete(result.body, "usage")
	if diff := cmp.Diff(read.body, result.body); diff != "" {
		t.Errorf("the result and the assessment differ in more than usage (-read +result):\n%s", diff)
	}
	delete(read.body, "assessedAtUtc")
	want := map[string]any{
		"assessmentId": made.String(), "workspaceId": sales.String(), "workspaceName": "Sales", "dataAgentId": agent.String(), "dataAgentName": "Analyst",
		"score": 61.0, "scoreDataAgent": 61.0, "findingsCount": 4.0, "stage": "Published", "schemaVersion": 1.0,
		"regime":   map[string]any{"id": "2026-11", "usageInScoring": false, "comparableWithPrevious": false, "outdated": true},
		"stored":   map[string]any{"location": "Service", "deliveryPending": false},
		"document": map[string]any{"schemaVersion": 1.0, "report": map[string]any{"overall_score": 61.0, "dimensions": []any{}, "findings": []any{}}},
		"sources": []any{
			map[string]any{"sourceId": modelA.String(), "name": "Actuals", "type": "semantic_model", "workspaceId": sales.String(), "scored": true, "reason": nil, "message": nil, "usage": stored},
			map[string]any{"sourceId": "lake", "name": "Lake", "type": "lakehouse_tables", "workspaceId": finance.String(), "scored": false, "reason": "NoSemanticModel", "message": "only semantic models are scored"},
		},
	}
	if diff := cmp.Diff(want, read.body); diff != "" {
		t.Errorf("assessment (-want +got):\n%s", diff)
	}
	lacking := w.post(agentPath+"/assess", bob, "").operation()
	w.assessedAs(accountOf["bob"], lacking, agent, assessment.Assessment{
		RegimeID: "2026-12", ScoreComplete: new(false), NotAssessable: []assessment.NotAssessable{{SourceModelID: modelA.String(), RuleIDs: []string{"INS-01"}, Why: "not shown"}},
		DataAgent: &assessment.DataAgent{Stage: assessment.Published},
	})
	got := w.get(operationPath(lacking)+"/result", bob).ok(200)
	lacked := []any{map[string]any{"sourceModelId": modelA.String(), "ruleIds": []any{"INS-01"}, "why": "not shown"}}
	if diff := cmp.Diff(lacked, got.body["notAssessable"]); diff != "" || got.body["scoreComplete"] != false || got.body["regime"].(map[string]any)["comparableWithPrevious"] != false {
		t.Errorf("got %s, notAssessable (-want +got):\n%s", got.text, diff)
	}
	none, _ := w.agentAssessed("ada", assessment.Draft, assessment.Usage{})
	if got := w.get(operationPath(none)+"/result", w.as("ada")).ok(200); !strings.Contains(string(got.text), `"sources":[]`) || got.body["stage"] != "Draft" {
		t.Errorf("got %s", got.text)
	}
}

// The list of an agent's assessments: newest first, in pages, only its own.
func TestAssessmentsOfADataAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.as("ada")
	path := agentPath + "/assessments"
	if got := w.get(path, ada).ok(200); !strings.Contains(string(got.text), `"value":[]`) || got.body["continuationToken"] != nil {
		t.Errorf("got %s, want an empty list", got.text)
	}
	var want []string
	for range 3 {
		_, made := w.agentAssessed("ada", assessment.Published, assessment.Usage{})
		want = append([]string{made.String()}, want...)
	}
	models := w.assessed("acme", w.assess("ada", modelA), modelA, assessment.Usage{})
	_, theirs := w.agentAssessed("oscar", assessment.Published, assessment.Usage{})

	var got []string
	var tokens []string
	for address := w.base + path + "?maxResults=2"; address != ""; {
		page := w.get(address, ada).ok(200)
		for _, a := range page.value() {
			got = append(got, a["assessmentId"].(string))
			if first := a["assessmentId"] == want[2]; a["comparableWithPrevious"] != !first || a["score"] != 61.0 || a["scoreDataAgent"] != 61.0 || a["findingsCount"] != 4.0 {
				t.Errorf("got %v", a)
			}
		}
		if address, _ = page.body["continuationUri"].(string); address != "" {
			if !strings.HasPrefix(address, w.base+path+"?") {
				t.Errorf("the next page is at %s", address)
			}
			tokens = append(tokens, page.body["continuationToken"].(string))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("assessments (-want +got):\n%s", diff)
	}
	// A continuation token is bound to one list: a model's list refuses that of an agent's.
	w.get(modelPath(modelA)+"/assessments?continuationToken="+tokens[0], ada).refused(400, domain.InvalidRequest)

	for name, id := range map[string]string{"a model's": models.String(), "another account's": theirs.String(), "nobody's": nowhere.String(), "malformed": "latest"} {
		got := w.get(path+"/"+id, ada).refused(404, domain.AssessmentNotFound).says("data agent")
		if len(got.text) > 1000 {
			t.Errorf("%s: got %s", name, got.text)
		}
	}
	w.get(modelPath(modelA)+"/assessments/"+want[0], ada).refused(404, domain.AssessmentNotFound).says("semantic model")
	w.get(path+"/"+strings.ToUpper(want[0]), ada).ok(200)
}

// An item of another type, or in a workspace that the person cannot see, is refused as not found, and the call
// changes nothing.
//
// proves: 1/2 7.2/ItemNotFound 7.3/403-or-404
func TestInvisibleDataAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.as("bob")
	w.untouched(func() {
		for _, c := range []struct {
			workspace, item uuid.UUID
			code            domain.Code
		}{
			{finance, agent, domain.WorkspaceNotFound},
			{nowhere, agent, domain.WorkspaceNotFound},
			{sales, nowhere, domain.ItemNotFound},
			{sales, modelA, domain.ItemNotFound},
		} {
			path := "/v1/workspaces/" + c.workspace.String() + "/dataAgents/" + c.item.String() + "/aiReadiness"
			w.post(path+"/assess", bob, "").refused(404, c.code)
			w.get(path+"/assessments", bob).refused(404, c.code)
			w.get(path+"/assessments/"+nowhere.String(), bob).refused(404, c.code)
		}
		w.blocked(routing.Start, "other", "oscar")
		w.post(agentPath+"/assess", w.as("oscar"), "").refused(429, domain.RequestBlocked)
	})
}
