package http_test

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/google/uuid"

	"readiness/ai"
	"readiness/domain/abtest"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/http/routing"
	"readiness/work"
)

// calling prepares successful calls of every route. It uses a world whose platform is in memory and whose steps are
// not executed, and a world on disk whose steps are.
type calling struct {
	memory *world
	disk   *onDisk
	llm    *llm
}

func newCalling(t testing.TB) *calling {
	t.Helper()
	c := &calling{disk: newOnDisk(t)}
	c.memory, c.llm = withLLM(t)
	c.memory.Providers.Tester = ai.New(ai.Options{PrivateAddresses: true})
	queue, err := work.NewQueue(c.memory.Work)
	check(t, err)
	c.memory.jobs.next = queue
	c.disk.Pixies.CollectorURL = c.disk.base
	c.disk.done("ada", "/assess", "") // the first step ever enqueued queries the database's version
	c.memory.assess("ada", modelB)
	return c
}

// numbered returns an id with a number.
func numbered(prefix string, n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("%s-0000-4000-9000-%012d", prefix, n))
}

// model adds a new model on disk.
func (c *calling) model(n int) uuid.UUID {
	id := numbered("aaaaaaaa", n)
	c.disk.model("Sales", fmt.Sprint("Model ", n), id, shop())
	return id
}

// inMemory adds a new model in memory.
func (c *calling) inMemory(n int) uuid.UUID {
	id, cloud := numbered("aaaaaaaa", n), c.memory.cloud
	cloud.mu.Lock()
	defer cloud.mu.Unlock()
	cloud.items = append(cloud.items, item.Item{ID: id, Type: item.SemanticModel, WorkspaceID: sales, DisplayName: fmt.Sprint("Model ", n)})
	return id
}

func (c *calling) report(n int) uuid.UUID {
	id := numbered("cccccccc", n)
	c.disk.report(id, fmt.Sprint("Report ", n), "../Actuals.SemanticModel", 1, 2)
	return id
}

func (c *calling) test(n int) abTested {
	return c.memory.abTest("acme", abtest.Words{Name: fmt.Sprint("Test ", n)}, sideOf(modelA, "Actuals", assistant), sideOf(modelB, "Budget", assistant), abtest.Source{Kind: abtest.FromQuestions})
}

func (c *calling) compared(n int) abTested {
	of := c.test(n)
	c.memory.sideA(of)
	of = c.memory.ownerReads(of)
	c.memory.compared(of, 3)
	return of
}

func (c *calling) assessed() (operationID, assessmentID uuid.UUID) {
	operationID = c.memory.assess("ada", modelA)
	return operationID, c.memory.assessed("acme", operationID, modelA, assessment.Usage{})
}

// routed is a call of a route in one of the worlds.
type routed struct {
	of     *world
	path   string
	body   string
	status int
}

const aVerdict = `{"verdict":"correct","reason":"It is rounded."}`

const someAnswers = `{"files":[{"name":"answers.csv","content":"question,answer\nHow many?,1\n"}]}`

const oneQuestion = `{"questions":[{"text":"How many?","expected":{"value":"1"}}]}`

// calls returns functions that prepare the call of every route, by method and path. Calls with different numbers do
// not interfere.
func (c *calling) calls() map[string]func(n int) routed {
	memory, disk := c.memory, c.disk.world
	get := func(path string) routed { return routed{memory, path, "", 200} }
	starts := func(path, body string) routed { return routed{disk, path, body, 202} }
	of := func(text string) string { // the path with the ids that all calls use
		return strings.NewReplacer("{workspaceId}", sales.String(), "{semanticModelId}", modelA.String(), "{dataAgentId}", agent.String()).Replace(text)
	}
	const (
		operations = "/v1/operations/{operationId}"
		items      = "/v1/workspaces/{workspaceId}"
		model      = items + "/semanticModels/{semanticModelId}/aiReadiness"
		agents     = items + "/dataAgents/{dataAgentId}"
		reports    = items + "/reports"
		tests      = "/v1/aiReadiness/abTests"
		schedules  = "/v1/aiReadiness/schedules"
	)
	all := map[string]func(n int) routed{
		"GET " + operations:             func(int) routed { return get(operationPath(memory.assess("ada", modelA))) },
		"GET " + operations + "/result": func(int) routed { id, _ := c.assessed(); return get(operationPath(id) + "/result") },
		"POST " + operations + "/cancel": func(int) routed {
			return routed{memory, operationPath(memory.benchmark("acme", modelA)) + "/cancel", "", 202}
		},

		"POST " + items + "/aiReadiness/assess": func(n int) routed { return starts(bulkPath, `{"semanticModelIds":["`+c.model(n).String()+`"]}`) },
		"POST " + model + "/assess":             func(n int) routed { return starts(modelPath(c.model(n))+"/assess", "") },
		"GET " + model + "/assessments":         func(int) routed { c.assessed(); return get(modelPath(modelA) + "/assessments") },
		"GET " + model + "/assessments/{assessmentId}": func(int) routed {
			_, made := c.assessed()
			return get(modelPath(modelA) + "/assessments/" + made.String())
		},
		"POST " + model + "/assessments/{assessmentId}/pin": func(int) routed {
			_, made := c.assessed()
			return routed{memory, modelPath(modelA) + "/assessments/" + made.String() + "/pin", "", 200}
		},
		"DELETE " + model + "/assessments/{assessmentId}/pin": func(int) routed {
			_, made := c.assessed()
			path := modelPath(modelA) + "/assessments/" + made.String() + "/pin"
			memory.post(path, memory.as("ada"), "").ok(200)
			return routed{memory, path, "", 200}
		},
		"DELETE " + model + "/assessments": func(n int) routed {
			id := c.inMemory(n)
			memory.assessed("acme", memory.assess("ada", id), id, assessment.Usage{})
			return routed{memory, modelPath(id) + "/assessments", "", 200}
		},
		"POST " + agents + "/aiReadiness/assess": func(int) routed { return routed{memory, agentPath + "/assess", "", 202} },
		"GET " + agents + "/aiReadiness/assessments": func(int) routed {
			memory.agentAssessed("ada", assessment.Published, assessment.Usage{})
			return get(agentPath + "/assessments")
		},
		"GET " + agents + "/aiReadiness/assessments/{assessmentId}": func(int) routed {
			_, made := memory.agentAssessed("ada", assessment.Published, assessment.Usage{})
			return get(agentPath + "/assessments/" + made.String())
		},

		"POST " + model + "/{kind}/preview": func(n int) routed { return starts(modelPath(c.model(n))+"/aiInstructions/preview", "") },
		"POST " + model + "/{kind}/apply": func(n int) routed {
			return starts(modelPath(c.model(n))+"/aiInstructions/apply", `{"approval":"none"}`)
		},
		"POST " + model + "/{kind}/score": func(n int) routed {
			path := modelPath(c.model(n))
			id, _ := c.disk.done("ada", path+"/aiInstructions/preview", "")
			return routed{disk, path + "/aiInstructions/score", fmt.Sprintf(`{"previewId":"%s"}`, id), 200}
		},
		"POST " + model + "/revert": func(n int) routed {
			path := modelPath(c.model(n))
			id, _ := c.disk.done("ada", path+"/aiInstructions/apply", `{"approval":"none"}`)
			return starts(path+"/revert", fmt.Sprintf(`{"operationId":"%s"}`, id))
		},
		"POST " + model + "/optimize": func(n int) routed { return starts(modelPath(c.model(n))+"/optimize", `{"approval":"required"}`) },
		"POST " + model + "/optimize/apply": func(n int) routed {
			path := modelPath(c.model(n))
			id, _ := c.disk.done("ada", path+"/optimize", `{"approval":"required"}`)
			return starts(path+"/optimize/apply", fmt.Sprintf(`{"previewId":"%s"}`, id))
		},
		"POST " + model + "/optimize/revert": func(n int) routed {
			path := modelPath(c.model(n))
			id, _ := c.disk.done("ada", path+"/optimize", `{"approval":"none","kinds":["aiInstructions"]}`)
			return starts(path+"/optimize/revert", fmt.Sprintf(`{"operationId":"%s"}`, id))
		},

		"POST " + tests: func(int) routed {
			stored := memory.benchmark("acme", modelA)
			memory.complete("acme", stored)
			return routed{memory, abTestsPath, creation(`{"kind":"Questions"}`, `{"kind":"Run","runId":"`+stored.String()+`"}`, `{"kind":"PlatformAssistant"}`, `{"kind":"DataAgent","dataAgentId":"`+agent.String()+`"}`), 202}
		},
		"GET " + tests:                              func(n int) routed { c.compared(n); return get(abTestsPath) },
		"GET " + tests + "/{abTestId}":              func(n int) routed { return get(abTestPath(c.compared(n).test)) },
		"PATCH " + tests + "/{abTestId}":            func(n int) routed { return routed{memory, abTestPath(c.compared(n).test), `{"name":"Another"}`, 200} },
		"DELETE " + tests + "/{abTestId}":           func(n int) routed { return routed{memory, abTestPath(c.compared(n).test), "", 200} },
		"GET " + tests + "/{abTestId}/runs":         func(n int) routed { return get(abTestPath(c.compared(n).test) + "/runs") },
		"POST " + tests + "/{abTestId}/runs":        func(n int) routed { return routed{memory, abTestPath(c.compared(n).test) + "/runs", "", 202} },
		"GET " + tests + "/{abTestId}/runs/{runId}": func(n int) routed { t := c.compared(n); return get(abRunPath(t.test, t.run)) },
		"DELETE " + tests + "/{abTestId}/runs/{runId}": func(n int) routed {
			t := c.compared(n)
			return routed{memory, abRunPath(t.test, t.run), "", 200}
		},
		"GET " + tests + "/{abTestId}/runs/{runId}/result": func(n int) routed { t := c.compared(n); return get(abRunPath(t.test, t.run) + "/result") },
		"GET " + items + "/semanticModels/{semanticModelId}/abTests": func(n int) routed {
			c.test(n)
			return get(of(items + "/semanticModels/{semanticModelId}/abTests"))
		},
		"GET " + agents + "/abTests": func(n int) routed { c.test(n); return get(of(agents + "/abTests")) },

		"POST " + reports + "/{reportId}/addPixies": func(n int) routed { return starts(reportPath(c.report(n))+"/addPixies", "") },
		"POST " + reports + "/{reportId}/removePixies": func(n int) routed {
			path := reportPath(c.report(n))
			c.disk.done("ada", path+"/addPixies", "")
			return starts(path+"/removePixies", "")
		},
		"POST " + reports + "/addPixies": func(n int) routed { return starts(reportsPath+"/addPixies", reportIDs(c.report(n))) },
		"POST " + reports + "/removePixies": func(n int) routed {
			id := c.report(n)
			c.disk.done("ada", reportPath(id)+"/addPixies", "")
			return starts(reportsPath+"/removePixies", reportIDs(id))
		},
		"GET " + reports + "/{reportId}/pixies":       func(n int) routed { return routed{disk, reportPath(c.report(n)) + "/pixies", "", 200} },
		"GET " + reports + "/{reportId}/pixies/views": func(n int) routed { return routed{disk, reportPath(c.report(n)) + "/pixies/views", "", 200} },

		"GET " + model + "/benchmark/questions": func(n int) routed {
			path := questionsPath(c.model(n))
			c.disk.done("ada", path+"/save", oneQuestion)
			return routed{disk, path, "", 200}
		},
		"POST " + model + "/benchmark/questions/generate": func(n int) routed { return starts(questionsPath(c.model(n))+"/generate", `{"count":3}`) },
		"POST " + model + "/benchmark/questions/save":     func(n int) routed { return starts(questionsPath(c.model(n))+"/save", oneQuestion) },
		"POST " + model + "/benchmark/runs": func(n int) routed {
			id := c.model(n)
			c.disk.done("ada", questionsPath(id)+"/save", oneQuestion)
			return starts(benchmarkPath(id), `{"answeredBy":{"kind":"PlatformAssistant"}}`)
		},
		"POST " + model + "/benchmark/runs/import": func(n int) routed {
			id := c.model(n)
			c.disk.done("ada", questionsPath(id)+"/save", oneQuestion)
			return starts(benchmarkPath(id)+"/import", someAnswers)
		},
		"GET " + model + "/benchmark/runs":         func(int) routed { memory.benchmark("acme", modelA); return get(benchmarkPath(modelA)) },
		"GET " + model + "/benchmark/runs/{runId}": func(int) routed { return get(benchmarkPath(modelA) + "/" + memory.benchmark("acme", modelA).String()) },
		"DELETE " + model + "/benchmark/runs/{runId}": func(int) routed {
			id := memory.benchmark("acme", modelA)
			memory.complete("acme", id)
			memory.completeOperation(id)
			return routed{memory, benchmarkPath(modelA) + "/" + id.String(), "", 200}
		},
		"GET " + model + "/benchmark/runs/{runId}/result": func(int) routed {
			id := memory.benchmark("acme", modelA)
			memory.complete("acme", id)
			memory.completeOperation(id)
			return get(benchmarkPath(modelA) + "/" + id.String() + "/result")
		},
		"POST " + model + "/benchmark/runs/{runId}/questions/{questionId}/verdict": func(int) routed {
			id := memory.benchmark("acme", modelA)
			memory.complete("acme", id)
			memory.completeOperation(id)
			return routed{memory, benchmarkPath(modelA) + "/" + id.String() + "/questions/q1/verdict", aVerdict, 200}
		},

		"POST /v1/audit/views/{view}": func(int) routed { return starts(viewPath("accounts"), `{"asOf":{"position":1}}`) },

		"GET " + model + "/owner":             func(n int) routed { return routed{disk, c.disk.own("ada", c.model(n)), "", 200} },
		"POST " + model + "/owner":            func(n int) routed { return routed{disk, modelPath(c.model(n)) + "/owner", aMember, 200} },
		"DELETE " + model + "/owner":          func(n int) routed { return routed{disk, c.disk.own("ada", c.model(n)), "", 200} },
		"GET " + model + "/notes":             func(n int) routed { return routed{disk, path.Dir(c.disk.note("ada", c.model(n))), "", 200} },
		"POST " + model + "/notes":            func(n int) routed { return routed{disk, modelPath(c.model(n)) + "/notes", aNote, 200} },
		"PATCH " + model + "/notes/{noteId}":  func(n int) routed { return routed{disk, c.disk.note("ada", c.model(n)), `{"text":"Another."}`, 200} },
		"DELETE " + model + "/notes/{noteId}": func(n int) routed { return routed{disk, c.disk.note("ada", c.model(n)), "", 200} },

		"POST " + model + "/schedules": func(n int) routed { return routed{disk, modelPath(c.model(n)) + "/schedules", everyMorning, 200} },
		"GET " + model + "/schedules": func(n int) routed {
			m := c.model(n)
			c.disk.plan("ada", m)
			return routed{disk, modelPath(m) + "/schedules", "", 200}
		},
		"GET " + schedules + "/{scheduleId}":    func(n int) routed { return routed{disk, c.disk.plan("ada", c.model(n)), "", 200} },
		"PATCH " + schedules + "/{scheduleId}":  func(n int) routed { return routed{disk, c.disk.plan("ada", c.model(n)), `{"timeUtc":"07:00"}`, 200} },
		"DELETE " + schedules + "/{scheduleId}": func(n int) routed { return routed{disk, c.disk.plan("ada", c.model(n)), "", 200} },

		"GET /v1/audit/proofs/{eventId}":              func(int) routed { return get("/v1/audit/proofs/" + memory.sealed("acme").String()) },
		"GET /v1/audit/{object}":                      func(int) routed { memory.sealed("acme"); return get("/v1/audit/checkpoint") },
		"GET /v1/audit/accounts/{accountId}/{object}": func(int) routed { memory.sealed("acme"); return get("/v1/audit/accounts/acme/checkpoint") },

		"POST /v1/webhooks": func(int) routed {
			memory.unhook("acme")
			return routed{memory, "/v1/webhooks", aWebhook, 200}
		},
		"GET /v1/webhooks/{webhookId}":            func(int) routed { return get(memory.hookPath()) },
		"PATCH /v1/webhooks/{webhookId}":          func(int) routed { return routed{memory, memory.hookPath(), `{"address":"https://else.example/"}`, 200} },
		"DELETE /v1/webhooks/{webhookId}":         func(int) routed { return routed{memory, memory.hookPath(), "", 200} },
		"POST /v1/webhooks/{webhookId}/test":      func(int) routed { return routed{memory, memory.hookPath() + "/test", "", 200} },
		"POST /v1/webhooks/{webhookId}/rotate":    func(int) routed { return routed{memory, memory.hookPath() + "/rotate", "", 200} },
		"GET /v1/webhooks/{webhookId}/deliveries": func(int) routed { return get(memory.hookPath() + "/deliveries") },
		"POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver": func(int) routed {
			return routed{memory, memory.delivered(), "", 200}
		},
		"POST /v1/aiProviders": func(n int) routed {
			return routed{memory, providersPath, fmt.Sprintf(`{"name":"New %d","kind":"openai_compatible","baseUrl":"%s/v1","model":"small"}`, n, c.llm.URL), 200}
		},
		"GET /v1/aiProviders/{providerId}": func(n int) routed { path, _ := memory.saves(c.llm, fmt.Sprint("Got ", n), ""); return get(path) },
		"PATCH /v1/aiProviders/{providerId}": func(n int) routed {
			path, _ := memory.saves(c.llm, fmt.Sprint("Changed ", n), "")
			return routed{memory, path, `{"enabled":false}`, 200}
		},
		"DELETE /v1/aiProviders/{providerId}": func(n int) routed {
			path, _ := memory.saves(c.llm, fmt.Sprint("Deleted ", n), "")
			return routed{memory, path, "", 200}
		},
		"POST /v1/aiProviders/{providerId}/test": func(n int) routed {
			path, _ := memory.saves(c.llm, fmt.Sprint("Tested ", n), "")
			return routed{memory, path + "/test", "", 200}
		},
	}
	all["GET "+reports] = func(n int) routed { c.report(n); return routed{disk, reportsPath, "", 200} }
	// Lists and other reads that need no preparation.
	for _, r := range routing.Table() {
		name, path := r.Method+" "+r.Path, of(r.Path)
		if all[name] == nil && r.Method == http.MethodGet && !strings.Contains(path, "{") {
			all[name] = func(int) routed { return get(path) }
		}
	}
	return all
}

// callsOfRoutes returns the table of routes and the call of each. It fails when the two differ.
func (c *calling) callsOfRoutes(t testing.TB) (routes []routing.Route, calls []func(n int) routed) {
	t.Helper()
	all := c.calls()
	routes = routing.Table()
	for _, r := range routes {
		call := all[r.Method+" "+r.Path]
		if call == nil {
			t.Fatalf("calls, in calls_test.go, prepares no call of %s %s", r.Method, r.Path)
		}
		calls = append(calls, call)
	}
	if len(all) != len(routes) {
		t.Errorf("there are calls for %d routes, want %d", len(all), len(routes))
	}
	return routes, calls
}

// request returns the call as a request with a token.
func (c routed) request(t testing.TB, method, token string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.of.base+c.path, strings.NewReader(c.body))
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}
