package emulator

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain/item"
)

// madeItem is an item that a person created at the emulator, which keeps it in memory.
type madeItem struct {
	item.Item
	parts definition.Definition
	from  time.Time // when the operation that makes it ends
}

// maxMade bounds the items that are kept.
const maxMade = 100

// create makes an item of the type from a definition, by an operation whose result is the item.
func (c *call) create(t item.Type) {
	w, err := c.o.Folder.Workspace(c.r.Context(), c.as(), c.id("w"))
	if err != nil {
		c.refuse(err)
		return
	}
	if c.o.Role(c.person.ID, w.ID) < Contributor {
		c.unprivileged()
		return
	}
	text, err := io.ReadAll(io.LimitReader(c.r.Body, maxUpdate))
	var named struct{ DisplayName string }
	if err == nil {
		err = json.Unmarshal(text, &named)
	}
	d, problem := readUpdate(strings.NewReader(string(text)))
	it := item.Item{ID: uuid.New(), Type: t, WorkspaceID: w.ID, DisplayName: named.DisplayName}
	if problem == "" {
		problem = c.unfit(it, d)
	}
	if err != nil || named.DisplayName == "" || problem != "" {
		fail(c.w, http.StatusBadRequest, "InvalidInput", "The request has an invalid input", detail{"InvalidInput", problem})
		return
	}
	c.mu.Lock()
	full := len(c.made) >= maxMade
	if !full {
		layout := c.o.Layout
		layout.Forgetful = false // of updates
		c.made[it.ID] = &madeItem{it, layout.Kept(definition.Definition{}, d), c.o.Now().Add(c.o.Lasts)}
	}
	c.mu.Unlock()
	if full {
		fail(c.w, http.StatusBadRequest, "InvalidInput", "The emulator keeps no further items")
		return
	}
	c.accept(c.describeItem(it))
}

// madeHere returns the items of a type, or of all types, that were created in a workspace.
func (s *Service) madeHere(workspaceID uuid.UUID, t item.Type) (all []item.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, it := range s.made {
		if it.WorkspaceID == workspaceID && !s.o.Now().Before(it.from) && (t == "" || t == it.Type) {
			all = append(all, it.Item)
		}
	}
	return all
}

// remove deletes an item that was created here.
func (c *call) remove() {
	c.mu.Lock()
	it := c.made[c.id("i")]
	found := it != nil && it.WorkspaceID == c.id("w")
	if found {
		delete(c.made, it.ID)
	}
	c.mu.Unlock()
	if !found {
		fail(c.w, http.StatusNotFound, "ItemNotFound", "The requested item could not be found")
		return
	}
	common(c.w)
}

// Made returns the names of the items that were created and not deleted.
func (s *Service) Made() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, it := range s.made {
		names = append(names, it.DisplayName)
	}
	return names
}

// definitionOf returns an item's definition as it was last written.
func (s *Service) definitionOf(ctx context.Context, o Options, as item.Caller, it item.Item) (definition.Definition, error) {
	s.mu.Lock()
	made := s.made[it.ID]
	s.mu.Unlock()
	if made != nil {
		return made.parts, nil
	}
	return o.Folder.Definition(ctx, as, it)
}

// remake replaces the definition of an item that was created here; false if the item is one of the folder.
func (s *Service) remake(o Options, u *update) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	made := s.made[u.item.ID]
	if made != nil {
		made.parts = o.Layout.Kept(made.parts, u.parts)
	}
	return made != nil
}
