package abtest_test

import (
	"testing"

	"github.com/google/uuid"

	"readiness/domain/abtest"
)

// proves: 4.6/create/answeredBy.kind 4.6/create/answeredBy.dataAgentId 4.6/create/answeredBy.workspaceId 4.6/create/answeredBy.providerId
func TestAnAnswererHasWhatItsKindNeeds(t *testing.T) {
	t.Parallel()
	agent, workspace, provider := uuid.UUID{15: 1}, uuid.UUID{15: 2}, "p-1"
	for name, test := range map[string]struct {
		answerer abtest.AnswererRequest
		naming   string // the text that a refusal contains; "" for an answerer that is accepted
	}{
		"nothing":                           {abtest.AnswererRequest{}, "side.kind"},
		"another kind":                      {abtest.AnswererRequest{Kind: "Agent"}, "side.kind"},
		"a kind in other letters":           {abtest.AnswererRequest{Kind: "dataAgent", DataAgentID: &agent}, "side.kind"},
		"a data agent":                      {abtest.AnswererRequest{Kind: "DataAgent", DataAgentID: &agent}, ""},
		"one in a workspace":                {abtest.AnswererRequest{Kind: "DataAgent", DataAgentID: &agent, WorkspaceID: &workspace}, ""},
		"a data agent without an id":        {abtest.AnswererRequest{Kind: "DataAgent", WorkspaceID: &workspace}, "side.dataAgentId"},
		"a data agent with a provider":      {abtest.AnswererRequest{Kind: "DataAgent", DataAgentID: &agent, ProviderID: &provider}, "providerId"},
		"an imported run":                   {abtest.AnswererRequest{Kind: "Imported", RunID: &agent}, ""},
		"an imported run without an id":     {abtest.AnswererRequest{Kind: "Imported"}, "side.runId"},
		"an imported run with a provider":   {abtest.AnswererRequest{Kind: "Imported", RunID: &agent, ProviderID: &provider}, "side.runId"},
		"a run that was not imported":       {abtest.AnswererRequest{Kind: "PlatformAssistant", RunID: &agent}, "side.runId"},
		"a test agent":                      {abtest.AnswererRequest{Kind: "ServiceTestAgent", DataAgentID: &agent}, ""},
		"a test agent in a workspace":       {abtest.AnswererRequest{Kind: "ServiceTestAgent", DataAgentID: &agent, WorkspaceID: &workspace}, ""},
		"a test agent without an id":        {abtest.AnswererRequest{Kind: "ServiceTestAgent"}, "side.dataAgentId"},
		"a test agent with a provider":      {abtest.AnswererRequest{Kind: "ServiceTestAgent", DataAgentID: &agent, ProviderID: &provider}, "providerId"},
		"the assistant":                     {abtest.AnswererRequest{Kind: "PlatformAssistant"}, ""},
		"the assistant with an agent":       {abtest.AnswererRequest{Kind: "PlatformAssistant", DataAgentID: &agent}, "dataAgentId"},
		"the assistant in a workspace":      {abtest.AnswererRequest{Kind: "PlatformAssistant", WorkspaceID: &workspace}, "workspaceId"},
		"the assistant with a provider":     {abtest.AnswererRequest{Kind: "PlatformAssistant", ProviderID: &provider}, "providerId"},
		"a generic agent":                   {abtest.AnswererRequest{Kind: "GenericAgent", ProviderID: &provider}, ""},
		"a generic agent without provider":  {abtest.AnswererRequest{Kind: "GenericAgent"}, "side.providerId"},
		"a generic agent of no provider":    {abtest.AnswererRequest{Kind: "GenericAgent", ProviderID: new("")}, "side.providerId"},
		"a generic agent with a data agent": {abtest.AnswererRequest{Kind: "GenericAgent", ProviderID: &provider, DataAgentID: &agent}, "dataAgentId"},
		"a generic agent in a workspace":    {abtest.AnswererRequest{Kind: "GenericAgent", ProviderID: &provider, WorkspaceID: &workspace}, "workspaceId"},
	} {
		refusedAs(t, name, test.answerer.Check("side"), test.naming)
	}
}

// proves: 4.6/create/source 4.6/create/repeats 4.6/create/correctAnswers 4.6/create/reuseSideA 4.6/create/sides
func TestARequestIsWellFormed(t *testing.T) {
	t.Parallel()
	assistant := abtest.AnswererRequest{Kind: "PlatformAssistant"}
	fromRun := abtest.SourceRequest{Kind: "Run", RunID: &uuid.UUID{15: 9}}
	request := func(source abtest.SourceRequest, change func(*abtest.CreateRequest)) abtest.CreateRequest {
		r := abtest.CreateRequest{
			Words: abtest.Words{Name: "One"}, Source: source,
			SideA: abtest.SideRequest{AnsweredBy: assistant}, SideB: abtest.SideRequest{AnsweredBy: assistant},
		}
		change(&r)
		return r
	}
	saved := abtest.SourceRequest{Kind: "Questions"}
	as := func(*abtest.CreateRequest) {}
	for name, test := range map[string]struct {
		request abtest.CreateRequest
		naming  string
	}{
		"saved questions":              {request(saved, as), ""},
		"a stored run":                 {request(fromRun, as), ""},
		"no name":                      {request(saved, func(r *abtest.CreateRequest) { r.Name = "" }), "name"},
		"no source":                    {request(abtest.SourceRequest{}, as), "source.kind"},
		"another source":               {request(abtest.SourceRequest{Kind: "Saved"}, as), "source.kind"},
		"a run that is not named":      {request(abtest.SourceRequest{Kind: "Run"}, as), "source.runId"},
		"saved questions with a run":   {request(abtest.SourceRequest{Kind: "Questions", RunID: fromRun.RunID}, as), "source.runId"},
		"side A without a kind":        {request(saved, func(r *abtest.CreateRequest) { r.SideA.AnsweredBy.Kind = "" }), "sideA.answeredBy.kind"},
		"side B without a kind":        {request(saved, func(r *abtest.CreateRequest) { r.SideB.AnsweredBy.Kind = "" }), "sideB.answeredBy.kind"},
		"side B without its agent":     {request(saved, func(r *abtest.CreateRequest) { r.SideB.AnsweredBy.Kind = "DataAgent" }), "sideB.answeredBy.dataAgentId"},
		"answers are kept":             {request(saved, func(r *abtest.CreateRequest) { r.CorrectAnswers = new("Preserve") }), ""},
		"answers are computed":         {request(saved, func(r *abtest.CreateRequest) { r.CorrectAnswers = new("Update") }), ""},
		"answers, something else":      {request(saved, func(r *abtest.CreateRequest) { r.CorrectAnswers = new("update") }), "correctAnswers"},
		"answers, nothing":             {request(saved, func(r *abtest.CreateRequest) { r.CorrectAnswers = new("") }), "correctAnswers"},
		"a run's answers are kept":     {request(fromRun, func(r *abtest.CreateRequest) { r.CorrectAnswers = new("Preserve") }), ""},
		"a run's answers are computed": {request(fromRun, func(r *abtest.CreateRequest) { r.CorrectAnswers = new("Update") }), "correctAnswers is Update"},
		"a run is kept":                {request(fromRun, func(r *abtest.CreateRequest) { r.ReuseSideA = true }), ""},
		"questions are kept":           {request(saved, func(r *abtest.CreateRequest) { r.ReuseSideA = true }), "reuseSideA"},
		"once":                         {request(saved, func(r *abtest.CreateRequest) { r.Repeats = new(1) }), ""},
		"five times":                   {request(saved, func(r *abtest.CreateRequest) { r.Repeats = new(5) }), ""},
		"never":                        {request(saved, func(r *abtest.CreateRequest) { r.Repeats = new(0) }), "repeats is 0; it must be 1 to 20"},
		"less than never":              {request(saved, func(r *abtest.CreateRequest) { r.Repeats = new(-1) }), "repeats is -1"},
		"21 times":                     {request(saved, func(r *abtest.CreateRequest) { r.Repeats = new(21) }), "repeats is 21"},
	} {
		refusedAs(t, name, test.request.Check(), test.naming)
	}
	if mode := (abtest.CreateRequest{}).Mode(); mode != abtest.Preserve {
		t.Errorf("correct answers are %s unless a call says otherwise, want %s", mode, abtest.Preserve)
	}
}

// proves: 4.6/run-again/questionSet 4.6/run-again/reuseRunId
func TestARequestToRunAgainIsWellFormed(t *testing.T) {
	t.Parallel()
	run := &uuid.UUID{15: 9}
	for name, test := range map[string]struct {
		request abtest.RunAgain
		naming  string
	}{
		"nothing":                        {abtest.RunAgain{}, ""},
		"the frozen questions":           {abtest.RunAgain{QuestionSet: new("Frozen")}, ""},
		"the current ones":               {abtest.RunAgain{QuestionSet: new("Current")}, ""},
		"others":                         {abtest.RunAgain{QuestionSet: new("Saved")}, "questionSet"},
		"none":                           {abtest.RunAgain{QuestionSet: new("")}, "questionSet"},
		"a run that asked the frozen":    {abtest.RunAgain{ReuseRunID: run}, ""},
		"a run, and the frozen by name":  {abtest.RunAgain{QuestionSet: new("Frozen"), ReuseRunID: run}, ""},
		"a run, and the current ones":    {abtest.RunAgain{QuestionSet: new("Current"), ReuseRunID: run}, "reuseRunId"},
		"a run, and others that are not": {abtest.RunAgain{QuestionSet: new("current"), ReuseRunID: run}, "questionSet"},
	} {
		refusedAs(t, name, test.request.Check(), test.naming)
	}
	if set := (abtest.RunAgain{}).Set(); set != abtest.Frozen {
		t.Errorf("the %s questions are asked unless a call says otherwise, want %s", set, abtest.Frozen)
	}
}
