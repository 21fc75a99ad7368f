package http

import (
	"context"
	"maps"
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
	at time.Time
	// names are those of the workspaces, by id; of models "".
	names map[uuid.UUID]string
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
func (v *visibility) of(key listing, list func() (map[uuid.UUID]string, error)) (map[uuid.UUID]string, error) {
	now := v.now()
	if found, ok := v.listings.Get(key); ok && now.Sub(found.at).Abs() < lookUpLife {
		return found.names, nil
	}
	names, err := list()
	if refusal, refused := domain.Refused(err); err != nil && (!refused || !notVisible(refusal.Code) || key.workspaceID == uuid.Nil) {
		return nil, err
	}
	v.listings.Add(key, sighting{now, names})
	return names, nil
}

// workspaces returns the names of the workspaces that the caller sees, by id. The caller does not change them.
func (v *visibility) workspaces(ctx context.Context, who commands.Caller) (map[uuid.UUID]string, error) {
	return v.of(listing{account: who.Account, person: who.PersonID}, func() (map[uuid.UUID]string, error) {
		all, err := v.commands.Workspaces.List(ctx, who)
		names := make(map[uuid.UUID]string, len(all))
		for _, w := range all {
			names[w.ID] = w.DisplayName
		}
		return names, err
	})
}

// inWorkspaces returns the workspaces that the caller sees, in the order of their ids.
func (v *visibility) inWorkspaces(ctx context.Context, who commands.Caller) ([]uuid.UUID, error) {
	found, err := v.workspaces(ctx, who)
	ids := slices.Collect(maps.Keys(found))
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return ids, err
}

// models returns which semantic models the caller sees in each of the workspaces.
func (v *visibility) models(ctx context.Context, who commands.Caller,
	workspaces []uuid.UUID) (map[uuid.UUID]map[uuid.UUID]string, error) {
	all := make(map[uuid.UUID]map[uuid.UUID]string, len(workspaces))
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxLookups)
	for _, id := range workspaces {
		group.Go(func() error {
			found, err := v.of(listing{who.Account, who.PersonID, id}, func() (map[uuid.UUID]string, error) {
				items, err := v.commands.Workspaces.Visible(ctx, who, id, item.SemanticModel)
				names := make(map[uuid.UUID]string, len(items))
				for _, it := range items {
					names[it.ID] = ""
				}
				return names, err
			})
			mu.Lock()
			defer mu.Unlock()
			all[id] = found
			return err
		})
	}
	return all, group.Wait()
}
