package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/ai/rules"
	"readiness/domain/proposal"
)

// What is proposed does not depend on what was asked before about the same model, and a memory of another model is not used.
func TestMemoryChangesNoProposal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, other := allNamed(anyModel().Draw(t, "model")), allNamed(anyModel().Draw(t, "other"))
		memory := &proposal.Memory{}
		rules.Propose(proposal.Ask{Type: proposal.AIInstructions, Model: other, Memory: memory})
		for _, ask := range rapid.Permutation(asks(m)).Draw(t, "asks") {
			want := rules.Propose(ask)
			ask.Memory = memory
			if diff := cmp.Diff(want, rules.Propose(ask)); diff != "" {
				t.Fatalf("%s: %s", ask.Type, diff)
			}
		}
	})
}
