package fabric

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/platform/quota"
)

// Export names a bulk export by the service's operation, the person who calls and the workspace.
type Export struct {
	Operation uuid.UUID
	Person    item.PersonID
	Workspace uuid.UUID
}

// Exports keeps bulk exports, and what they gave until it is dropped, so that any process continues them. Losing them costs
// single reads.
type Exports interface {
	// Claim returns true to the first caller for the export, who begins it at the platform; to another one if that caller died before
	// the platform answered. Release lets another be first.
	Claim(ctx context.Context, e Export) (first bool, err error)
	Release(ctx context.Context, e Export) error
	// Begun records the platform's operation and when it may first be asked for.
	Begun(ctx context.Context, e Export, operation string, next time.Duration) error
	// Turn returns the state of an export. Polling is returned to one caller at a time, who alone asks the platform.
	Turn(ctx context.Context, e Export) (Turn, error)
	// Postpone sets when the platform may next be asked for the export.
	Postpone(ctx context.Context, e Export, next time.Duration) error
	// Fill stores the result of an export, replacing an earlier one, and makes it ready. The paths begin with the
	// roots of the items in index.
	Fill(ctx context.Context, e Export,
		read func(index func(id uuid.UUID, root string) error, part func(path string, data []byte) error) error) error
	// Fail ends the export, so that its items are read one by one.
	Fail(ctx context.Context, e Export) error
	// Take gives the parts of an item to take, whose error ends it; none for an item that the export does not have. They can
	// be taken again until Drop deletes them.
	Take(ctx context.Context, e Export, id uuid.UUID, take func(path string, data []byte) error) error
	Drop(ctx context.Context, e Export, id uuid.UUID) error
}

// Turn is the state of an export.
type Turn struct {
	State     State
	Operation string        // of the platform, when Polling
	Begun     time.Time     // when Polling
	After     time.Duration // when Waiting, until the next look
}

// State says how a caller continues with an export.
type State int

// The states of an export.
const (
	Single  State = iota // there is none, or it failed: read the item by itself
	Waiting              // look again later
	Polling              // ask the platform; other callers wait
	Ready                // take the item
)

const (
	// fewest is how many items are worth a bulk export, which takes at least one poll; most bounds one, as a bulk call does.
	fewest = 4
	most   = 100
	// longestExport is how long an export may last before its items are read one by one.
	longestExport = 10 * time.Minute
)

// Announce says which semantic models the work of as is about to read, so that they are exported together. The first of
// its callers begins that; a failure to do so leaves single reads, and an *item.Pending says that it cannot begin yet. It
// is a hint: Definition reads any item without it.
func (p *Platform) Announce(ctx context.Context, as item.Caller, workspaceID uuid.UUID, models []uuid.UUID) error {
	if p.exports == nil || as.Work == uuid.Nil || len(models) < fewest || len(models) > most {
		return nil
	}
	e := Export{as.Work, as.PersonID, workspaceID}
	first, err := p.exports.Claim(ctx, e)
	if err != nil || !first {
		return err
	}
	err = p.beginExport(ctx, as, e, models)
	if _, pending := errors.AsType[*item.Pending](err); pending || ofToken(err) {
		return errors.Join(err, p.exports.Release(ctx, e))
	}
	if err != nil {
		p.log.Warn("a bulk export was not begun; its items are read one by one", "operationId", e.Operation, "error", err)
		return p.failExport(ctx, e)
	}
	return nil
}

// exportRequest is the request that begins an export. Its items can be others than its subject.
func (p *Platform) exportRequest(as item.Caller, workspaceID uuid.UUID) request {
	return request{as: as, permission: item.PermissionPlatform, host: p.fabric, method: http.MethodPost, bucket: quota.Platform,
		path: "/workspaces/" + workspaceID.String() + "/items/bulkExportDefinitions", query: "beta=true",
		route: "POST /workspaces/{w}/items/bulkExportDefinitions", about: subject{workspace: workspaceID, definition: true}}
}

func (p *Platform) beginExport(ctx context.Context, as item.Caller, e Export, models []uuid.UUID) error {
	type chosen struct {
		ID uuid.UUID `json:"id"`
	}
	asked := struct {
		Mode  string   `json:"mode"`
		Items []chosen `json:"items"`
	}{Mode: "Selective"}
	for _, id := range models {
		asked.Items = append(asked.Items, chosen{id})
	}
	r := p.exportRequest(as, e.Workspace)
	var err error
	if r.body, err = json.Marshal(asked); err != nil {
		return err
	}
	a, err := p.call(ctx, r)
	if err != nil {
		return err
	}
	defer a.Close()
	if a.status != http.StatusAccepted {
		return p.fill(ctx, e, a.body)
	}
	o, ok := p.operationOf(a.header)
	if !ok {
		return errors.New("the answer names no operation")
	}
	return p.exports.Begun(ctx, e, o.id, min(firstPoll, o.after))
}

// failExport ends an export even when the caller's time is over.
func (p *Platform) failExport(ctx context.Context, e Export) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	return p.exports.Fail(ctx, e)
}

// exported returns an item's definition from the export that it was announced for; false if it has to be read by itself.
func (p *Platform) exported(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, bool, error) {
	if p.exports == nil || as.Work == uuid.Nil || it.Type != item.SemanticModel {
		return definition.Definition{}, false, nil
	}
	e := Export{as.Work, as.PersonID, it.WorkspaceID}
	turn, err := p.exports.Turn(ctx, e)
	if err == nil && turn.State == Polling {
		turn, err = p.pollExport(ctx, as, e, turn)
	}
	switch {
	case err != nil:
		return definition.Definition{}, false, err
	case turn.State == Waiting:
		return definition.Definition{}, false, &item.Pending{After: turn.After}
	case turn.State != Ready:
		return definition.Definition{}, false, nil
	}
	b := builder{bounds: p.bounds, item: it}
	err = p.exports.Take(ctx, e, it.ID, func(path string, data []byte) error { return b.add(path, "", data) })
	switch {
	case errors.Is(err, errTooLarge):
		return definition.Definition{}, false, p.tooLarge(it)
	case err != nil || len(b.parts) == 0:
		return definition.Definition{}, false, err
	}
	d, err := p.built(as.Person, &b, it)
	return d, true, err
}

// pollExport asks the platform for an export and, if it is done, stores what it gave. While the platform cannot be asked, every caller
// waits. If an export fails, its items are read singly.
func (p *Platform) pollExport(ctx context.Context, as item.Caller, e Export, turn Turn) (Turn, error) {
	r, o := p.exportRequest(as, e.Workspace), operation{id: turn.Operation}
	done, after, err := p.poll(ctx, r, o)
	if err == nil && done {
		err = p.takeExport(ctx, r, e, o)
	}
	pending, wait := errors.AsType[*item.Pending](err)
	_, over := errors.AsType[*ended](err)
	switch {
	case err == nil && done:
		return Turn{State: Ready}, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return turn, ctx.Err() // the process stops; another continues
	case ofToken(err):
		return turn, errors.Join(err, p.exports.Postpone(ctx, e, 0)) // another token can continue
	case err == nil:
	case ctx.Err() != nil: // the step's time is over while it polls or stores; the next one continues
		p.log.Warn("a bulk export was not read within the time of a step", "operationId", e.Operation, "error", err)
		after = defaultPoll
	case wait:
		after = pending.After
	case !over && domain.IsRefused(err, domain.PlatformUnavailable):
		after = defaultPoll
	default:
		return p.single(ctx, e, err)
	}
	if p.now().Sub(turn.Begun) > longestExport {
		return p.single(ctx, e, errors.Join(errors.New("it did not end within "+longestExport.String()), err))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	return Turn{State: Waiting, After: after}, p.exports.Postpone(ctx, e, after)
}

// ofToken reports whether err refuses the caller's token, so that the same call may be answered with another.
func ofToken(err error) bool {
	return domain.IsRefused(err, domain.Unauthorized) || domain.IsRefused(err, domain.TokenExpired) ||
		domain.IsRefused(err, domain.PlatformConsentRequired)
}

func (p *Platform) single(ctx context.Context, e Export, why error) (Turn, error) {
	p.log.Warn("a bulk export failed; its items are read one by one", "operationId", e.Operation, "error", why)
	return Turn{State: Single}, p.failExport(ctx, e)
}

// takeExport stores what an export gave.
func (p *Platform) takeExport(ctx context.Context, r request, e Export, o operation) error {
	a, _, err := p.result(ctx, r, o)
	if err != nil {
		return err
	}
	defer a.Close()
	return p.fill(ctx, e, a.body)
}

// fill stores the answer of an export part by part.
func (p *Platform) fill(ctx context.Context, e Export, body io.Reader) error {
	return p.exports.Fill(ctx, e, func(index func(uuid.UUID, string) error, part func(string, []byte) error) error {
		return readExport(body, p.bounds, index, func(path, payloadType string, data []byte) error {
			if payloadType != "" && !strings.EqualFold(payloadType, "InlineBase64") {
				return errors.New("the payload of a part is not InlineBase64")
			}
			return part(path, data)
		})
	})
}

// maxExportBytes bounds the answer of an export, in bytes, in addition to the bounds of each definition in it.
const maxExportBytes = 4 << 30

// readExport reads the answer of an export, whose two lists may come in any order. Entries of the index that name no item
// or no folder are left out: such an item was not exported.
func readExport(body io.Reader, b bounds, index func(id uuid.UUID, root string) error,
	take func(path, payloadType string, data []byte) error) error {
	part := &meter{&meter{unmarked(body), maxExportBytes}, slack}
	d := json.NewDecoder(part)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, errors.New("it is no object"))
	}
	elements := 0
	counted := func() error {
		if elements++; elements > most*b.parts {
			return errTooLarge
		}
		return nil
	}
	for d.More() {
		part.left = slack
		key, err := d.Token()
		if err != nil {
			return err
		}
		switch key {
		case "itemDefinitionsIndex":
			err = readList(d, func() { part.left = slack }, func(text json.RawMessage) error {
				one := lenient[struct {
					ID       anID
					RootPath string
				}](text)
				if one.ID == (anID{}) || strings.Trim(one.RootPath, "/") == "" {
					return counted()
				}
				return errors.Join(counted(), index(uuid.UUID(one.ID), strings.TrimRight(one.RootPath, "/")))
			})
		case "definitionParts":
			err = readList(d, func() { part.left = encoded(b.partBytes) }, func(one wirePart) error {
				return errors.Join(counted(), one.give(take))
			})
		default:
			var skipped json.RawMessage
			err = d.Decode(&skipped)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// readList reads a list element by element. Before each it calls next, which allows the element its size.
func readList[T any](d *json.Decoder, next func(), take func(T) error) error {
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(err, errors.New("it has no list of parts"))
	}
	for {
		next()
		if !d.More() {
			_, err := d.Token()
			return err
		}
		var one T
		if err := d.Decode(&one); err != nil {
			return err
		}
		if err := take(one); err != nil {
			return err
		}
	}
}
