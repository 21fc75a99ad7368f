package fabric

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
	"readiness/internal/lists"
	"readiness/platform/quota"
)

// WriteDefinition replaces the item's definition with d if the one there still has the hash ifHash; otherwise it refuses with
// ItemChanged and writes nothing. It returns *item.Sent once the platform has taken the write: only reading again shows
// what it kept.
//
// The platform has no condition on an update and no time of the last change. So the definition is read again and compared right before
// it is sent, without a wait in between. A change that another person makes within
// that moment is overwritten without notice.
func (p *Platform) WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error {
	if err := p.mayWrite(ctx, as, it, d); err != nil {
		return err
	}
	r := request{as: as, permission: item.PermissionPlatform, host: p.fabric, method: http.MethodPost, bucket: quota.Platform,
		path:  p.itemPath(it) + "/updateDefinition",
		route: "POST /workspaces/{w}/" + collections[it.Type] + "/{i}/updateDefinition",
		about: subject{workspace: it.WorkspaceID, item: it, writes: true}, urgency: quota.Write, once: true}
	parts, err := encodedParts(d)
	if err != nil {
		return err
	}
	unseen := p.findHidden(ctx, as, it, d)
	ready, err := p.prepare(ctx, r)
	if err != nil {
		return err
	}
	now, err := p.readAgain(ctx, as, it, ifHash)
	if err != nil {
		return p.workspaceFirst(ctx, as, it.WorkspaceID, err)
	}
	if err := p.readAnew(ctx, as, it, ifHash); err != nil {
		return err
	}
	if now.Hash() != ifHash {
		return domain.Refuse(domain.ItemChanged, "%s was changed since it was read; read it again", nameOf(it)).
			About(it.Type.IDName(), it.ID)
	}
	if err := p.keepsHidden(as, unseen, now, d); err != nil {
		return err
	}
	ready.body = updateOf(parts, now.Format)
	a, err := p.send(ctx, ready)
	if err != nil {
		return err
	}
	defer a.Close()
	sent := &item.Sent{}
	if o, named := p.operationOf(a.header); a.status == http.StatusAccepted && named {
		sent.Operation = o.id
	}
	return sent
}

// encodedParts returns every part as JSON: the platform deletes those that an update lacks.
func encodedParts(d definition.Definition) ([]byte, error) {
	parts := lists.Map(d.Parts, func(part definition.Part) wirePart { return wirePart{part.Path, &part.Data, wirePart{}.inline()} })
	text, err := json.Marshal(parts)
	if err != nil {
		return nil, fmt.Errorf("fabric: encode a definition: %w", err)
	}
	return text, nil
}

// updateOf returns the body of an update. Its format is the one in which the platform gave the definition, because
// another one would convert the item.
func updateOf(parts []byte, format string) []byte {
	var b bytes.Buffer
	b.Grow(len(parts) + slack)
	b.WriteString(`{"definition":{`)
	if format != "" {
		name, _ := json.Marshal(format) // a string always encodes
		b.WriteString(`"format":` + string(name) + ",")
	}
	b.WriteString(`"parts":`)
	b.Write(parts)
	b.WriteString("}}")
	return b.Bytes()
}

// readAgain reads the definition once more before a write. In a step of work it waits as long as the step can, and returns
// *item.Pending when that is not enough; the read is then kept apart from others of the step, so that the write continues
// it.
func (p *Platform) readAgain(ctx context.Context, as item.Caller, it item.Item, ifHash string) (definition.Definition, error) {
	r := p.readOf(as, it)
	r.stays = true
	if as.Work != uuid.Nil {
		r.as.Work = workOfWrite(as.Work, ifHash)
	}
	return p.definition(ctx, r, it)
}

// workOfWrite returns what stands for the work in the read right before a write.
func workOfWrite(work uuid.UUID, ifHash string) uuid.UUID { return uuid.NewSHA1(work, []byte(ifHash)) }

// readAnew forgets what a step has read of the item. It comes before the write is sent: whatever then becomes of the write and
// of the process, the next look reads from the start.
func (p *Platform) readAnew(ctx context.Context, as item.Caller, it item.Item, ifHash string) error {
	if as.Work == uuid.Nil {
		return nil
	}
	return errors.Join(p.reads.Drop(ctx, p.readBy(as.Work, as, it)),
		p.reads.Drop(ctx, p.readBy(workOfWrite(as.Work, ifHash), as, it)))
}

// FinishWrite returns how the platform's operation of a write has ended, or *item.Pending while it has not.
func (p *Platform) FinishWrite(ctx context.Context, as item.Caller, it item.Item, operationID string) (item.Ending, error) {
	id, err := uuid.Parse(operationID)
	if err != nil {
		return item.Ending{}, fmt.Errorf("fabric: the operation of a write: %w", err)
	}
	of := request{as: as, permission: item.PermissionPlatform, host: p.fabric, route: "the write",
		about: subject{workspace: it.WorkspaceID, item: it, writes: true}}
	err = p.finish(ctx, of, operation{id: id.String(), after: p.soon(as.Person)})
	switch over, ok := errors.AsType[*ended](err); {
	case ok && over.gone:
		return item.Ending{}, nil
	case ok:
		return item.Ending{Failure: over.error}, nil
	}
	return item.Ending{Made: err == nil}, err
}

// mayWrite refuses a write before anything is called.
func (p *Platform) mayWrite(ctx context.Context, as item.Caller, it item.Item, d definition.Definition) error {
	if err := p.allowed(ctx, as, it); err != nil {
		return err
	}
	b := builder{bounds: p.bounds, item: it}
	if refused := p.answers(as.Person).RefusedBytes; refused > 0 {
		b.bounds.definitionBytes = min(b.bounds.definitionBytes, refused-1)
	}
	for _, part := range d.Parts {
		switch err := b.add(part.Path, "", part.Data); {
		case errors.Is(err, errTooLarge):
			return domain.Refuse(domain.ItemNotReadable, "the definition of %s cannot be written: it is larger than the platform takes, "+
				"%d MiB", nameOf(it), b.bounds.definitionBytes>>20).About(it.Type.IDName(), it.ID)
		case err != nil:
			return err
		}
	}
	if len(b.parts) != len(d.Parts) || len(b.parts) == 0 {
		return domain.Refuse(domain.InvalidRequest, "the definition for %s has no parts, or has %s", nameOf(it), platformPart)
	}
	return nil
}
