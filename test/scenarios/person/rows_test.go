package person_test

// row is a call of the service that is accepted, after those before it. Paths and bodies name what earlier rows took.
type row struct {
	route string // method and path, as in openapi.yaml
	body  string
	// takes are members of the answer or, if the call starts an operation, of its result, by the name that they get.
	takes map[string]string
	// needs are the routes whose rows are done again before a call that must not find what an earlier one left.
	needs []string
	// sealed says that the log is sealed in its trees before the call.
	sealed bool
	// then names what happens by itself afterwards, under a separate row.
	then string
}

const (
	inWorkspace = "/v1/workspaces/{workspaceId}"
	ofModel     = inWorkspace + "/semanticModels/{semanticModelId}/aiReadiness"
	ofAgent     = inWorkspace + "/dataAgents/{dataAgentId}"
	ofReports   = inWorkspace + "/reports"
	abTests     = "/v1/aiReadiness/abTests"
	providers   = "/v1/aiProviders"
	webhooks    = "/v1/webhooks"
	assistant   = `{"answeredBy":{"kind":"PlatformAssistant"}}`
)

// aDue is the row of what a schedule starts.
const aDue = "a schedule that is due"

// rowsOfRoutes are the rows, in order. A route may have several.
var rowsOfRoutes = []row{
	{route: "GET /v1/account"},
	{route: "GET /v1/account/permissions"},
	{route: "GET /v1/account/members"},
	{route: "GET /v1/licenses"},
	{route: "GET /v1/workspaces"},
	{route: "GET " + inWorkspace + "/semanticModels"},
	{route: "GET " + inWorkspace + "/dataAgents", takes: map[string]string{"dataAgentId": "value.0.dataAgentId"}},

	{route: "POST " + inWorkspace + "/aiReadiness/assess", body: `{"semanticModelIds":["$semanticModelId"]}`},
	{route: "POST " + inWorkspace + "/aiReadiness/assess", body: `{"semanticModelIds":["$semanticModelId","$second","$third","$fourth"]}`},
	{route: "POST " + ofModel + "/assess", takes: map[string]string{"assessmentId": "assessmentId"}},
	{route: "GET " + ofModel + "/view"},
	{route: "GET " + ofModel + "/history"},
	{route: "GET " + ofModel + "/assessments"},
	{route: "GET " + ofModel + "/assessments/{assessmentId}"},
	{route: "POST " + ofModel + "/assessments/{assessmentId}/pin"},
	{route: "DELETE " + ofModel + "/assessments/{assessmentId}/pin"},

	{route: "POST " + ofModel + "/owner", body: `{}`},
	{route: "GET " + ofModel + "/owner"},
	{route: "DELETE " + ofModel + "/owner"},
	{route: "POST " + ofModel + "/notes", body: `{"text":"One."}`, takes: map[string]string{"noteId": "noteId"}},
	{route: "GET " + ofModel + "/notes"},
	{route: "PATCH " + ofModel + "/notes/{noteId}", body: `{"text":"Two."}`},
	{route: "DELETE " + ofModel + "/notes/{noteId}"},

	{route: "POST " + ofModel + "/schedules", body: `{"frequency":"Daily","timeUtc":"$soon"}`,
		takes: map[string]string{"scheduleId": "scheduleId"}, then: aDue},
	{route: "GET " + ofModel + "/schedules"},
	{route: "GET /v1/aiReadiness/schedules"},
	{route: "GET /v1/aiReadiness/schedules/{scheduleId}"},
	{route: "PATCH /v1/aiReadiness/schedules/{scheduleId}", body: `{"timeUtc":"07:00"}`},
	{route: "DELETE /v1/aiReadiness/schedules/{scheduleId}"},

	{route: "POST " + ofModel + "/benchmark/questions/generate", body: `{"count":3}`},
	{route: "POST " + ofModel + "/benchmark/questions/save",
		body: `{"questions":[{"questionId":"q1","text":"What are the net sales?","expected":{"dax":"EVALUATE ROW(\"x\", [Net Sales])"}}]}`},
	{route: "GET " + ofModel + "/benchmark/questions"},
	{route: "POST " + ofModel + "/benchmark/runs", body: assistant, takes: map[string]string{"runId": "run.runId"}},
	{route: "POST " + ofModel + "/benchmark/runs", body: `{"answeredBy":{"kind":"DataAgent","dataAgentId":"$dataAgentId"}}`},
	{route: "POST " + ofModel + "/benchmark/runs/import",
		body: `{"answeredBy":"Copilot","files":[{"name":"answers.csv","content":"question,answer,dax\nWhat are the net sales?,12,\"EVALUATE ROW(\"\"x\"\", [Net Sales])\""}]}`},
	{route: "GET " + ofModel + "/benchmark/runs"},
	{route: "GET " + ofModel + "/benchmark/runs/{runId}"},
	{route: "GET " + ofModel + "/benchmark/runs/{runId}/result"},
	{route: "POST " + ofModel + "/benchmark/runs/{runId}/questions/{questionId}/verdict", body: `{"verdict":"incorrect","reason":"The unit is missing."}`},

	{route: "POST " + abTests, body: `{"name":"One","source":{"kind":"Questions"},` +
		`"sideA":{"semanticModelId":"$semanticModelId","workspaceId":"$workspaceId","answeredBy":{"kind":"PlatformAssistant"}},` +
		`"sideB":{"semanticModelId":"$semanticModelId","workspaceId":"$workspaceId","answeredBy":{"kind":"DataAgent","dataAgentId":"$dataAgentId"}}}`,
		takes: map[string]string{"abTestId": "abTestId", "abRunId": "runId"}},
	{route: "GET " + abTests},
	{route: "GET " + abTests + "/{abTestId}"},
	{route: "PATCH " + abTests + "/{abTestId}", body: `{"name":"Another"}`},
	{route: "GET " + abTests + "/{abTestId}/runs"},
	{route: "POST " + abTests + "/{abTestId}/runs"},
	{route: "GET " + abTests + "/{abTestId}/runs/{runId}"},
	{route: "GET " + abTests + "/{abTestId}/runs/{runId}/result"},
	{route: "GET " + inWorkspace + "/semanticModels/{semanticModelId}/abTests"},
	{route: "GET " + ofAgent + "/abTests"},
	{route: "DELETE " + abTests + "/{abTestId}/runs/{runId}"},
	{route: "DELETE " + abTests + "/{abTestId}"},
	{route: "DELETE " + ofModel + "/benchmark/runs/{runId}"},

	{route: "POST " + ofAgent + "/aiReadiness/assess", takes: map[string]string{"assessmentId": "assessmentId"}},
	{route: "GET " + ofAgent + "/aiReadiness/assessments"},
	{route: "GET " + ofAgent + "/aiReadiness/assessments/{assessmentId}"},

	{route: "POST " + ofModel + "/{kind}/preview", takes: map[string]string{"previewId": "previewId"}},
	{route: "POST " + ofModel + "/{kind}/score", body: `{"previewId":"$previewId"}`, needs: []string{"POST " + ofModel + "/{kind}/preview"}},
	{route: "POST " + ofModel + "/{kind}/apply", body: `{"previewId":"$previewId"}`, takes: map[string]string{"applied": "operationId"},
		needs: []string{"POST " + ofModel + "/{kind}/preview"}},
	{route: "POST " + ofModel + "/revert", body: `{"operationId":"$applied"}`,
		needs: []string{"POST " + ofModel + "/{kind}/preview", "POST " + ofModel + "/{kind}/apply"}},
	{route: "POST " + ofModel + "/optimize", body: `{"approval":"required","kinds":["descriptions"]}`, takes: map[string]string{"previewId": "previewId"}},
	{route: "POST " + ofModel + "/optimize/apply", body: `{"previewId":"$previewId"}`, takes: map[string]string{"applied": "operationId"},
		needs: []string{"POST " + ofModel + "/optimize"}},
	{route: "POST " + ofModel + "/optimize/revert", body: `{"operationId":"$applied"}`,
		needs: []string{"POST " + ofModel + "/optimize", "POST " + ofModel + "/optimize/apply"}},

	{route: "GET " + ofReports, takes: map[string]string{"reportId": "value.0.reportId"}},
	{route: "POST " + ofReports + "/{reportId}/addPixies"},
	{route: "GET " + ofReports + "/{reportId}/pixies"},
	{route: "GET " + ofReports + "/{reportId}/pixies/views"},
	{route: "POST " + ofReports + "/{reportId}/removePixies",
		needs: []string{"POST " + ofReports + "/{reportId}/addPixies"}},
	{route: "POST " + ofReports + "/addPixies", body: `{"reportIds":["$reportId"]}`},
	{route: "POST " + ofReports + "/removePixies", body: `{"reportIds":["$reportId"]}`,
		needs: []string{"POST " + ofReports + "/addPixies"}},

	{route: "GET /v1/trackedItems"},
	{route: "GET /v1/aiReadiness/portfolio"},
	{route: "GET /v1/aiReadiness/portfolio/summary"},
	{route: "GET /v1/operations"},
	{route: "GET /v1/operations/{operationId}"},
	{route: "GET /v1/operations/{operationId}/result"},
	{route: "POST /v1/operations/{operationId}/cancel"},
	{route: "GET /v1/audit/events", takes: map[string]string{"eventId": "value.0.eventId"}},
	{route: "GET /v1/audit/proofs/{eventId}", sealed: true},
	{route: "POST /v1/audit/views/{view}", body: `{"asOf":{"position":1}}`},
	{route: "GET /v1/audit/{object}"},
	{route: "GET /v1/audit/accounts/{accountId}/{object}"},

	{route: "GET " + webhooks},
	{route: "POST " + webhooks, body: `{"address":"https://hooks.example/","events":["operation.ended"]}`, takes: map[string]string{"webhookId": "webhook.webhookId"}},
	{route: "GET " + webhooks + "/{webhookId}"},
	{route: "PATCH " + webhooks + "/{webhookId}", body: `{"format":"slack"}`},
	{route: "POST " + webhooks + "/{webhookId}/rotate"},
	{route: "POST " + webhooks + "/{webhookId}/test", takes: map[string]string{"deliveryId": "deliveryId"}},
	{route: "GET " + webhooks + "/{webhookId}/deliveries"},
	{route: "POST " + webhooks + "/{webhookId}/deliveries/{deliveryId}/redeliver"},
	{route: "DELETE " + webhooks + "/{webhookId}"},

	{route: "GET " + providers},
	{route: "POST " + providers, body: `{"name":"New","kind":"openai_compatible","baseUrl":"http://127.0.0.1:9/v1","model":"small","saveAnyway":true}`,
		takes: map[string]string{"providerId": "providerId"}},
	{route: "GET " + providers + "/{providerId}"},
	{route: "PATCH " + providers + "/{providerId}", body: `{"enabled":false}`},
	{route: "POST " + providers + "/{providerId}/test"},
	{route: "DELETE " + providers + "/{providerId}"},

	{route: "DELETE " + ofModel + "/assessments"},
}

// rowsOfOtherTenants are rows of a tenant whose definitions may lack parts, and which does not answer queries in Arrow.
var rowsOfOtherTenants = []row{
	{route: "POST " + ofModel + "/benchmark/questions/save",
		body: `{"questions":[{"questionId":"q1","text":"How many items are there?","expected":{"dax":"EVALUATE ROW(\"x\", 1)"}}]}`},
	{route: "POST " + ofModel + "/benchmark/runs", body: assistant},
	{route: "POST " + abTests, body: `{"name":"Two","source":{"kind":"Questions"},` +
		`"sideA":{"semanticModelId":"$semanticModelId","workspaceId":"$workspaceId","answeredBy":{"kind":"PlatformAssistant"}},` +
		`"sideB":{"semanticModelId":"$semanticModelId","workspaceId":"$workspaceId","answeredBy":{"kind":"PlatformAssistant"}}}`,
		takes: map[string]string{"abTestId": "abTestId"}},
	{route: "POST " + abTests + "/{abTestId}/runs"},
	{route: "POST " + ofModel + "/{kind}/preview", takes: map[string]string{"previewId": "previewId"}},
	{route: "POST " + ofModel + "/{kind}/apply", body: `{"previewId":"$previewId"}`, takes: map[string]string{"applied": "operationId"}},
	{route: "POST " + ofModel + "/revert", body: `{"operationId":"$applied"}`},
	{route: "POST " + ofModel + "/optimize", body: `{"approval":"required","kinds":["descriptions"]}`, takes: map[string]string{"previewId": "previewId"}},
	{route: "POST " + ofModel + "/optimize/apply", body: `{"previewId":"$previewId"}`, takes: map[string]string{"applied": "operationId"}},
	{route: "POST " + ofModel + "/optimize/revert", body: `{"operationId":"$applied"}`},
}

// rowsWithGenerateQuery are rows of a service with --experimental-generate-query.
var rowsWithGenerateQuery = []row{
	{route: "POST " + ofModel + "/benchmark/runs", body: assistant},
	{route: "POST " + abTests + "/{abTestId}/runs"},
}
