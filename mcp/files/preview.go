package files

import (
	"context"
	"errors"
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
	if len(words) > 0 && kind != optimization.Descriptions && kind != optimization.AIInstructions {
		return mcp.Preview{}, nil, problem("words are descriptions or AI instructions, so they need the kind descriptions or aiInstructions.")
	}
	p, warnings, err := f.propose(ctx, in.Model, kind, words, nil)
	if err != nil {
		return mcp.Preview{}, nil, err
	}
	made := p.Previews[0]
	if left := len(unused(p, kind, words)); left > 0 {
		return mcp.Preview{}, nil, problem("The words for " + strconv.Itoa(left) + " keys cannot be written: the key is not one of " +
			"needsYourWords or of a change, or the object already has this text, or a description or AI instructions cannot hold it. " +
			"list_changes lists the keys.")
	}
	out := mcp.Preview{ID: newID(), Model: p.Shown, Kind: string(in.Kind), ScoreNow: made.ScoreNow, After: made.ScoreAfter, Warnings: warnings}
	for _, c := range made.Changes {
		recommended := c.ReviewRequired == "" && (kind != optimization.AIDataSchema || slices.Contains(made.RecommendedKeys, c.Key))
		out.Changes = append(out.Changes, mcp.NewChange(c, recommended))
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
	described := words
	if kind != optimization.Descriptions {
		described = nil
	}
	i, err := f.one(ctx, model)
	if err != nil {
		return p, nil, err
	}
	all, noted, err := offline.Propose(ctx, []offline.Item{i}, offline.ProposeOptions{
		Kinds: []optimization.Kind{kind}, Keys: keys, All: true, Ignores: f.Ignores, Regime: f.Regime, Propose: embedded(words),
		Words: offline.Words{i.Shown: described},
	})
	if len(all) == 0 {
		return p, nil, err
	}
	for _, w := range noted {
		warnings = append(warnings, w.String())
	}
	return all[0], warnings, errors.Join(err, all[0].Error)
}

// instructionsKey is the key of the AI instructions.
var instructionsKey = optimization.KeyOf(proposal.Object{Type: proposal.Model})

// unused returns the keys of a person's words that are in no change of a proposal.
func unused(p offline.Proposal, kind optimization.Kind, words map[string]string) (keys []string) {
	if kind != optimization.AIInstructions {
		return p.Unused(words)
	}
	for key := range words {
		if key != instructionsKey || len(p.Previews[0].Changes) == 0 {
			keys = append(keys, key)
		}
	}
	return keys
}

// embedded asks the embedded rules. A person's AI instructions take the place of theirs.
func embedded(words map[string]string) func(context.Context, proposal.Ask) (proposal.Answer, error) {
	proposer := ai.New(ai.Options{Getenv: func(string) string { return "" }})
	return func(ctx context.Context, ask proposal.Ask) (proposal.Answer, error) {
		answer, err := proposer.Ask(ctx, aiprovider.Embedded(), ask)
		if text, given := words[instructionsKey]; given && err == nil && ask.Type == proposal.AIInstructions {
			answer = proposal.Answer{Proposals: []proposal.Proposal{{Object: proposal.Object{Type: proposal.Model}, Value: text,
				Reason: "a person's words", Recommended: true}}}
		}
		return answer, err
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
		return previewed{}, problem("There is no such preview: it was applied, newer previews replaced it, or the server has started since. " +
			"Call preview again.")
	}
	return p, nil
}

// same reports whether a proposal is what the preview showed, for the same definition.
func (p previewed) same(now offline.Proposal) bool {
	return p.hash == now.Before.Hash() && reflect.DeepEqual(p.made, now.Previews[0])
}
