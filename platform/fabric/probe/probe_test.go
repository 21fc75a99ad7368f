package probe_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/platform/fabric/probe"
	"readiness/platform/folder"
	"readiness/test/samples"
)

var (
	retail   = uuid.MustParse("dd861a23-9ffc-5a77-a120-f2f1e51bfd19")
	seasonal = uuid.MustParse("464c71cb-5954-5e3d-91a5-dbc88e2ba40d") // its capacity is paused
	ada      = item.Caller{Person: item.Person{ID: "ada"}, Token: "ada"}
	// everyone sees the workspace whose capacity is paused
	linus = item.Caller{Person: item.Person{ID: "linus"}, Token: "linus"}
)

// world is an emulated tenant over a copy of the samples, with a clock that advances only by waits.
type world struct {
	service *emulator.Service
	server  *httptest.Server
	folder  *folder.Platform
	report  strings.Builder

	mu  sync.Mutex
	now time.Time
}

func newWorld(t *testing.T, layout emulator.Layout, unknown emulator.Unknown) *world {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(samples.Workspaces(t))); err != nil {
		t.Fatal(err)
	}
	w := &world{now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	var err error
	if w.folder, err = folder.Open(dir, folder.Options{}); err != nil {
		t.Fatal(err)
	}
	var scopes []string
	for _, all := range fabric.Scopes {
		for _, s := range all {
			scopes = append(scopes, s[strings.LastIndexByte(s, '/')+1:])
		}
	}
	w.service = emulator.New(emulator.Options{Folder: w.folder, Now: w.clock, Layout: layout, Unknown: unknown,
		Person: func(bearer string) (emulator.Person, error) {
			return emulator.Person{ID: bearer, Scopes: scopes}, nil
		}})
	w.server = httptest.NewTLSServer(w.service)
	t.Cleanup(w.server.Close)
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) wait(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
	return ctx.Err()
}

func (w *world) options() fabric.Options {
	return fabric.Options{URL: w.server.URL, PowerBIURL: w.server.URL, IQURL: w.server.URL, Transport: w.server.Client().Transport,
		Now: w.clock, Wait: w.wait, Tokens: func(_ context.Context, as item.Caller, _ item.Permission) (string, error) { return as.Token, nil }}
}

func (w *world) probe() *probe.Probe {
	return &probe.Probe{Fabric: w.options(), Workspace: retail, Paused: seasonal, Largest: 2, GenerateQuery: true,
		Report: func(question, answer string) { fmt.Fprintf(&w.report, "%s: %s\n", question, answer) }}
}

// adapter returns the platform as the service has it after the probe.
func (w *world) adapter(t *testing.T, answers fabric.Answers) *fabric.Platform {
	t.Helper()
	o := w.options()
	o.Probed = func(item.Person) fabric.Answers { return answers }
	o.Writing = func(context.Context, item.Caller) error { return nil }
	p, err := fabric.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (w *world) model(t *testing.T, workspaceID uuid.UUID, name string) item.Item {
	t.Helper()
	all, err := w.folder.Items(t.Context(), ada, workspaceID, item.SemanticModel)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range all {
		if strings.HasPrefix(it.DisplayName, name) {
			return it
		}
	}
	t.Fatalf("no model %s", name)
	return item.Item{}
}

// describes writes a description to a model through the adapter and returns the refusal.
func describes(t *testing.T, p *fabric.Platform, it item.Item, text string) error {
	t.Helper()
	before, err := p.Definition(t.Context(), ada, it)
	if err != nil {
		return err
	}
	after, _, err := rewrite.Write(before, []rewrite.Change{{Target: rewrite.Target{Property: rewrite.Description, Table: "Sales"}, Value: text}})
	if err != nil {
		t.Fatal(err)
	}
	return writes(t, p, it, before, after)
}

func writes(t *testing.T, p *fabric.Platform, it item.Item, before, after definition.Definition) error {
	t.Helper()
	err := p.WriteDefinition(t.Context(), ada, it, after, before.Hash())
	sent, taken := errors.AsType[*item.Sent](err)
	if !taken {
		return err
	}
	ended, err := p.FinishWrite(t.Context(), ada, it, sent.Operation)
	if err == nil && !ended.Made {
		t.Fatalf("a write ended as %+v", ended)
	}
	return err
}

func says(err error, code domain.Code, words string) string {
	r, refused := domain.Refused(err)
	switch {
	case code == "" && err == nil:
		return ""
	case refused && r.Code == code && strings.Contains(r.Message, words):
		return ""
	}
	return fmt.Sprintf("got %v, want %q with %q", err, code, words)
}

// Each question has two answers. The probe determines which one holds, and the service then behaves accordingly.
func TestEveryAnswerBothWays(t *testing.T) {
	t.Parallel()
	protected := func(code string) func(item.Item) (string, string) {
		return func(it item.Item) (string, string) {
			if it.DisplayName == "Store Operations" {
				return uuid.NewString(), code
			}
			return "", ""
		}
	}
	sales := func(t *testing.T, w *world) item.Item { return w.model(t, retail, "Retail Sales") }
	for name, c := range map[string]struct {
		layout  emulator.Layout
		unknown emulator.Unknown
		reports string
		found   func(fabric.Answers) bool
		then    func(t *testing.T, w *world, p *fabric.Platform) string // what is wrong
	}{
		"writes are kept": {reports: "passed: yes", found: func(a fabric.Answers) bool { return a.Passed && !a.ProbedAt.IsZero() },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				return says(describes(t, p, sales(t, w), "Sold."), "", "")
			}},
		"writes are not kept": {layout: emulator.Layout{Forgetful: true}, reports: "passed: no", found: func(a fabric.Answers) bool { return !a.Passed }},

		"Generate Query is there": {unknown: emulator.Unknown{GeneratedQuery: func(item.Item, string) (any, string, error) { return nil, "EVALUATE Probe", nil }},
			reports: "Generate Query's answer is understood: yes", found: func(a fabric.Answers) bool { return a.Passed }},
		"Generate Query is not understood": {unknown: emulator.Unknown{GeneratedQuery: func(item.Item, string) (any, string, error) { return nil, "Sorry.", nil }},
			reports: "Generate Query's answer is understood: no; it has no query", found: func(a fabric.Answers) bool { return a.Passed }},
		"Generate Query fails": {unknown: emulator.Unknown{GeneratedQuery: func(item.Item, string) (any, string, error) { return nil, "", errors.New("oops") }},
			reports: "Generate Query's answer is understood: no; PlatformUnavailable", found: func(a fabric.Answers) bool { return a.Passed }},
		"Generate Query is not there": {reports: "Generate Query is offered: no; OperationNotSupportedForItem", found: func(a fabric.Answers) bool { return a.Passed }},

		"parts are shown": {reports: "parts below Copilot/ are shown: yes", found: func(a fabric.Answers) bool { return a.CopilotShown },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				d, err := p.Definition(t.Context(), ada, w.model(t, retail, "Store"))
				if d.MayLackCopilot {
					return "a model without such parts may have some"
				}
				return says(err, "", "")
			}},
		"parts are hidden and kept": {layout: emulator.Layout{DropCopilot: true, KeepsHidden: true}, reports: "an update keeps hidden parts: yes",
			found: func(a fabric.Answers) bool { return a.Passed && !a.CopilotShown && a.HiddenKept },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				d, err := p.Definition(t.Context(), ada, sales(t, w))
				if !d.MayLackCopilot || err != nil {
					return fmt.Sprintf("the model is taken for one without AI instructions: %v", err)
				}
				return says(describes(t, p, sales(t, w), "Sold."), "", "")
			}},
		"parts are hidden and deleted": {layout: emulator.Layout{DropCopilot: true}, reports: "an update keeps hidden parts: no; an update deletes them",
			found: func(a fabric.Answers) bool { return a.Passed && !a.CopilotShown && !a.HiddenKept },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				return says(describes(t, p, sales(t, w), "Sold."), domain.OperationNotSupportedForItem, "Fabric IQ shows")
			}},
		"parts are hidden, and nobody says whether kept": {layout: emulator.Layout{DropCopilot: true, KeepsHidden: true},
			unknown: emulator.Unknown{NoIQ: true}, reports: "an update keeps hidden parts: not known; Fabric IQ does not answer",
			found: func(a fabric.Answers) bool { return !a.HiddenKept },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				return says(describes(t, p, sales(t, w), "Sold."), domain.OperationNotSupportedForItem, "Fabric IQ does not say")
			}},
		"parts are lost": {layout: emulator.Layout{LosesCopilot: true}, reports: "not known; the model has no AI instructions, though they were given",
			found: func(a fabric.Answers) bool { return a.Passed && !a.CopilotShown && !a.HiddenKept }},

		"nothing is laid out otherwise": {layout: emulator.Layout{Exact: true}, reports: "the model's parts come back as they were given: yes",
			found: func(a fabric.Answers) bool { return a.Passed && len(a.Relaid) == 0 }},
		"line ends, JSON and white space": {layout: emulator.Layout{CRLF: true, CompactJSON: true, TrimMarkdown: true},
			reports: "the model's parts: Copilot/schema.json as JSON laid out otherwise",
			found: func(a fabric.Answers) bool {
				return a.Passed && a.Relaid["definition/database.tmdl"] == "with other line ends" &&
					a.Relaid["Copilot/Instructions/instructions.md"] == "with other white space at its end" &&
					a.Relaid["definition.pbism"] == "as JSON laid out otherwise"
			}, then: func(t *testing.T, w *world, p *fabric.Platform) string {
				return says(describes(t, p, sales(t, w), "Sold."), "", "")
			}},

		"early polls": {reports: "operations may be asked for early: yes", found: func(a fabric.Answers) bool { return !a.EarlyPollsBlocked },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				before := w.clock()
				if _, err := p.Definition(t.Context(), ada, sales(t, w)); err != nil || w.clock().Sub(before) > 5*time.Second {
					return fmt.Sprintf("it took %s: %v", w.clock().Sub(before), err)
				}
				return ""
			}},
		"no early polls": {unknown: emulator.Unknown{BlocksEarlyPolls: true}, reports: "operations may be asked for early: no",
			found: func(a fabric.Answers) bool { return a.Passed && a.EarlyPollsBlocked },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				if err := describes(t, p, sales(t, w), "Sold."); err != nil {
					return err.Error()
				}
				blocked := 0
				for _, c := range w.service.Calls() {
					if c.Status == http.StatusTooManyRequests {
						blocked++
					}
				}
				if blocked != 1 { // the probe's own
					return fmt.Sprintf("%d polls were blocked", blocked)
				}
				return ""
			}},

		"a label": {unknown: emulator.Unknown{Label: protected("LabelForbids")}, reports: "a protected item is refused: yes; with LabelForbids",
			found: func(a fabric.Answers) bool { return a.LabelCode == "LabelForbids" },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				_, err := p.Definition(t.Context(), ada, w.model(t, retail, "Store Operations"))
				return says(err, domain.ItemNotReadable, "LabelForbids")
			}},
		"a label that forbids nothing": {unknown: emulator.Unknown{Label: protected("")}, reports: "a protected item is refused: no",
			found: func(a fabric.Answers) bool { return a.LabelCode == "" },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				_, err := p.Definition(t.Context(), ada, w.model(t, retail, "Store Operations"))
				return says(err, "", "")
			}},

		"sizes": {reports: "the largest definition that is taken: 2 MiB or more", found: func(a fabric.Answers) bool { return a.RefusedBytes == 0 }},
		"a limit of size": {unknown: emulator.Unknown{LargestUpdate: 1 << 20}, reports: "taken: less than 1 MiB; 1 MiB are refused with RequestEntityTooLarge",
			found: func(a fabric.Answers) bool { return a.RefusedBytes > 1<<20 },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				before, err := p.Definition(t.Context(), ada, sales(t, w))
				if err != nil {
					return err.Error()
				}
				sent := len(w.service.Calls())
				after := definition.New(append(before.Parts, definition.Part{Path: "x", Data: make([]byte, 2<<20)})...)
				wrong := says(writes(t, p, sales(t, w), before, after), domain.ItemNotReadable, "larger than the platform takes")
				if now := len(w.service.Calls()); now != sent {
					wrong += fmt.Sprintf("; %d calls were made", now-sent)
				}
				return wrong
			}},

		"a paused capacity": {reports: "by POST /workspaces/{w}/semanticModels/{i}/getDefinition: CapacityNotActive",
			found: func(a fabric.Answers) bool {
				return a.PausedCodes["POST /workspaces/{w}/semanticModels/{i}/getDefinition"] == "CapacityNotActive"
			},
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				_, err := p.Definition(t.Context(), linus, w.model(t, seasonal, "Holiday"))
				return says(err, domain.CapacityPaused, "resume it")
			}},
		"a paused capacity, by another name": {unknown: emulator.Unknown{PausedCode: "CapacitySleeps"}, reports: "getDefinition: CapacitySleeps",
			found: func(a fabric.Answers) bool { return len(a.PausedCodes) > 0 },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				_, err := p.Definition(t.Context(), linus, w.model(t, seasonal, "Holiday"))
				_, unknown := w.adapter(t, fabric.Answers{}).Definition(t.Context(), linus, w.model(t, seasonal, "Holiday"))
				return says(err, domain.CapacityPaused, "resume it") + says(unknown, domain.ItemNotFound, "")
			}},

		"queries": {reports: "queries are answered: yes", found: func(a fabric.Answers) bool { return a.QueriesRefused == "" },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				_, err := p.Query(t.Context(), ada, retail, sales(t, w).ID, `EVALUATE ROW("a", COUNTROWS(Sales))`)
				return says(err, "", "")
			}},
		"exact": {reports: "queries are answered with exact decimals: yes", found: func(a fabric.Answers) bool { return a.ArrowRefused == "" }},
		"inexact": {unknown: emulator.Unknown{ArrowRefused: "DatasetNotOnCapacity"},
			reports: "queries are answered with exact decimals: no; DatasetNotOnCapacity",
			found:   func(a fabric.Answers) bool { return a.ArrowRefused == "DatasetNotOnCapacity" && a.Passed }},
		"no queries": {unknown: emulator.Unknown{QueriesRefused: "TenantSwitchDisabled"}, reports: "queries are answered: no; TenantSwitchDisabled",
			found: func(a fabric.Answers) bool { return a.QueriesRefused == "TenantSwitchDisabled" },
			then: func(t *testing.T, w *world, p *fabric.Platform) string {
				sent := len(w.service.Calls())
				_, err := p.Query(t.Context(), ada, retail, sales(t, w).ID, `EVALUATE Sales`)
				wrong := says(err, domain.PlatformAccessDenied, "as a probe on 2026-12-01 found out")
				if now := len(w.service.Calls()); now != sent {
					wrong += fmt.Sprintf("; %d calls were made", now-sent)
				}
				return wrong
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.layout, c.unknown)
			p := w.probe()
			p.Labelled = w.model(t, retail, "Store Operations").ID
			answers, complete, err := p.Run(t.Context(), ada)
			if err != nil || !complete {
				t.Fatalf("got %v after\n%s", err, w.report.String())
			}
			if !c.found(answers) || !strings.Contains(w.report.String(), c.reports) {
				t.Errorf("the answers are %+v, and the report lacks %q:\n%s", answers, c.reports, w.report.String())
			}
			w.leftNothing(t)
			if c.then != nil {
				if wrong := c.then(t, w, w.adapter(t, answers)); wrong != "" {
					t.Error(wrong)
				}
			}
		})
	}
}

// leftNothing checks that nothing is left, and that the report names neither the workspace nor an item.
func (w *world) leftNothing(t *testing.T) {
	t.Helper()
	if made := w.service.Made(); len(made) != 0 {
		t.Errorf("%q are left", made)
	}
	for _, name := range []string{retail.String(), "Retail", "Holiday", "Store", "ada", probe.Prefix} {
		if strings.Contains(w.report.String(), name) {
			t.Errorf("the report has %q:\n%s", name, w.report.String())
		}
	}
}
