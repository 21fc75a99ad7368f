package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"readiness/client"
	"readiness/internal/optional"
)

// called is something that has an id in the log, and what people call it.
type called struct{ ID, Name, Where string }

// Label returns the name with the workspace.
func (c called) Label() string {
	if c.Where == "" {
		return c.Name
	}
	return c.Name + " · " + c.Where
}

// group is what the list can be restricted to, of one kind.
type group struct {
	Kind  string
	Items []called
}

// names are what people call the items and the members of the account, by their ids.
type names struct {
	items, people map[string]called
	// operations are the items of operations, by the ids of both; "" for an operation on several.
	operations map[string]string
	// Choices are the items, Members the members that can be chosen, both by name.
	Choices []group
	Members []called
}

const (
	// perRead is how many items or members are read at once, and maxItems how many items at most.
	perRead  = 500
	maxItems = 5000
	// maxChoices is how many items of a kind can be chosen; itemId in the address takes any.
	maxChoices = 300
)

// itemKinds are the kinds of items in the order of the choice.
var itemKinds = []struct {
	kind client.TrackedItemItemType
	name string
}{{client.TrackedItemItemTypeSemanticModel, "Semantic models"}, {client.TrackedItemItemTypeDataAgent, "Data agents"},
	{client.TrackedItemItemTypeReport, "Reports"}}

// readNames reads the names of the account: of what it tracks, of the models that the reader sees, and of its members; and what the newest
// operations are about.
func readNames(ctx context.Context, api *client.Service) (*names, error) {
	n := &names{items: map[string]called{}, people: map[string]called{}, operations: map[string]string{}}
	kinds := map[client.TrackedItemItemType][]called{}
	// A failed call does not cancel the others: the service would log a canceled call as an internal error.
	var together errgroup.Group
	var models []called
	together.Go(func() error {
		p := &client.ListTrackedItemsParams{MaxResults: new(perRead)}
		for range maxItems / perRead {
			got, err := api.ListTrackedItemsWithResponse(ctx, p)
			if err != nil {
				return err
			}
			for _, i := range got.JSON200.Value {
				if i.ID != nil && i.ItemType != nil && i.DisplayName != nil {
					c := called{*i.ID, *i.DisplayName, optional.Text(i.WorkspaceName)}
					n.items[c.ID], kinds[*i.ItemType] = c, append(kinds[*i.ItemType], c)
				}
			}
			if p.ContinuationToken = got.JSON200.ContinuationToken; p.ContinuationToken == nil {
				break
			}
		}
		return nil
	})
	together.Go(func() error {
		got, err := api.ListMembersWithResponse(ctx, &client.ListMembersParams{MaxResults: new(perRead)})
		if err != nil {
			return err
		}
		for _, m := range got.JSON200.Value {
			c := called{ID: m.PersonID, Name: cmp.Or(optional.Text(m.Person), "a person who was erased")}
			n.people[c.ID] = c
			if m.Person != nil {
				n.Members = append(n.Members, c)
			}
		}
		return nil
	})
	together.Go(func() error {
		got, err := api.ListOperationsWithResponse(ctx, &client.ListOperationsParams{MaxResults: new(perRead)})
		if err != nil {
			return err
		}
		for _, o := range got.JSON200.Value {
			if o.Resource != nil {
				n.operations[o.ID.String()] = optional.Text(o.Resource.ItemID)
			}
		}
		return nil
	})
	together.Go(func() error {
		p := &client.GetPortfolioParams{MaxResults: new(perRead)}
		for range maxItems / perRead {
			got, err := api.GetPortfolioWithResponse(ctx, p)
			if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status != http.StatusUnauthorized {
				return nil // the platform does not answer: these models have no names here
			}
			if err != nil {
				return err
			}
			for _, m := range got.JSON200.Value {
				models = append(models, called{m.SemanticModelID.String(), m.SemanticModelName, m.WorkspaceName})
			}
			if p.ContinuationToken = got.JSON200.ContinuationToken; p.ContinuationToken == nil {
				for _, f := range got.JSON200.Failures {
					models = append(models, called{f.SemanticModelID.String(), f.SemanticModelName, f.WorkspaceName})
				}
				break
			}
		}
		return nil
	})
	if err := together.Wait(); err != nil {
		return nil, err
	}
	for _, c := range models {
		if _, known := n.items[c.ID]; !known {
			n.items[c.ID] = c
			kinds[client.TrackedItemItemTypeSemanticModel] = append(kinds[client.TrackedItemItemTypeSemanticModel], c)
		}
	}
	for _, k := range itemKinds {
		if all := kinds[k.kind]; len(all) > 0 {
			n.Choices = append(n.Choices, group{k.name, sorted(all)[:min(len(all), maxChoices)]})
		}
	}
	sorted(n.Members)
	return n, nil
}

// sorted sorts by name.
func sorted(all []called) []called {
	slices.SortFunc(all, func(a, b called) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Where, b.Where), strings.Compare(a.ID, b.ID))
	})
	return all
}

// in returns what the texts of a JSON value name by an id, each once, in the order in which they stand there.
func (n *names) in(data json.RawMessage) (all []called) {
	d := json.NewDecoder(strings.NewReader(string(data)))
	for {
		token, err := d.Token()
		if err != nil { // its end
			return all
		}
		id, _ := token.(string)
		c, known := n.items[id]
		if !known {
			c, known = n.people[id]
		}
		if known && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
}

// learn takes from events what operations are about, each if that is one item.
func (n *names) learn(all []client.AuditEvent) {
	learnt := map[string]string{}
	for _, e := range all {
		if c := n.about(e); c != nil && e.OperationID != nil && strings.HasPrefix(e.Stream, "operation-") {
			if before, known := learnt[*e.OperationID]; known && before != c.ID {
				c = &called{}
			}
			learnt[*e.OperationID] = c.ID
		}
	}
	for id, item := range learnt {
		if _, known := n.operations[id]; !known {
			n.operations[id] = item
		}
	}
}

// about returns the item of an event: that of its stream, the only one that its data name, or that of its operation; nil for none.
func (n *names) about(e client.AuditEvent) *called {
	var ids []string
	if at := len(e.Stream) - len(uuid.Nil.String()); at > 0 {
		ids = append(ids, e.Stream[at:])
	}
	if of := slices.DeleteFunc(n.in(e.Data), func(c called) bool { return n.items[c.ID] != c }); len(of) == 1 {
		ids = append(ids, of[0].ID)
	}
	for _, id := range append(ids, n.operations[optional.Text(e.OperationID)]) {
		if c, known := n.items[id]; known {
			return &c
		}
	}
	return nil
}

// streams are what people call what the other streams are about.
var streams = map[string]string{"account": "the account", "person": "a person", "allowance": "an allowance", "aiproviders": "AI providers",
	"webhooks": "webhooks", "operation": "an operation", "trackeditems": "tracked items", "benchmarkrun": "a benchmark run", "abtest": "an A/B test",
	"pixies": "a report", "pixieviews": "a report", "assessment": "a model or agent", "trackeditem": "an item"}

// streamName returns what people call what a stream is about.
func streamName(stream string) string {
	kind, _, _ := strings.Cut(stream, "-")
	return cmp.Or(streams[kind], "a model")
}
