package offline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/platform/folder"
)

// Reversal is what putting one model of a record back comes to.
type Reversal struct {
	Path string
	// Error is why nothing of the model is put back.
	Error error
	// AsBefore tells that there is nothing to put back.
	AsBefore bool
	// Objects is how many are put back, Skipped those that are left as they are.
	Objects int
	Skipped []optimization.Skip

	tree      *folder.Tree
	item      folder.TreeItem
	now, back definition.Definition
	pending   *folder.Unfinished
}

// Reverse works out how the models of a record, below the root, come back. Nothing
// is written. A model whose objects are not as the apply wrote them is refused as
// a whole, but for what the service leaves out too (spec 4.5, revert rules 2, 4).
func Reverse(ctx context.Context, root string, r Record) ([]Reversal, error) {
	tree, err := folder.OpenTree(root)
	if err != nil {
		return nil, err
	}
	all := make([]Reversal, len(r.Models))
	err = each(ctx, len(all), 0, nil, func(n int) {
		all[n] = Reversal{Path: r.Models[n].Path, tree: tree}
		if err := all[n].reverse(ctx, r.Models[n]); err != nil {
			all[n].Error = told(err)
		}
	})
	return all, err
}

func (v *Reversal) reverse(ctx context.Context, m RecordedModel) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a fault of this program kept it from being put back: %v", fault)
		}
	}()
	if v.item, err = v.tree.Item(ctx, m.Path); err != nil {
		return err
	}
	if formOf(v.item) != m.Form {
		return errors.New("it lies there in another form than the record's; put its files where they were, and call again")
	}
	if v.now, v.pending, err = v.tree.Definition(ctx, v.item); err != nil {
		return err
	}
	v.back = v.now
	hash := v.now.Hash()
	if hash == m.DefinitionHash {
		v.AsBefore = true
		return nil
	}
	if hash != m.WrittenHash && untouched(v.now, m) {
		v.AsBefore = true
		return nil
	}
	for _, a := range slices.Backward(m.Applies) {
		if err := v.putBack(a); err != nil {
			return err
		}
	}
	if hash == m.WrittenHash && v.back.Hash() != m.DefinitionHash {
		return errors.New("what the record holds does not give the bytes of before; the record was changed")
	}
	return nil
}

// putBack takes one kind of an apply back from what the model is to be.
func (v *Reversal) putBack(a Apply) error {
	id, model := uuid.New(), uuid.Nil
	apply := optimization.Work{Operation: operation.Operation{
		ID: id, Type: operation.ApplyOptimization, Status: operation.Succeeded, Resource: operation.Resource{ItemID: &model},
	}, Kind: a.Kind, Proposed: true, Writes: a.Writes}
	for n := range a.Writes {
		apply.Progress = append(apply.Progress, optimization.Progress{Started: true, Intended: &a.Intended[n], Landed: true})
	}
	if len(apply.Applied()) == 0 {
		return nil
	}
	writes, err := optimization.RevertOf(apply, model, apply.AppliedAt(), nil)
	if err != nil {
		return err
	}
	revert := optimization.Work{Kind: a.Kind, Reverts: &id, Proposed: true, Writes: writes, Progress: make([]optimization.Progress, len(writes))}
	for n := range writes {
		plan, err := planned(revert, n, v.back)
		if err != nil {
			return err
		}
		v.Skipped = append(v.Skipped, plan.Skipped...)
		undo := apply.Undoing(plan.Objects)
		if len(undo) == 0 {
			continue
		}
		if v.back, err = rewrite.Restore(v.back, undo); err != nil {
			return fmt.Errorf("what the apply wrote cannot be put back: %w", err)
		}
		v.Objects += len(undo)
	}
	return nil
}

// untouched reports whether every object of an apply is as it was before: the apply
// was cut off before it came to the model, which somebody has changed elsewhere
// since.
func untouched(d definition.Definition, m RecordedModel) bool {
	for _, a := range m.Applies {
		work := optimization.Work{Kind: a.Kind, Writes: a.Writes, Progress: make([]optimization.Progress, len(a.Writes))}
		for n := range a.Writes {
			plan, err := planned(work, n, d)
			if err != nil || len(plan.Skipped) > len(a.Intended[n].Skipped) {
				return false
			}
		}
	}
	return true
}

// Headline says what the reversal comes to, in one line, or in one more where a
// write was cut off.
func (v Reversal) Headline() string {
	if v.pending != nil {
		return printable(fmt.Sprintf("%s: %s; it is read as that write leaves it, and --write brings it into order", v.Path, v.pending)) + "\n" + v.headline()
	}
	return v.headline()
}

func (v Reversal) headline() string {
	switch {
	case v.Error != nil:
		return printable(fmt.Sprintf("%s: not put back: %s", v.Path, v.Error))
	case v.AsBefore:
		return printable(v.Path) + ": as it was before the apply"
	}
	text := fmt.Sprintf("%s: %s put back", printable(v.Path), count(v.Objects, "object"))
	if len(v.Skipped) > 0 {
		text += fmt.Sprintf(", %d left as they are: %s", len(v.Skipped), printable(v.Skipped[0].Message))
	}
	return text
}

// WriteReversal writes what a reversal changes as a unified diff.
func (s Screen) WriteReversal(w io.Writer, v Reversal) error {
	if v.Error == nil {
		return s.diff(w, v.item.Folder(), v.now, v.back)
	}
	return nil
}

// PutBack writes the reversals that have something to put back, each model whole or
// not at all. A model that was changed since it was read is left as it is.
func PutBack(ctx context.Context, all []Reversal) ([]Applied, error) {
	var applied []Applied
	for _, v := range all {
		if ctx.Err() != nil {
			return applied, ctx.Err()
		}
		if v.Error != nil || v.AsBefore || v.Objects == 0 {
			if v.Error == nil && v.pending != nil {
				if err := v.tree.Finish(ctx, v.item); err != nil {
					applied = append(applied, Applied{v.Path, told(err)})
				}
			}
			continue
		}
		crashPoint()
		err := v.tree.WriteDefinition(ctx, v.item, v.back, v.now.Hash())
		if err != nil {
			err = told(err)
		}
		applied = append(applied, Applied{v.Path, err})
		crashPoint()
	}
	return applied, nil
}
