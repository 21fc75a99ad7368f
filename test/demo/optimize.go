package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"readiness/internal/optional"
)

// proposed is the part of a preview that the demo checks.
type proposed struct {
	PreviewID string `json:"previewId"`
	Changes   []struct {
		Key      string  `json:"key"`
		Type     string  `json:"type"`
		Current  *string `json:"current"`
		Proposed string  `json:"proposed"`
	} `json:"changes"`
	ScoreNow   *float64 `json:"scoreNow"`
	ScoreAfter *float64 `json:"scoreAfter"`
}

// record is an apply record.
type record struct {
	RevertOperationID string `json:"revertOperationId"`
	Standing          string `json:"standing"`
	Applied           []struct {
		Key      string  `json:"key"`
		Previous *string `json:"previous"`
		Written  *string `json:"written"`
	} `json:"applied"`
	Skipped []struct {
		Key    string `json:"key"`
		Reason string `json:"reason"`
	} `json:"skipped"`
}

// finished starts work as ada, follows it to its end and reads its result.
func (d *demo) finished(ctx context.Context, path string, body, into any, doing string) (started, error) {
	s, err := d.ada.start(ctx, path, body)
	if err != nil {
		return s, err
	}
	address, err := d.ada.follow(ctx, s, d.screen.progress(doing))
	if err != nil {
		return s, err
	}
	a, err := d.ada.call(ctx, http.StatusOK, http.MethodGet, address, nil, nil)
	if err != nil {
		return s, err
	}
	return s, a.decode(into)
}

// inventory returns the model to optimize with its address, its workspace's folder
// and that folder's files.
func (d *demo) inventory(ctx context.Context) (m model, address, folder string, before files, err error) {
	const workspace = "Retail Analytics"
	if m, err = d.model(ctx, workspace, "Inventory"); err != nil {
		return m, "", "", nil, err
	}
	folder = filepath.Join(d.program.workspaces, workspace)
	before, err = read(folder)
	return m, "/v1/workspaces/" + d.workspaces[workspace] + "/semanticModels/" + m.ID + "/aiReadiness", folder, before, err
}

// own is a text that the caller writes.
const own = "Units counted in stock on the day of the count, all warehouses together."

// optimize previews descriptions and applies two, one with a text by ada. It checks
// that the score rises, and reverts both.
func (d *demo) optimize(ctx context.Context) error {
	m, model, folder, before, err := d.inventory(ctx)
	if err != nil {
		return err
	}
	d.screen.step("Preview descriptions for " + m.Name)
	var p proposed
	if _, err := d.finished(ctx, model+"/descriptions/preview", nil, &p, "proposing"); err != nil {
		return err
	}
	if len(p.Changes) < 2 || p.ScoreNow == nil || p.ScoreAfter == nil || *p.ScoreAfter <= *p.ScoreNow {
		return fmt.Errorf("the preview holds %d changes and takes the score from %s to %s; want some, and a higher score", len(p.Changes),
			scoreText(p.ScoreNow), scoreText(p.ScoreAfter))
	}
	d.screen.say("%d descriptions are proposed; with all of them the score would go from %s to %s. The first:", len(p.Changes),
		scoreText(p.ScoreNow), scoreText(p.ScoreAfter))
	var rows []table.Row
	for _, c := range p.Changes[:min(worst, len(p.Changes))] {
		rows = append(rows, table.Row{c.Key, c.Proposed})
	}
	d.screen.table(table.Row{"Key", "What to do"}, rows)
	if err := before.same(folder); err != nil {
		return fmt.Errorf("a preview must write nothing: %w", err)
	}

	r, err := d.applyTwo(ctx, model, folder, before, p)
	if err != nil {
		return err
	}
	if err := d.rose(ctx, model, *p.ScoreNow); err != nil {
		return err
	}

	d.screen.step("Revert them")
	if _, err := d.finished(ctx, model+"/revert", map[string]any{"operationId": r.RevertOperationID}, &r, "reverting"); err != nil {
		return err
	}
	if err := before.same(folder); err != nil {
		return err
	}
	d.screen.say("Every file of the workspace is unchanged, byte for byte.")
	return d.history(ctx, m.ID)
}

// applyTwo applies the preview's first two changes, the second with another text, and compares the files.
func (d *demo) applyTwo(ctx context.Context, model, folder string, before files, p proposed) (r record, err error) {
	first, second := p.Changes[0].Key, p.Changes[1].Key
	d.screen.step("Apply two of them, one in ada's own words")
	applied, err := d.finished(ctx, model+"/descriptions/apply", map[string]any{
		"previewId": p.PreviewID, "keys": []string{first, second}, "values": map[string]string{second: own},
	}, &r, "writing")
	if err != nil {
		return r, err
	}
	if r.RevertOperationID != applied.OperationID || r.Standing != "Applied" || len(r.Applied) != 2 || len(r.Skipped) != 0 ||
		*r.Applied[1].Written != own {
		return r, fmt.Errorf("the apply's record is %+v", r)
	}
	after, err := read(folder)
	if err != nil {
		return r, err
	}
	diff := before.diff(after)
	d.screen.say("%s", strings.TrimRight(diff, "\n"))
	if added, removed := changed(diff); added != 2 || removed != 0 {
		return r, fmt.Errorf("the files differ by %d lines added and %d removed, want the 2 descriptions", added, removed)
	}
	return r, nil
}

// rose assesses the model again and fails unless the score before rounding has
// risen. Two descriptions may be worth less than a point.
func (d *demo) rose(ctx context.Context, model string, score float64) error {
	s, err := d.ada.start(ctx, model+"/assess", nil)
	if err != nil {
		return err
	}
	address, err := d.ada.follow(ctx, s, d.screen.progress("assessing again"))
	if err != nil {
		return err
	}
	a, err := d.result(ctx, address)
	if err != nil {
		return err
	}
	if *a.Document.Report.Uncapped <= score || !a.Regime.Comparable {
		return fmt.Errorf("%s: the score is %v of 100, uncapped %v, comparable %v; want more than %v", address, *a.Score,
			*a.Document.Report.Uncapped, a.Regime.Comparable, score)
	}
	d.screen.say("Score %s of 100 (%.2f before rounding), %d findings.", scoreText(a.Score), *a.Document.Report.Uncapped, *a.Findings)
	return nil
}

// history shows the events of the model's optimizations.
func (d *demo) history(ctx context.Context, modelID string) error {
	stream := "optimization-contoso-" + modelID
	d.screen.say("$ readinessd events list --stream %s", stream)
	out, err := d.program.command(ctx, "events", "list", "--stream", stream)
	if err != nil {
		return err
	}
	d.screen.say("%s", strings.TrimSpace(out))
	if taken, released := strings.Count(out, "optimization.lock-taken"),
		strings.Count(out, "optimization.lock-released"); taken != 2 || released != 2 {
		return fmt.Errorf("the model's lock was taken %d times and released %d times, want the apply and the revert", taken, released)
	}
	return nil
}

// kinds is the result of a bundle.
type kinds struct {
	PreviewID         string `json:"previewId"`
	RevertOperationID string `json:"revertOperationId"`
	Standing          string `json:"standing"`
	Kinds             []struct {
		Kind        string  `json:"kind"`
		OperationID *string `json:"operationId"`
		Standing    string  `json:"standing"`
		Message     *string `json:"message"`
	} `json:"kinds"`
}

// show lists the kinds with their standing, which must be one of want.
func (d *demo) show(k kinds, want ...string) error {
	var rows []table.Row
	for _, one := range k.Kinds {
		rows = append(rows, table.Row{one.Kind, one.Standing, optional.Value(one.OperationID), optional.Value(one.Message)})
		if !slices.Contains(want, one.Standing) {
			return fmt.Errorf("%s is %s, want one of %v", one.Kind, one.Standing, want)
		}
	}
	d.screen.table(table.Row{"Kind", "Standing", "Operation", "What to do"}, rows)
	if len(rows) != 4 {
		return fmt.Errorf("the bundle lists %d kinds, want all four", len(rows))
	}
	return nil
}

// bundle optimizes a model in every kind, with review, and reverts everything.
func (d *demo) bundle(ctx context.Context) error {
	m, model, folder, before, err := d.inventory(ctx)
	if err != nil {
		return err
	}
	d.screen.step("Every kind at once, reviewed first: " + m.Name)
	var k kinds
	if _, err := d.finished(ctx, model+"/optimize", map[string]any{"approval": "required"}, &k, "previewing"); err != nil {
		return err
	}
	if err := d.show(k, "Succeeded"); err != nil {
		return err
	}
	d.screen.step("Write them, one kind after the other as ada reads the operation")
	if _, err := d.finished(ctx, model+"/optimize/apply", map[string]any{"previewId": k.PreviewID}, &k, "writing"); err != nil {
		return err
	}
	if err := d.show(k, "Applied", "NothingToDo"); err != nil {
		return err
	}
	after, err := read(folder)
	if err != nil {
		return err
	}
	added, removed := changed(before.diff(after))
	d.screen.say("%d lines added, %d removed.", added, removed)
	if err := d.rose(ctx, model, 0); err != nil {
		return err
	}
	d.screen.step("Revert every kind, the last first")
	if _, err := d.finished(ctx, model+"/optimize/revert", map[string]any{"operationId": k.RevertOperationID}, &k,
		"reverting"); err != nil {
		return err
	}
	if err := before.same(folder); err != nil {
		return err
	}
	d.screen.say("Every file of the workspace is unchanged, byte for byte.")
	return nil
}
