package files

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"readiness/ai"
	"readiness/definition/rewrite"
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
	p, warnings, err := f.propose(ctx, in.Model, kind, words, nil)
	if err != nil {
		return mcp.Preview{}, nil, err
	}
	made := p.Previews[0]
	if left := p.Unused(words); len(left) > 0 {
		return mcp.Preview{}, nil, notWritten(made, left)
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
	i, err := f.one(ctx, model)
	if err != nil {
		return p, nil, err
	}
	all, noted, err := offline.Propose(ctx, []offline.Item{i}, offline.ProposeOptions{
		Kinds: []optimization.Kind{kind}, Keys: keys, All: true, Ignores: f.Ignores, Regime: f.Regime, Propose: embedded,
		Words: offline.Words{i.Shown: words},
	})
	if len(all) == 0 {
		return p, nil, err
	}
	for _, w := range noted {
		warnings = append(warnings, w.String())
	}
	return all[0], warnings, errors.Join(err, all[0].Error)
}

// notWritten returns the error about a person's words that a preview cannot write: why, or which keys are like theirs.
func notWritten(made optimization.Preview, left []string) error {
	var known, why []string
	for _, n := range made.NeedsYourWords {
		known = append(known, optimization.KeyFor(proposal.Description, proposal.Object{Table: n.Table, Name: n.Object, Type: n.ObjectType}))
	}
	for _, c := range made.Changes {
		if c.Property == rewrite.Visibility {
			c.Key += "|" + optimization.SynonymsKey
		}
		known = append(known, c.Key)
	}
	for _, s := range made.Skipped {
		all := made.Kind == optimization.AIDataSchema && s.Key == optimization.SynonymsKey // no synonyms can be written
		if all || slices.Contains(left, s.Key) {
			why = append(why, s.Key+": "+s.Message)
		}
	}
	p := mcp.Unknown("The words for "+strconv.Itoa(len(left))+" keys cannot be written: the key is not one of needsYourWords, of a change or, for "+
		"synonyms, of a table or field followed by |synonyms; or the object already has this text, or cannot hold it.", left[0], known)
	if p.Reason = strings.Join(why, "\n"); p.Reason != "" {
		p.Nearest = nil
	}
	return p
}

// rulesOnly are the embedded rules, which need no provider.
var rulesOnly = ai.New(ai.Options{Getenv: func(string) string { return "" }})

// embedded asks the embedded rules.
func embedded(ctx context.Context, ask proposal.Ask) (proposal.Answer, error) {
	return rulesOnly.Ask(ctx, aiprovider.Embedded(), ask)
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
