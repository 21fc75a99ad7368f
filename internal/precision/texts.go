package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"readiness/ai/rules"
	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/offline"
)

// drawnText is a text that the embedded rules propose: a description, a display folder, a synonym or a line of
// AI instructions.
type drawnText struct {
	N      int           `json:"n"`
	Type   proposal.Type `json:"type"`
	Item   string        `json:"item"`
	Object string        `json:"object"`
	Text   string        `json:"text"`
	Reason string        `json:"reason"`
	// Of is the number of texts with that type.
	Of int `json:"of"`
}

// drawTexts writes up to n proposed texts of each of the given types, one of every model in turn.
func drawTexts(w io.Writer, seed uint64, n int, paths []string) error {
	items, _, err := offline.Find(context.Background(), ".", paths)
	if err != nil {
		return err
	}
	all, _, err := offline.Propose(context.Background(), items, offline.ProposeOptions{
		Propose: func(_ context.Context, ask proposal.Ask) (proposal.Answer, error) { return rules.Propose(ask), nil },
	})
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a draw that others can repeat
	of, byModel := map[proposal.Type]int{}, make([][]drawnText, len(all))
	for i, p := range all {
		for _, one := range texts(p) {
			of[one.Type]++
			byModel[i] = append(byModel[i], one)
		}
		random.Shuffle(len(byModel[i]), func(a, b int) { byModel[i][a], byModel[i][b] = byModel[i][b], byModel[i][a] })
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for round, taken, left := 0, 0, true; left && taken < n; round++ {
		left = false
		for _, of1 := range byModel {
			if round >= len(of1) || taken == n {
				continue
			}
			left, taken = true, taken+1
			one := of1[round]
			one.N, one.Of = taken, of[one.Type]
			if err := out.Encode(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// texts returns what is proposed for a model, the AI instructions by line.
func texts(p offline.Proposal) []drawnText {
	var all []drawnText
	for _, preview := range p.Previews {
		for _, c := range preview.Changes {
			visibility := preview.Kind == optimization.AIDataSchema && c.Property != "synonyms"
			if visibility || c.Type == proposal.SummarizeBy {
				continue // no texts
			}
			object := fmt.Sprintf("%s %s[%s]", c.ObjectType, c.Table, c.Object)
			one := drawnText{Type: c.Type, Item: p.Path, Object: object, Reason: c.Reason}
			lines := []string{c.Proposed}
			if c.Type == proposal.AIInstructions {
				current := ""
				if c.Current != nil {
					current = *c.Current
				}
				lines = strings.Split(strings.TrimPrefix(c.Proposed, current), "\n")
			}
			for _, line := range lines {
				if one.Text = strings.TrimSpace(line); one.Text != "" && !strings.HasPrefix(one.Text, "#") {
					all = append(all, one)
				}
			}
		}
	}
	return all
}
