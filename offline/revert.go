package offline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/offline/show"
	"readiness/platform/folder"
)

// Reversal is the revert of one model of a record.
type Reversal struct {
	Path string
	// Error is why the model cannot be reverted.
	Error error
	// AsBefore is true if there is nothing to revert.
	AsBefore bool
	// Objects is how many objects are restored, or Files if the record is of a renaming or an upgrade; Skipped are those left unchanged.
	Objects, Files int
	Skipped        []optimization.Skip

	tree      *folder.Tree
	Item      folder.TreeItem
	Now, Back definition.Definition
	pending   *folder.Unfinished
}

// Reverse plans the revert of the models of a record, which are below root. It writes nothing. A model whose objects
// are no longer as the apply wrote them is refused, except for the objects that the service would skip too
// (docs/specification.md 4.5/revert). progress may be nil.
func Reverse(ctx context.Context, root string, r Record, progress func(done, total int)) ([]Reversal, error) {
	tree, err := folder.OpenTree(root)
	if err != nil {
		return nil, err
	}
	above, name, err := aboveRoot(root, r)
	if err != nil {
		return nil, err
	}
	all := make([]Reversal, len(r.Models))
	err = each(ctx, len(all), 0, progress, func(n int) {
		at := r.Models[n].Path
		all[n] = Reversal{Path: at, tree: tree}
		if at == "." {
			at, all[n].tree = name, above
		}
		if err := all[n].reverse(ctx, r.Models[n], at); err != nil {
			all[n].Error = readable(err)
		}
	})
	if r.Together && slices.ContainsFunc(all, func(v Reversal) bool { return v.Error != nil }) {
		for n := range all {
			if all[n].Error == nil && !all[n].AsBefore {
				all[n].Error = errTogether
			}
		}
	}
	return all, err
}

// aboveRoot returns the tree of the folder that has the root, and the root's name, if the record names the root itself as
// a model. Its name is part of what it is, and only that tree knows it.
func aboveRoot(root string, r Record) (*folder.Tree, string, error) {
	if !slices.ContainsFunc(r.Models, func(m RecordedModel) bool { return m.Path == "." }) {
		return nil, "", nil
	}
	full, err := filepath.Abs(root)
	if err != nil {
		return nil, "", err
	}
	tree, err := folder.OpenTree(filepath.Dir(full))
	return tree, filepath.Base(full), err
}

// reverse plans the revert of the model at a path of v.tree.
func (v *Reversal) reverse(ctx context.Context, m RecordedModel, at string) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a bug in this program prevented the revert: %v", fault)
		}
	}()
	if v.Item, err = v.tree.Item(ctx, at); err != nil {
		return err
	}
	if formOf(v.Item) != m.Form {
		return errors.New("it is in another form than in the record; move its files back to where they were, and try again")
	}
	if v.Now, v.pending, err = v.tree.Definition(ctx, v.Item); err != nil {
		return err
	}
	v.Back = v.Now
	hash := v.Now.Hash()
	if hash == m.DefinitionHash {
		v.AsBefore = true
		return nil
	}
	if hash != m.WrittenHash && untouched(v.Now, m) {
		v.AsBefore = true
		return nil
	}
	for _, a := range slices.Backward(m.Applies) {
		if err := v.putBack(a); err != nil {
			return err
		}
	}
	if err := v.putBackParts(m.Parts); err != nil {
		return err
	}
	if hash == m.WrittenHash && v.Back.Hash() != m.DefinitionHash {
		return errors.New("the record does not restore the original bytes; the record was changed")
	}
	return nil
}

// putBack reverts one kind of an apply in v.back.
func (v *Reversal) putBack(a Apply) error {
	id, model := uuid.New(), uuid.Nil
	apply := optimization.Work{Operation: operation.Operation{
		ID: id, Type: operation.ApplyOptimization, Status: operation.StatusSucceeded, Resource: operation.Resource{ItemID: &model},
	}, Kind: a.Kind, Proposed: true, Writes: a.Writes}
	for n := range a.Writes {
		apply.Progress = append(apply.Progress, optimization.Progress{Started: true, Intended: &a.Intended[n], Landed: true})
	}
	if len(apply.Applied()) == 0 {
		return nil
	}
	writes, err := optimization.RevertApply{ApplyID: id, ModelID: model, Now: apply.AppliedAt()}.Writes(apply, nil)
	if err != nil {
		return err
	}
	revert := optimization.Work{Kind: a.Kind, Reverts: &id, Proposed: true, Writes: writes,
		Progress: make([]optimization.Progress, len(writes))}
	for n := range writes {
		plan, err := planned(revert, n, v.Back)
		if err != nil {
			return err
		}
		v.Skipped = append(v.Skipped, plan.Skipped...)
		undo := apply.Undoing(plan.Objects)
		if len(undo) == 0 {
			continue
		}
		if v.Back, err = rewrite.Restore(v.Back, undo); err != nil {
			return fmt.Errorf("the apply's changes cannot be reverted: %w", err)
		}
		v.Objects += len(undo)
	}
	return nil
}

// putBackParts puts the parts back that a renaming or an upgrade wrote.
func (v *Reversal) putBackParts(all []RecordedPart) error {
	parts := map[string][]byte{}
	for _, p := range all {
		if now, ok := v.Now.Part(p.Path); !ok || partHash(now) != p.Written {
			return fmt.Errorf("%s was changed since; nothing of it is reverted", p.Path)
		}
		parts[p.Path] = p.Before
		v.Files++
	}
	if len(all) > 0 {
		v.Back = v.Back.With(parts)
	}
	return nil
}

// untouched reports whether every object of an apply is as before it: the apply was interrupted before it wrote this
// model, and the model has been changed elsewhere since.
func untouched(d definition.Definition, m RecordedModel) bool {
	for _, p := range m.Parts {
		if now, _ := d.Part(p.Path); !bytes.Equal(now, p.Before) {
			return false
		}
	}
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

// Headline describes the reversal in one line, with another line before it if a write was interrupted.
func (v Reversal) Headline() string {
	if v.pending != nil {
		return show.Printable(fmt.Sprintf("%s: %s; it is read as if that write were finished; --write finishes it", v.Path, v.pending)) +
			"\n" +
			v.headline()
	}
	return v.headline()
}

func (v Reversal) headline() string {
	switch {
	case v.Error != nil:
		return show.Printable(fmt.Sprintf("%s: not reverted: %s", v.Path, v.Error))
	case v.AsBefore:
		return show.Printable(v.Path) + ": already as before the apply"
	}
	restored := show.Count(v.Objects, "object")
	if v.Files > 0 {
		restored = show.Count(v.Files, "file")
	}
	text := fmt.Sprintf("%s: %s restored", show.Printable(v.Path), restored)
	if len(v.Skipped) > 0 {
		text += fmt.Sprintf(", %d left unchanged: %s", len(v.Skipped), show.Printable(v.Skipped[0].Message))
	}
	return text
}

// Restore writes the reversals that restore something, each model completely or not at all. It leaves a model unchanged
// if it changed since it was read. progress may be nil.
func Restore(ctx context.Context, all []Reversal, progress func(done, total int)) ([]Applied, error) {
	var applied []Applied
	for n, v := range all {
		if progress != nil {
			progress(n, len(all))
		}
		if ctx.Err() != nil {
			return applied, ctx.Err()
		}
		if v.Error != nil || v.AsBefore || v.Objects+v.Files == 0 {
			if v.Error == nil && v.pending != nil {
				if err := v.tree.Finish(ctx, v.Item); err != nil {
					applied = append(applied, Applied{v.Path, readable(err)})
				}
			}
			continue
		}
		crashPoint()
		err := v.tree.WriteDefinition(ctx, v.Item, v.Back, v.Now.Hash())
		if err != nil {
			err = readable(err)
		}
		applied = append(applied, Applied{v.Path, err})
		crashPoint()
	}
	return applied, nil
}
