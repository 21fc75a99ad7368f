package http

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/errgroup"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/item"
)

const (
	// maxListings bounds the cache of listings; the least recently used one is evicted first.
	maxListings = 4 * 1024
	// maxLookups is how many workspaces of one call are listed at once.
	maxLookups = 8
)

// listing names what the platform was asked to list for a person of an account: the workspaces, or the semantic models
// of one.
type listing struct {
	account     string
	person      item.PersonID
	workspaceID uuid.UUID // the zero id for the workspaces
}

// sighting is what the platform listed, and when.
type sighting struct {
	at  time.Time
	ids map[uuid.UUID]struct{}
}

// visibility caches what people see on the platform for lookUpLife (docs/decisions.md 17).
type visibility struct {
	commands *commands.Commands
	now      func() time.Time
	listings *lru.Cache[listing, sighting]
}

func newVisibility(all *commands.Commands, now func() time.Time) (*visibility, error) {
	cache, err := lru.New[listing, sighting](maxListings)
	return &visibility{all, now, cache}, err
}

// of returns what a person sees, from the cache or from the platform. A person who may not see the workspace sees
// nothing in it, which is cached too.
func (v *visibility) of(key listing, list func() ([]uuid.UUID, error)) (map[uuid.UUID]struct{}, error) {
	now := v.now()
	if found, ok := v.listings.Get(key); ok && now.Sub(found.at).Abs() < lookUpLife {
		return found.ids, nil
	}
	ids, err := list()
	if refusal, refused := domain.Refused(err); err != nil && (!refused || !notVisible(refusal.Code) || key.workspaceID == uuid.Nil) {
		return nil, err
	}
	found := sighting{now, make(map[uuid.UUID]struct{}, len(ids))}
	for _, id := range ids {
		found.ids[id] = struct{}{}
	}
	v.listings.Add(key, found)
	return found.ids, nil
}

// inWorkspaces returns the workspaces that the caller sees, in the order of their ids.
func (v *visibility) inWorkspaces(ctx context.Context, who commands.Caller) ([]uuid.UUID, error) {
	found, err := v.of(listing{account: who.Account, person: who.PersonID}, func() (ids []uuid.UUID, err error) {
		all, err := v.commands.Workspaces.List(ctx, who)
		for _, w := range all {
			ids = append(ids, w.ID)
		}
		return ids, err
	})
	ids := make([]uuid.UUID, 0, len(found))
	for id := range found {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return ids, err
}

// models returns which semantic models the caller sees in each of the workspaces.
func (v *visibility) models(ctx context.Context, who commands.Caller,
	workspaces []uuid.UUID) (map[uuid.UUID]map[uuid.UUID]struct{}, error) {
	all := make(map[uuid.UUID]map[uuid.UUID]struct{}, len(workspaces))
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxLookups)
	for _, id := range workspaces {
		group.Go(func() error {
			found, err := v.of(listing{who.Account, who.PersonID, id}, func() (ids []uuid.UUID, err error) {
				items, err := v.commands.Workspaces.Visible(ctx, who, id, item.SemanticModel)
				for _, it := range items {
					ids = append(ids, it.ID)
				}
				return ids, err
			})
			mu.Lock()
			defer mu.Unlock()
			all[id] = found
			return err
		})
	}
	return all, group.Wait()
}
