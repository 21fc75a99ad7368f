package fabric_test

import (
	"context"
	"net/http"
	"testing"

	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/fabric/emulator"
	"readiness/platform/fabric/iq"
	"readiness/platform/fabric/mcpclient"
)

// A server that knows only one version of MCP is talked to in that version, and is not asked again which one it knows.
func TestVersionsOfMCP(t *testing.T) {
	t.Parallel()
	const dax = "EVALUATE Sales"
	asks := map[string]func(t *testing.T, w *world, as *iq.Client) error{
		"a data agent": func(t *testing.T, w *world, _ *iq.Client) error {
			text, _, err := w.AskAgent(t.Context(), person("ada"), w.assistant(t), "Why?")
			if err == nil && text != "because" {
				t.Errorf("it answered %q", text)
			}
			return err
		},
		"Generate Query": func(t *testing.T, w *world, _ *iq.Client) error {
			got, _, err := w.GenerateQuery(t.Context(), person("ada"), w.retailSales(t), "What are net sales?", []item.SelectedTable{{Name: "Sales"}})
			if err == nil && got != dax {
				t.Errorf("it answered %q", got)
			}
			return err
		},
		"Fabric IQ": func(t *testing.T, w *world, asking *iq.Client) error {
			got, err := asking.Prepared(t.Context(), person("ada"), w.retailSales(t).ID)
			if err == nil && !got.Any() {
				t.Error("it shows nothing")
			}
			return err
		},
	}
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "1999-01-01"} {
		for name, ask := range asks {
			t.Run(version+" of "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, func(o *emulator.Options) {
					o.Unknown.MCPVersion = version
					o.Answers = func(item.Item, string) (string, error) { return "because", nil }
					o.Unknown.GeneratedQuery = func(item.Item, string) (any, string, error) { return nil, dax, nil }
				})
				asking := &iq.Client{MCP: mcpclient.New(), URL: w.server.URL, Transport: w.server.Client().Transport,
					Tokens: func(_ context.Context, as item.Caller, _ item.Permission) (string, error) { return as.Token, nil }}
				err, refusals := ask(t, w, asking), w.refusals()
				if version == "1999-01-01" {
					if err == nil || name != "Fabric IQ" && !domain.IsRefused(err, domain.PlatformUnavailable) || len(w.service.Calls()) > 6 {
						t.Errorf("after %d calls: %v", len(w.service.Calls()), err)
					}
					return
				}
				check(t, err)
				first := len(w.service.Calls())
				check(t, ask(t, w, asking))
				if again := w.refusals() - refusals; again != 0 || len(w.service.Calls())-first > first || refusals > 5 {
					t.Errorf("%d calls were refused, then %d; %d calls, then %d", refusals, again, first, len(w.service.Calls())-first)
				}
				// An upgraded server is found again.
				w.service.Set(func(o *emulator.Options) { o.Unknown.MCPVersion = "2026-07-28" })
				check(t, ask(t, w, asking))
			})
		}
	}
}

// refusals counts the calls that were answered with 400.
func (w *world) refusals() (n int) {
	for _, c := range w.service.Calls() {
		if c.Status == http.StatusBadRequest {
			n++
		}
	}
	return n
}
