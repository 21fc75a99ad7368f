package commands

import (
	"cmp"
	"encoding/json"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"

	"readiness/domain/account"
	"readiness/domain/readiness"
	"readiness/domain/readiness/ownrules"
)

// keptRegimes bounds the regimes of accounts in memory.
const keptRegimes = 64

// Regimes makes the scoring regimes of accounts (docs/decisions.md 14).
type Regimes struct {
	made *lru.Cache[string, *readiness.Regime] // by the document of the rules
}

func newRegimes() *Regimes {
	made, err := lru.New[string, *readiness.Regime](keptRegimes)
	if err != nil {
		panic(err) // the size is positive
	}
	return &Regimes{made}
}

// Of returns the regime of an account: the published one with what the account's rules file says, or the service's own
// without such a file. own is nil if the service has no rules file.
func (r *Regimes) Of(a account.Account, own *readiness.Regime) (*readiness.Regime, error) {
	return r.By(a.Saved[account.RulesDocument], own)
}

// By is Of for the document of an account's rules, "" without a file.
func (r *Regimes) By(rules string, own *readiness.Regime) (*readiness.Regime, error) {
	if rules == "" {
		return cmp.Or(own, readiness.Current()), nil
	}
	if made, ok := r.made.Get(rules); ok {
		return made, nil
	}
	var w ownrules.Written
	if err := json.Unmarshal([]byte(rules), &w); err != nil {
		return nil, fmt.Errorf("commands: the stored rules of the account cannot be read; apply the accounts file again: %w", err)
	}
	made, problems, err := w.Regime(readiness.Current())
	if len(problems) > 0 {
		err = fmt.Errorf("rule %s: %s %s", w.Own[problems[0].Rule].ID, problems[0].Member, problems[0].Message)
	}
	if err != nil {
		return nil, fmt.Errorf("commands: this version cannot use the stored rules of the account; apply the accounts file again: %w", err)
	}
	r.made.Add(rules, made)
	return made, nil
}
