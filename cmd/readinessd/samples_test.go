package main

import (
	"testing"

	"readiness/definition/dataagent"
	"readiness/definition/report"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/platform/folder"
)

// The samples can be read like any workspaces, and their scores separate good models from bad ones.
func TestSamples(t *testing.T) {
	t.Parallel()
	platform, err := folder.Open("../../samples/workspaces", folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ada := item.Caller{Account: "contoso", Person: item.Person{ID: "ada"}}
	workspaces, err := platform.Workspaces(t.Context(), ada)
	if err != nil || len(workspaces) != 3 {
		t.Fatalf("got workspaces %v, error %v, want three", workspaces, err)
	}
	scores := map[string]float64{}
	models, reports, agents := 0, 0, 0
	for _, w := range workspaces {
		paused := w.DisplayName == "Seasonal Campaigns"
		for _, kind := range []item.Type{item.SemanticModel, item.Report, item.DataAgent} {
			items, err := platform.Items(t.Context(), ada, w.ID, kind)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range items {
				d, err := platform.Definition(t.Context(), ada, it)
				if paused {
					if !domain.IsRefused(err, domain.CapacityPaused) {
						t.Errorf("%s: got error %v, want CapacityPaused", it.DisplayName, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", it.DisplayName, err)
					continue
				}
				switch kind {
				case item.SemanticModel:
					models++
					m, err := semanticmodel.Read(d)
					if (err != nil) != (it.DisplayName == "Budget 2024") {
						t.Errorf("%s: got error %v; only Budget 2024 is broken", it.DisplayName, err)
					}
					if err == nil {
						scores[it.DisplayName] = float64(*readiness.Current().Assess(m, readiness.Options{}).Score)
					}
				case item.Report:
					reports++
					if r, err := report.Read(d); err != nil || len(r.Pages) == 0 {
						t.Errorf("%s: got %d pages, error %v", it.DisplayName, len(r.Pages), err)
					}
				case item.DataAgent:
					agents++
					if _, err := dataagent.Read(d); err != nil {
						t.Errorf("%s: %v", it.DisplayName, err)
					}
				}
			}
		}
	}
	if models != 9 || reports != 9 || agents != 1 {
		t.Errorf("got %d models, %d reports, %d agents, want 9, 9 and 1", models, reports, agents)
	}
	for name, want := range map[string]struct{ from, to float64 }{
		"Retail Sales":         {85, 100},
		"Financial Statements": {70, 95},
		"Store Operations":     {50, 85},
		"Headcount":            {50, 85},
		"Inventory":            {50, 85},
		"Support Tickets":      {40, 70},
		"WEB_TRAFFIC":          {0, 49},
		"crm_export":           {0, 49},
	} {
		if got, scored := scores[name]; !scored || got < want.from || got > want.to {
			t.Errorf("%s: got score %v, want %v to %v", name, got, want.from, want.to)
		}
	}
}

func TestSampleAccounts(t *testing.T) {
	t.Parallel()
	declared, err := readAccounts("../../samples/accounts.yaml", account.DefaultPlans())
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[string]account.Status{}
	for _, d := range declared {
		statuses[d.AccountID] = d.Status
	}
	if statuses["contoso"] != account.Active || statuses["fabrikam"] != account.Active || statuses["northwind"] != account.Suspended {
		t.Errorf("got %v", statuses)
	}
}
