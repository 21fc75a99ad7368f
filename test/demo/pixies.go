package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
)

type report struct {
	ID        string  `json:"reportId"`
	Name      string  `json:"reportName"`
	HasPixies bool    `json:"hasPixies"`
	Status    string  `json:"pixiesStatus"`
	ModelID   *string `json:"semanticModelId"`
}

// changedReports is the result of a run over many reports (docs/decisions.md 6).
type changedReports struct {
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Value     []struct {
		ReportID      string `json:"reportId"`
		ReportName    string `json:"reportName"`
		Outcome       string `json:"outcome"`
		PagesTracked  *int   `json:"pagesTracked"`
		VisualsTraced *int   `json:"visualsTracked"`
	} `json:"value"`
}

// addresses matches the Pixies' addresses in the changed files.
var addresses = regexp.MustCompile(`https?://[^'"]+/p/[^'"/]+\.gif`)

// views is how often the demo loads a Pixie.
const views = 1000

// pixies adds Pixies to every report of a workspace, loads those of one, checks
// that they weight the score, and removes all of them.
func (d *demo) pixies(ctx context.Context) error {
	const workspace = "Retail Analytics"
	folder := filepath.Join(d.program.workspaces, workspace)
	before, err := read(folder)
	if err != nil {
		return err
	}
	reports := "/v1/workspaces/" + d.workspaces[workspace] + "/reports"
	var list struct {
		Value []report `json:"value"`
	}
	if err := d.read(ctx, reports, &list); err != nil {
		return err
	}
	var ids []string
	for _, r := range list.Value {
		ids = append(ids, r.ID)
		if r.HasPixies || r.Status != "NeverAdded" {
			return fmt.Errorf("report %s is listed as %s", r.Name, r.Status)
		}
	}
	d.screen.step("Add Pixies to the reports of " + workspace + " in one call")
	if err := d.addPixies(ctx, reports, ids); err != nil {
		return err
	}
	after, err := read(folder)
	if err != nil {
		return err
	}
	if _, removed := changed(before.diff(after)); removed != 0 {
		return fmt.Errorf("adding Pixies removed %d existing lines", removed)
	}
	if err := d.look(ctx, before, after); err != nil {
		return err
	}
	if err := d.weighted(ctx, workspace, "Inventory"); err != nil {
		return err
	}

	d.screen.step("Remove them")
	var done changedReports
	if _, err := d.finished(ctx, reports+"/removePixies", map[string]any{"reportIds": ids}, &done, "removing"); err != nil {
		return err
	}
	if err := before.same(folder); err != nil {
		return err
	}
	if err := d.read(ctx, reports, &list); err != nil {
		return err
	}
	if !slices.ContainsFunc(list.Value, func(r report) bool { return r.Status == "PixiesRemoved" }) {
		return fmt.Errorf("no report is listed as PixiesRemoved")
	}
	d.screen.say("Every file of the workspace is unchanged, byte for byte.")
	return nil
}

// addPixies adds Pixies to the reports with the ids; reports is the address of their
// list.
func (d *demo) addPixies(ctx context.Context, reports string, ids []string) error {
	var done changedReports
	if _, err := d.finished(ctx, reports+"/addPixies", map[string]any{"reportIds": ids}, &done, "adding"); err != nil {
		return err
	}
	var rows []table.Row
	for _, r := range done.Value {
		if r.Outcome != "Added" || r.PagesTracked == nil {
			return fmt.Errorf("report %s is %s", r.ReportName, r.Outcome)
		}
		rows = append(rows, table.Row{r.ReportName, r.Outcome, *r.PagesTracked, *r.VisualsTraced})
	}
	d.screen.table(table.Row{"Report", "Outcome", "Pages", "Visuals"}, rows, "Pages", "Visuals")
	if done.Succeeded != len(ids) || done.Failed != 0 || len(ids) < 3 {
		return fmt.Errorf("%d of %d reports got Pixies", done.Succeeded, len(ids))
	}
	return nil
}

// look loads a Pixie of the Inventory report a thousand times from the collector,
// as viewers of its page do.
func (d *demo) look(ctx context.Context, before, after files) error {
	var address string
	for path, text := range after {
		if _, was := before[path]; !was && strings.Contains(path, "Inventory Monitor.Report/") {
			address = addresses.FindString(text)
		}
	}
	if address == "" {
		return fmt.Errorf("no new file of the Inventory Monitor report has a Pixie's address")
	}
	d.screen.step(fmt.Sprintf("Look at a page of Inventory Monitor %d times: GET %s", views, address))
	began := time.Now()
	var wg sync.WaitGroup
	failed := make(chan error, views)
	for range 4 {
		wg.Go(func() {
			for range views / 4 {
				if err := d.pixie(ctx, address); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	if err := <-failed; err != nil {
		return err
	}
	d.answers += views
	took := time.Since(began)
	d.screen.say("%d views in %s.", views, took.Round(time.Millisecond))
	return nil
}

func (d *demo) pixie(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	image, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "image/gif" ||
		response.Header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(string(image), "GIF89a") {
		return fmt.Errorf("%s answers %d %v with %d bytes", address, response.StatusCode, response.Header, len(image))
	}
	return nil
}

// weighted assesses the model until its score is weighted by the views, which the
// log's followers see shortly after the collector has written them.
func (d *demo) weighted(ctx context.Context, workspace, name string) error {
	d.screen.step("Assess " + name + " again, weighted by views")
	m, err := d.model(ctx, workspace, name)
	if err != nil {
		return err
	}
	model := "/v1/workspaces/" + d.workspaces[workspace] + "/semanticModels/" + m.ID + "/aiReadiness"
	for range 10 {
		s, err := d.ada.start(ctx, model+"/assess", nil)
		if err != nil {
			return err
		}
		address, err := d.ada.follow(ctx, s, d.screen.progress("assessing"))
		if err != nil {
			return err
		}
		a, err := d.result(ctx, address)
		if err != nil {
			return err
		}
		if !a.Usage.Applied {
			continue
		}
		if a.Regime.Comparable {
			return fmt.Errorf("%s: a weighted score is marked comparable with an unweighted one", address)
		}
		d.screen.say("Score %s of 100 (%.2f before rounding), weighted; not comparable with the one before.", scoreText(a.Score),
			*a.Document.Report.Uncapped)
		return nil
	}
	return fmt.Errorf("the score of %s is not weighted", name)
}

// read reads a list as ada.
func (d *demo) read(ctx context.Context, path string, into any) error {
	a, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, path, nil, nil)
	if err != nil {
		return err
	}
	return a.decode(into)
}
