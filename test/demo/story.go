package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// demo runs the parts of the demo, with the state that they share.
type demo struct {
	screen   *screen
	program  *program
	emulator *emulator // nil over a folder
	base     string
	answers  int

	ada, linus client
	workspaces map[string]string // id by name
}

// story runs the parts in order and stops at the first wrong answer.
func (d *demo) story(ctx context.Context) error {
	parts := []func(context.Context) error{
		d.signIn, d.lists, d.assessOne, d.refusals, d.assessMany, d.optimize, d.bundle, d.pixies, d.providers, d.abTest,
	}
	if d.emulator != nil {
		parts = []func(context.Context) error{
			d.signIn, d.lists, d.assessOne, d.refusals, d.assessMany, d.optimize, d.pixies, d.abTest, d.showStorm,
		}
	}
	for _, part := range parts {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) signIn(ctx context.Context) error {
	if d.emulator != nil {
		d.screen.step("Sign in with a code for another device: readiness client login --device")
	} else {
		d.screen.step("Tokens: ada is an administrator of account contoso, linus a member")
	}
	for person, c := range map[string]*client{"ada": &d.ada, "linus": &d.linus} {
		token, err := d.tokenOf(ctx, person)
		if err != nil {
			return err
		}
		token = strings.TrimSuffix(token, "\n")
		if strings.Count(token, ".") != 2 || strings.ContainsAny(token, " \n") {
			return fmt.Errorf("readinessd token printed %d bytes that are not just a token", len(token))
		}
		*c = client{d.base, token, &d.answers}
	}
	if d.emulator == nil {
		d.screen.say("$ TOKEN=$(readinessd token --account contoso --person ada)")
	}
	return nil
}

func (d *demo) tokenOf(ctx context.Context, person string) (string, error) {
	if d.emulator != nil {
		return d.signInWithDevice(ctx, person)
	}
	return d.program.command(ctx, "token", "--account", "contoso", "--person", person)
}

func (d *demo) showEvents(ctx context.Context, operationID string) error {
	d.screen.step("The events behind the first operation")
	d.screen.say("$ readinessd events list --stream operation-%s", operationID)
	out, err := d.program.command(ctx, "events", "list", "--stream", "operation-"+operationID)
	if err != nil {
		return err
	}
	var rows []table.Row
	var types []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[0] == "POSITION" {
			continue
		}
		rows = append(rows, table.Row{fields[0], fields[1], fields[3], fields[4]})
		types = append(types, fields[4])
	}
	d.screen.table(table.Row{"Position", "Recorded", "Version", "Event"}, rows, "Position", "Version")
	want := []string{"operation.accepted", "assessment.run-accepted", "operation.started", "assessment.model-ended", "operation.succeeded"}
	if !slices.Equal(types, want) {
		return fmt.Errorf("got the events %v, want %v", types, want)
	}
	out, err = d.program.command(ctx, "events", "verify")
	if err != nil {
		return err
	}
	d.screen.say("$ readinessd events verify\n%s", strings.TrimSpace(out))
	return nil
}

func (d *demo) refusals(ctx context.Context) error {
	d.screen.step("What is refused changes nothing and spends nothing")
	paused, err := d.model(ctx, "Seasonal Campaigns", "Holiday Campaign")
	if err != nil {
		return err
	}
	corporate := "/v1/workspaces/" + d.workspaces["Corporate Functions"]
	var rows []table.Row
	for _, r := range []struct {
		as           client
		status       int
		code, method string
		path         string
		body         any
		why          string
	}{
		{d.ada, 409, "CapacityPaused", "POST", "/v1/workspaces/" + d.workspaces["Seasonal Campaigns"] + "/semanticModels/" + paused.ID +
			"/aiReadiness/assess", nil, "the workspace's capacity is paused"},
		{d.linus, 404, "WorkspaceNotFound", "GET", corporate + "/semanticModels", nil, "linus cannot see the workspace"},
		{d.ada, 400, "InvalidRequest", "POST", corporate + "/aiReadiness/assess", map[string]any{"semanticModelId": []string{paused.ID}},
			"a member is misspelt"},
		{d.ada, 404, "ItemNotFound", "POST", corporate + "/aiReadiness/assess", map[string]any{"semanticModelIds": []string{paused.ID}},
			"the model is in another workspace"},
		{client{d.base, d.ada.token + "x", &d.answers}, 401, "Unauthorized", "GET", "/v1/workspaces", nil,
			"the token is not as it was signed"},
	} {
		e, err := r.as.refused(ctx, r.status, r.code, r.method, r.path, r.body)
		if err != nil {
			return err
		}
		rows = append(rows, table.Row{r.status, e.ErrorCode, r.why, e.Message})
	}
	d.screen.table(table.Row{"Status", "Code", "Why", "What to do"}, rows)
	return nil
}
