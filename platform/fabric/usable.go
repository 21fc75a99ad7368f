package fabric

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/expirable"

	"readiness/domain"
	"readiness/domain/item"
)

// Usable refuses items that the service cannot work on, before anything is accepted: those whose sensitivity label withholds their
// definition from the caller and, for a write, all items of a caller who may not write, and copies of reports in apps. One
// item of each label is asked about.
func (p *Platform) Usable(ctx context.Context, as item.Caller, writes bool, items ...item.Item) error {
	if len(items) == 0 {
		return nil
	}
	if writes {
		if err := p.allowed(ctx, as, items[0]); err != nil {
			return err
		}
		if err := p.notInApps(ctx, as, items); err != nil {
			return err
		}
	}
	for _, it := range items {
		if err := p.readable(ctx, as, it); err != nil {
			return err
		}
	}
	return nil
}

// allowed refuses a caller who may not write.
func (p *Platform) allowed(ctx context.Context, as item.Caller, it item.Item) error {
	if p.writing == nil {
		return domain.Refuse(domain.OperationNotSupportedForItem, "the service only reads from Fabric; download the changed files and "+
			"publish them, or apply to a folder of the workspace's Git repository").About(it.Type.IDName(), it.ID)
	}
	return p.writing(ctx, as)
}

// notInApps refuses copies of reports, which an app shows to people. They follow the report in the workspace.
func (p *Platform) notInApps(ctx context.Context, as item.Caller, items []item.Item) error {
	if items[0].Type != item.Report {
		return nil
	}
	var all []wireReport
	workspace := items[0].WorkspaceID
	if len(items) == 1 {
		one, err := one[wireReport](ctx, p, p.powerBIRead(as, workspace, "/"+items[0].ID.String(), "/{i}", items[0]))
		if err != nil {
			return err
		}
		all = append(all, one)
	} else {
		listed, err := list[wireReport](ctx, p, p.powerBIRead(as, workspace, "", "", item.Item{}))
		if err != nil {
			return err
		}
		all = listed
	}
	inApp := map[uuid.UUID]bool{}
	for _, w := range all {
		inApp[w.id()] = w.AppID != ""
	}
	for _, it := range items {
		if inApp[it.ID] {
			return domain.Refuse(domain.OperationNotSupportedForItem, "%s is the copy of a report in an app; name the report in its "+
				"workspace, and update the app", nameOf(it)).About(it.Type.IDName(), it.ID)
		}
	}
	return nil
}

// labels remembers whose items with a label can be read, because most items of an organization can have the same one.
type labels struct {
	readable *expirable.LRU[labelOf, struct{}]
}

type labelOf struct {
	person item.Person
	label  string
}

// made returns an empty memory.
func (labels) made() labels {
	const most, keeps = 10_000, time.Hour
	return labels{expirable.NewLRU[labelOf, struct{}](most, nil, keeps)}
}

// readable asks the platform whether it gives the caller the definition of an item with a sensitivity label. A label that
// encrypts keeps it from people who may not remove the encryption.
func (p *Platform) readable(ctx context.Context, as item.Caller, it item.Item) error {
	of := labelOf{as.Person, it.Label}
	if it.Label == "" || p.labels.readable.Contains(of) {
		return nil
	}
	a, err := p.call(ctx, p.readOf(as, it))
	if r, refused := domain.Refused(err); refused && r.Code == domain.ItemNotReadable {
		return domain.Refuse(domain.OperationNotSupportedForItem, "%s", r.Message).About(it.Type.IDName(), it.ID)
	}
	if err != nil {
		return err
	}
	a.Close()
	p.labels.readable.Add(of, struct{}{})
	return nil
}
