package emulator

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/item"
)

// maxUpdate bounds the body of an update, in bytes.
const maxUpdate = 64 << 20

// update is an accepted definition that replaces the item's when its operation ends, even if the item has changed.
type update struct {
	as    item.Caller
	item  item.Item
	parts definition.Definition
	at    time.Time
	// operation fails when the update cannot be made.
	operation *operation
}

// updateDefinition replaces an item's definition: parts that the update lacks are deleted, .platform is ignored.
func (c *call) updateDefinition(t item.Type) {
	it, err := c.find(t)
	if err != nil {
		c.refuse(err)
		return
	}
	if c.o.Role(c.person.ID, it.WorkspaceID) < Contributor {
		c.unprivileged()
		return
	}
	if c.labelled(it) {
		return
	}
	if most := c.o.Unknown.LargestUpdate; most > 0 && c.r.ContentLength > int64(most) {
		fail(c.w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", "The request is too large")
		return
	}
	d, problem := readUpdate(c.r.Body)
	if problem == "" {
		problem = c.unfit(it, d)
	}
	if problem != "" {
		fail(c.w, http.StatusBadRequest, "CorruptedPayload", "The provided payload is corrupted", detail{"CorruptedPayload", problem})
		return
	}
	u := &update{as: c.as(), item: it, parts: d, at: c.o.Now()}
	if c.o.AtOnce {
		c.Service.add(u)
		c.Service.makeUpdates(c.r.Context())
		common(c.w)
		c.w.Header().Set("Content-Type", "application/octet-stream")
		return
	}
	u.at = u.at.Add(c.o.Lasts)
	u.operation = c.accept(nil)
	c.Service.add(u)
}

// readUpdate returns the definition of an update, or the problem with it.
func readUpdate(body io.Reader) (d definition.Definition, problem string) {
	var sent struct {
		Definition *struct {
			Format string
			Parts  []wirePart
		}
	}
	text, err := io.ReadAll(io.LimitReader(body, maxUpdate+1))
	if err == nil && len(text) > maxUpdate {
		err = errors.New("the payload is too large")
	}
	if err == nil {
		err = json.Unmarshal(text, &sent)
	}
	if err != nil || sent.Definition == nil || len(sent.Definition.Parts) == 0 {
		return d, "The definition has no parts"
	}
	seen := map[string]bool{}
	var parts []definition.Part
	for _, p := range sent.Definition.Parts {
		data, err := base64.StdEncoding.DecodeString(p.Payload)
		switch {
		case err != nil || p.PayloadType != "InlineBase64":
			return d, "The payload of " + p.Path + " is not InlineBase64"
		case p.Path == "" || seen[p.Path]:
			return d, "The path " + p.Path + " is given twice"
		case p.Path != ".platform":
			parts = append(parts, definition.Part{Path: p.Path, Data: data})
		}
		seen[p.Path] = true
	}
	d = definition.New(parts...)
	d.Format = sent.Definition.Format
	return d, ""
}

// unfit returns why a definition cannot be the item's; "" when it can.
func (c *call) unfit(it item.Item, d definition.Definition) string {
	if is := formatOf(it.Type, d); d.Format != "" && d.Format != is {
		return "The definition is " + is + " and not " + d.Format
	}
	switch it.Type {
	case item.SemanticModel:
		if _, there := d.Part("definition.pbism"); !there && !c.o.Layout.Exact {
			return "The required part definition.pbism is missing"
		}
		if _, err := semanticmodel.Read(d); err != nil {
			return err.Error()
		}
	case item.Report:
		pbir, there := d.Part("definition.pbir")
		if !there {
			return "The required part definition.pbir is missing"
		}
		if !c.o.Layout.Exact && !strings.Contains(string(pbir), "byConnection") {
			return "definition.pbir must refer to its semantic model by connection"
		}
	case item.DataAgent:
	}
	return ""
}

func (s *Service) add(u *update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.operation != nil && u.operation.failed != nil {
		return // by a scripted fault
	}
	s.updates = append(s.updates, u)
}

// makeUpdates makes the updates whose operations have ended.
func (s *Service) makeUpdates(ctx context.Context) {
	s.writing.Lock()
	defer s.writing.Unlock()
	o := s.options()
	s.mu.Lock()
	var due []*update
	s.updates = slices.DeleteFunc(s.updates, func(u *update) bool {
		if u.at.After(o.Now()) {
			return false
		}
		due = append(due, u)
		return true
	})
	s.mu.Unlock()
	for _, u := range due {
		err := s.makeUpdate(context.WithoutCancel(ctx), o, u)
		if err != nil && u.operation != nil {
			s.mu.Lock()
			u.operation.failed = map[string]any{"errorCode": "InternalServerError", "message": err.Error()}
			s.mu.Unlock()
		}
	}
}

// makeUpdate writes an update to the folder, over any other change.
func (s *Service) makeUpdate(ctx context.Context, o Options, u *update) error {
	if s.remake(o, u) {
		return nil
	}
	var err error
	for range 10 { // another program may change the folder meanwhile
		var now definition.Definition
		if now, err = o.Folder.Definition(ctx, u.as, u.item); err != nil {
			return err
		}
		err = o.Folder.WriteDefinition(ctx, u.as, u.item, o.Layout.Kept(now, u.parts), now.Hash())
		if !domain.IsRefused(err, domain.ItemChanged) {
			return err
		}
	}
	return err
}
