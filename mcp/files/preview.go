package files

import (
	"context"
	"reflect"
	"slices"
	"strconv"

	"readiness/ai"
	"readiness/domain/aiprovider"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/mcp"
	"readiness/offline"
)

// previewed is a preview that can be applied.
type previewed struct {
	mcp.Preview
	words map[string]string
	// made is the preview, and hash the definition that it was made for.
	made optimization.Preview
	hash string
}

// Preview implements mcp.Models.
func (f *Files) Preview(ctx context.Context, in mcp.PreviewInput) (mcp.Preview, *mcp.Pending, error) {
	kind := in.Kind
	words := map[string]string{}
	for _, w := range in.Words {
		words[w.Key] = w.Text
	}
	if len(words) > 0 && kind != optimization.Descriptions {
		return mcp.Preview{}, nil, problem("words are descriptions, so they need the kind descriptions.")
	}
	p, warnings, err := f.propose(ctx, in.Model, kind, words, nil)
	if err != nil {
		return mcp.Preview{}, nil, err
	}
	made := p.Previews[0]
	if left := len(p.Unused(words)); left > 0 {
		return mcp.Preview{}, nil, problem("The words for " + strconv.Itoa(left) + " keys cannot be written: the key is not one of " +
			"needsYourWords or of a change, or the object already has this text, or a description cannot hold it. list_changes lists the keys.")
	}
	out := mcp.Preview{ID: newID(), Model: p.Shown, Kind: string(in.Kind), ScoreNow: made.ScoreNow, After: made.ScoreAfter, Warnings: warnings}
	for _, c := range made.Changes {
		byDefault := c.ReviewRequired == "" && (kind != optimization.AIDataSchema || slices.Contains(made.RecommendedKeys, c.Key))
		out.Changes = append(out.Changes, mcp.NewChange(c, byDefault))
	}
	for _, n := range made.NeedsYourWords {
		out.NeedsYourWords = append(out.NeedsYourWords, mcp.NewNeed(n.Table, n.Object, n.ObjectType, n.Question))
	}
	for _, s := range made.Skipped {
		out.Skipped = append(out.Skipped, mcp.NewSkipped(s.Key, s.Message))
	}
	for _, d := range made.DimensionsThatFall {
		out.Falls = append(out.Falls, d.Name)
	}
	if made.NothingToDo != nil {
		out.NothingToDo = *made.NothingToDo
	}
	f.previews.Add(out.ID, previewed{out, words, made, p.Before.Hash()})
	return out, nil, nil
}

// propose makes the proposal of one kind. With keys, it selects those changes.
func (f *Files) propose(ctx context.Context, model string, kind optimization.Kind, words map[string]string, keys []string) (
	p offline.Proposal, warnings []string, err error) {
	i, err := f.one(ctx, model)
	if err != nil {
		return p, nil, err
	}
	all, noted, err := offline.Propose(ctx, []offline.Item{i}, offline.ProposeOptions{
		Kinds: []optimization.Kind{kind}, Keys: keys, All: true, Ignores: f.Ignores, Regime: f.Regime, Propose: embedded(),
		Words: offline.Words{i.Shown: words},
	})
	if err != nil {
		return p, nil, err
	}
	for _, w := range noted {
		warnings = append(warnings, w.String())
	}
	return all[0], warnings, all[0].Error
}

// embedded asks the embedded rules.
func embedded() func(context.Context, proposal.Ask) (proposal.Answer, error) {
	proposer := ai.New(ai.Options{Getenv: func(string) string { return "" }})
	return func(ctx context.Context, ask proposal.Ask) (proposal.Answer, error) {
		return proposer.Ask(ctx, aiprovider.Embedded(), ask)
	}
}

// PreviewOf implements mcp.Models.
func (f *Files) PreviewOf(_ context.Context, previewID string) (mcp.Preview, error) {
	p, err := f.previewOf(previewID)
	return p.Preview, err
}

func (f *Files) previewOf(previewID string) (previewed, error) {
	p, known := f.previews.Get(previewID)
	if !known {
		return previewed{}, problem("There is no such preview: it was applied, or newer previews replaced it. Call preview again.")
	}
	return p, nil
}

// same reports whether a proposal is what the preview showed, for the same definition.
func (p previewed) same(now offline.Proposal) bool {
	return p.hash == now.Before.Hash() && reflect.DeepEqual(p.made, now.Previews[0])
}
