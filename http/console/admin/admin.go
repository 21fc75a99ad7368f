// Package admin is the screen of an account: its plan and remaining allowances, people, licences, permissions, AI providers, schedules, webhooks,
// and the log of events. It shows each person what the interface allows them.
package admin

import (
	"embed"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/http/console/chart"
	"readiness/http/console/page"
)

//go:embed *.html
var files embed.FS

var (
	accountView = page.NewView(files, "account.html")
	auditView   = page.NewView(files, "audit.html")
)

// path is where the navigation leads.
const path = "/admin"

// Screen returns the screen.
func Screen() page.Screen {
	return page.Screen{Name: "Administration", Path: path, Routes: []page.Route{
		{Pattern: "GET /admin", Serve: show}, {Pattern: "POST /admin/providers", Serve: saveProvider},
		{Pattern: "POST /admin/providers/{id}/test", Serve: testProvider}, {Pattern: "POST /admin/schedules/{id}", Serve: changeSchedule},
		{Pattern: "GET /admin/webhooks", Serve: listWebhooks}, {Pattern: "POST /admin/webhooks", Serve: createWebhook},
		{Pattern: "GET /admin/webhooks/{id}", Serve: showWebhook}, {Pattern: "POST /admin/webhooks/{id}", Serve: changeWebhook},
		{Pattern: "GET /admin/audit", Serve: events}, {Pattern: "GET /admin/audit/events.jsonl", Serve: exportEvents},
		{Pattern: "GET /admin/audit/events/{id}/proof", Serve: proof},
	}}
}

// maxSchedules is how many schedules the page lists, and maxMembers how many people.
const maxSchedules, maxMembers = 100, 500

// content is what the page of the account shows.
type content struct {
	client.Account
	Person      string
	Used        chart.Bars
	Permissions []client.Permission
	Licenses    []client.License
	Members     []client.AccountMember
	Providers   []client.AIProvider
	Schedules   []client.Schedule
	// Refused says, by part of the page, why the interface does not show it to the person.
	Refused map[string]string
}

// Admin reports whether the person is an administrator of the account.
func (c content) Admin() bool { return c.API.Role == client.Admin }

// show shows the account. A part that the person may not see says so.
func show(v *page.Visit) error {
	ctx := v.Request.Context()
	c := &content{Person: v.Who.Name, Refused: map[string]string{}}
	// A failed call does not cancel the others: the service would log a canceled call as an internal error.
	var together errgroup.Group
	var refusing sync.Mutex
	together.Go(func() error {
		got, err := v.API.GetAccountWithResponse(ctx)
		if err == nil {
			c.Account, c.Used = *got.JSON200, used(got.JSON200.Allowances)
		}
		return err
	})
	for name, read := range map[string]func() error{
		"permissions": func() error {
			got, err := v.API.ListPermissionsWithResponse(ctx)
			if err == nil {
				c.Permissions = got.JSON200.Value
			}
			return err
		},
		"people": func() error {
			got, err := v.API.ListMembersWithResponse(ctx, &client.ListMembersParams{MaxResults: new(maxMembers)})
			if err == nil {
				c.Members = got.JSON200.Value
			}
			return err
		},
		"licences": func() error {
			got, err := v.API.ListLicensesWithResponse(ctx)
			if err == nil {
				c.Licenses = got.JSON200.Value
			}
			return err
		},
		"providers": func() error {
			got, err := v.API.ListAIProvidersWithResponse(ctx)
			if err == nil {
				c.Providers = got.JSON200.Value
			}
			return err
		},
		"schedules": func() error {
			got, err := v.API.ListSchedulesWithResponse(ctx, &client.ListSchedulesParams{MaxResults: new(maxSchedules)})
			if err == nil {
				c.Schedules = got.JSON200.Value
			}
			return err
		},
	} {
		together.Go(func() error {
			err := read()
			if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status != http.StatusUnauthorized {
				refusing.Lock()
				defer refusing.Unlock()
				c.Refused[name] = refused.Message
				return nil
			}
			return err
		})
	}
	if err := together.Wait(); err != nil {
		return err
	}
	return v.Show(accountView, page.Page{Title: "Administration", In: path, Data: c})
}

// used returns the allowances as bars.
func used(a client.AccountAllowances) chart.Bars {
	c := chart.Bars{Caption: "What is used", LabelHead: "Allowance", ValueHead: "Used", NoteHead: "Period", Max: 100}
	add := func(label string, used, limit *int, period string) {
		b := chart.Bar{Label: label, Note: period}
		switch {
		case used == nil:
			b.Missing, b.Text = true, "not known"
		case limit == nil:
			b.Missing, b.Text = true, fmt.Sprintf("%d, no limit", *used)
		default:
			b.Text = fmt.Sprintf("%d of %d", *used, *limit)
			if *limit > 0 {
				b.Value = 100 * float64(*used) / float64(*limit)
			}
			if b.Value >= 90 || *limit == 0 {
				b.Tone = chart.Poor
			}
		}
		c.Bars = append(c.Bars, b)
	}
	add("Assessments", a.Assessments.Used, a.Assessments.Limit, page.Words(string(a.Assessments.Period)))
	add("Applies", a.OptimizationApplies.Used, a.OptimizationApplies.Limit, page.Words(string(a.OptimizationApplies.Period)))
	if runs := a.BenchmarkRuns; runs != nil {
		add("Benchmark runs", runs.Used, runs.Limit, page.Words(string(runs.Period)))
	}
	add("Tracked items", a.TrackedItems.Used, a.TrackedItems.Limit, "never goes down")
	if looks := a.FirstLooks; looks != nil {
		add("First looks", looks.Used, looks.Limit, "")
	}
	return c
}

// providerKind is a kind of AI provider that is reached by a key, and what people call it.
type providerKind struct {
	Kind client.SavedAIProviderKind
	Name string
}

// ProviderKinds returns the kinds that the page can save. The interface has data agents and applications of Entra too.
func (content) ProviderKinds() []providerKind {
	return []providerKind{{client.SavedAIProviderKindOpenai, "OpenAI"}, {client.SavedAIProviderKindAnthropic, "Anthropic"},
		{client.SavedAIProviderKindAzureOpenai, "Azure OpenAI"}, {client.SavedAIProviderKindOpenaiCompatible, "Compatible with OpenAI"}}
}

// saveProvider saves an AI provider, after a call that reached it.
func saveProvider(v *page.Visit) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	r := client.SaveAIProviderRequest{Name: form.Get("name"), Kind: client.SavedAIProviderKind(form.Get("kind")), Model: new(form.Get("model"))}
	if address := form.Get("baseUrl"); address != "" {
		r.BaseURL = &address
	}
	if key := form.Get("apiKey"); key != "" {
		r.APIKey = &key
	}
	if _, err := v.API.SaveAIProviderWithResponse(v.Request.Context(), r); err != nil {
		return err
	}
	return v.See(path + "#providers")
}

// testProvider asks an AI provider whether it can be reached.
func testProvider(v *page.Visit) error {
	if _, err := v.Form(); err != nil {
		return err
	}
	if _, err := v.API.TestAIProviderWithResponse(v.Request.Context(), v.Request.PathValue("id")); err != nil {
		return err
	}
	return v.See(path + "#providers")
}

// changeSchedule enables, disables or deletes a schedule.
func changeSchedule(v *page.Visit) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	id, err := uuid.Parse(v.Request.PathValue("id"))
	if err != nil {
		return page.NotFound
	}
	ctx := v.Request.Context()
	switch do := form.Get("do"); do {
	case "enable", "disable":
		_, err = v.API.ChangeScheduleWithResponse(ctx, id, client.ChangeScheduleRequest{Enabled: new(do == "enable")})
	case "delete":
		_, err = v.API.DeleteScheduleWithResponse(ctx, id)
	default:
		err = &page.Problem{Status: http.StatusBadRequest, Title: "The form is incomplete", Text: "Press a button of the schedule."}
	}
	if err != nil {
		return err
	}
	return v.See(path + "#schedules")
}
