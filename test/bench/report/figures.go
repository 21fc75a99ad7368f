package main

import "strings"

// benchmark is one that go test runs, and what the table says of it.
type benchmark struct {
	name, pkg string
	times     string // -benchtime: a second is too short for ratios
	tags, cpu string
	env       []string
	// disk has the files on disk instead of in memory: the benchmark's own server has fsync on.
	disk    bool
	figures []figure
}

// String is the command: what -only finds, and what the table shows.
func (r benchmark) String() string {
	return strings.Join(strings.Fields(strings.Join([]string{r.name, r.pkg, r.times, strings.Join(r.env, " ")}, " ")), " ")
}

// figure is a row: a unit that a benchmark, or the sub-benchmark sub, reports.
type figure struct {
	what, sub, unit string
	goal            float64 // at least, or with most at most, in the unit that is shown; 0 is none
	most            bool
	seconds         bool // instead of milliseconds
	// checked fails bench/check below half its goal: a ratio to a reference in turns, which other work on the machine hardly changes.
	checked bool
}

// runs are all benchmarks of the table, in its order.
var runs = []benchmark{
	{name: "AppendDurably", pkg: "./eventstore", times: "12000x", disk: true, figures: []figure{
		{what: "Durable append of an event, 16 callers", sub: "1_events", unit: "of-bare-rows", goal: 0.5, checked: true},
		{what: "The same, a hundred events a call", sub: "100_events", unit: "of-bare-rows", goal: 4},
	}},
	{name: "Emmett", pkg: "./eventstore", times: "2000x", tags: "npm", disk: true, figures: []figure{
		{what: "Durable append beside Emmett, one caller", sub: "append,_1_events,_1_callers", unit: "of-Emmett", goal: 1},
		{what: "Beside Emmett, 16 callers", sub: "append,_1_events,_16_callers", unit: "of-Emmett", goal: 3},
		{what: "Beside Emmett, a hundred events a call", sub: "append,_100_events,_16_callers", unit: "of-Emmett"},
		{what: "Load of 100 events beside Emmett, one caller", sub: "load,_100_events,_1_callers", unit: "of-Emmett"},
		{what: "Load beside Emmett, 16 callers", sub: "load,_100_events,_16_callers", unit: "of-Emmett"},
	}},
	{name: "Append", pkg: "./eventstore", times: "12000x", figures: []figure{
		{what: "Append of an event with its view", sub: "1_events", unit: "of-pgbench", goal: 0.45},
		{what: "Ten events", sub: "10_events", unit: "of-pgbench", goal: 0.5},
	}},
	{name: "Sealing", pkg: "./eventstore/audit", times: "420000x", figures: []figure{
		{what: "Append with sealing", unit: "of-bare", goal: 0.98},
	}},
	{name: "SealedTexts", pkg: "./eventstore", times: "63000x", figures: []figure{
		{what: "Append of encrypted texts", unit: "appends-of-open"},
		{what: "Read of encrypted texts", unit: "reads-of-open"},
	}},
	{name: "Verify", pkg: "./eventstore/audit", figures: []figure{
		{what: "Verification of 200,000 events", unit: "of-COPY-out"},
	}},
	{name: "Proof", pkg: "./eventstore/audit", times: "2000x", figures: []figure{
		{what: "Proof among ten million events, p50", unit: "p50-ms", goal: 5, most: true},
	}},
	{name: "Import", pkg: "./eventstore", figures: []figure{
		{what: "Import of an export", unit: "of-copy", goal: 0.3},
	}},
	{name: "Move", pkg: "./cmd/readinessd/move", figures: []figure{
		{what: "Import of an account", unit: "of-copy", goal: 0.3},
	}},
	{name: "RebuildOperations", pkg: "./projections", env: []string{"READINESS_BENCH_EVENTS=1000000"}, figures: []figure{
		{what: "Rebuild of operations, a million events", unit: "of-COPY-out", goal: 0.6},
	}},
	{name: "RebuildAssessments", pkg: "./projections", env: []string{"READINESS_BENCH_EVENTS=200000"}, figures: []figure{
		{what: "Rebuild of assessments and portfolio, 200,000 events", unit: "of-COPY-out", goal: 0.3},
	}},
	{name: "GetOperation", pkg: "./http", times: "40000x", figures: []figure{
		{what: "GET of an operation", sub: "16_callers", unit: "of-bare", goal: 0.75},
	}},
	{name: "PostAssessment", pkg: "./http", times: "6000x", figures: []figure{
		{what: "POST of an assessment", sub: "16_callers", unit: "of-pgbench", goal: 0.7},
	}},
	{name: "Images", pkg: "./http/collector/pageviews", times: "200000x", figures: []figure{
		{what: "Pixie image", sub: "answered_at_once", unit: "of-bare", goal: 0.8},
	}},
	{name: "Portfolio", pkg: "./projections", figures: []figure{
		{what: "Portfolio of 100,000 models by score", sub: "score", unit: "ns/op", goal: 50, most: true},
		{what: "By change", sub: "change", unit: "ns/op", goal: 50, most: true},
		{what: "By views", sub: "views", unit: "ns/op", goal: 50, most: true},
	}},
	{name: "AbTests", pkg: "./projections", figures: []figure{
		{what: "List of 10,000 A/B tests", unit: "ns/op", goal: 8, most: true},
	}},
	{name: "Others", pkg: "./cmd/readinessd", times: "1500x", figures: []figure{
		{what: "Reads beside sixty calls of a model of 20,000 fields, p99", sub: "view", unit: "p99-ms", goal: 50, most: true},
		{what: "Reads beside 498 assessments, p99", sub: "assess", unit: "p99-ms", goal: 50, most: true},
		{what: "Memory meanwhile", sub: "assess", unit: "most-MB", goal: 600, most: true},
	}},
	{name: "Memory", pkg: "./cmd/readinessd", figures: []figure{
		{what: "Memory of the idle service", unit: "idle-MB"},
	}},
	{name: "Parse", pkg: "./definition/tmdl", cpu: "1", figures: []figure{
		{what: "TMDL, one core", sub: "large_table", unit: "MB/s", goal: 150},
	}},
	{name: "Large", pkg: "./offline", times: "3x", figures: []figure{
		{what: "Preview of 12,000 measures", sub: "preview", unit: "ns/op", goal: 4, most: true, seconds: true},
		{what: "Assessment of 12,000 measures", sub: "assess", unit: "ns/op", goal: 0.6, most: true, seconds: true},
	}},
	{name: "Tenant", pkg: "./cmd/readiness", times: "1x", figures: []figure{
		{what: "1,000 models of 0.2 MB assessed", unit: "ns/op", goal: 60, most: true, seconds: true},
		{what: "Memory for that", unit: "most-MB", goal: 200, most: true},
	}},
	{name: "Start", pkg: "./cmd/readiness", times: "20x", figures: []figure{
		{what: "Start of `readiness assess`", unit: "ns/op", goal: 40, most: true},
	}},
	{name: "Keystroke", pkg: "./offline/lsp", times: "60x", figures: []figure{
		{what: "Keystroke to the findings of 3,000 objects", unit: "ns/op", goal: 150, most: true},
	}},
}
