package offline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/definition/upgrade"
)

// Upgrade is what an upgrade of a semantic model's preparation for AI makes, and what the model has now.
type Upgrade struct {
	Item
	// Error is why the model cannot be read.
	Error error
	// Leaving is what the model has now.
	Leaving LeavingQnA
	// Refused is why nothing is upgraded; nil with a Result.
	Refused error
	Result  upgrade.Result

	before definition.Definition
}

// Upgrades looks at the semantic models among the items and makes what an upgrade would write. It writes nothing.
func Upgrades(ctx context.Context, items []Item, o upgrade.Options) ([]Upgrade, []Warning, error) {
	of := models(items)
	if len(of) == 0 {
		return nil, nil, errors.New("there is no semantic model")
	}
	all, warnings := make([]Upgrade, len(of)), make([][]Warning, len(of))
	err := each(ctx, len(of), 0, nil, func(n int) { all[n], warnings[n] = upgraded(ctx, of[n], o) })
	return all, slices.Concat(warnings...), err
}

func upgraded(ctx context.Context, i Item, o upgrade.Options) (u Upgrade, warnings []Warning) {
	u = Upgrade{Item: i}
	defer func() {
		if fault := recover(); fault != nil {
			u.Error = fmt.Errorf("a bug in this program prevented the upgrade: %v", fault)
		}
	}()
	d, warnings, err := i.Definition(ctx)
	if err != nil {
		u.Error = readable(err)
		return u, warnings
	}
	m, err := semanticmodel.Read(d)
	if err != nil {
		u.Error = err
		return u, warnings
	}
	u.before, u.Leaving = d, leaving(d, m)
	warnings = append(warnings, u.Leaving.search(ctx, i)...)
	if u.Leaving.Invalid != "" {
		u.Refused = errors.New("its linguistic schema cannot be read: " + u.Leaving.Invalid)
		return u, warnings
	}
	u.Result, u.Refused = upgrade.Make(d, m, o)
	return u, warnings
}

// Changes returns how many parts are written.
func (u Upgrade) Changes() int {
	if u.Error != nil || u.Refused != nil {
		return 0
	}
	return len(differing(u.before, u.Result.After))
}

func partHash(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// WriteUpgrades writes the upgrades, each completely or not at all, and before them a record for Reverse as Write does.
func WriteUpgrades(ctx context.Context, all []Upgrade, file string, now time.Time) (applied []Applied, record string, err error) {
	r := Record{Format: recordFormat, AppliedAt: now.UTC()}
	for _, u := range all {
		if u.Changes() > 0 {
			r.Models = append(r.Models, recorded(u.Item, u.before, u.Result.After))
		}
	}
	if len(r.Models) == 0 {
		return nil, "", nil
	}
	if record, err = r.write("", file); err != nil {
		return nil, "", err
	}
	var begun bool
	for _, u := range all {
		if u.Changes() == 0 {
			continue
		}
		if ctx.Err() != nil {
			return applied, record, ctx.Err()
		}
		applied = append(applied, u.write(ctx, u.Result.After, u.before.Hash(), &begun))
	}
	return applied, needed(record, begun), nil
}

// LossReport returns the file beside the model that says what its upgrade loses, and its text.
func (u Upgrade) LossReport() (file, text string) {
	base := strings.TrimSuffix(filepath.Base(u.at), ".SemanticModel")
	var b strings.Builder
	fmt.Fprintf(&b, "# What the upgrade of %s does not carry over\n\n", u.Name)
	for _, l := range u.Result.Lost {
		where := ""
		if l.Where != "" {
			where = " of " + l.Where
		}
		fmt.Fprintf(&b, "- %s%s: %s\n", l.What, where, l.Why)
	}
	for _, broken := range u.Leaving.Breaks() {
		fmt.Fprintf(&b, "- %s: an error is shown there once Q&A is off\n", broken)
	}
	return filepath.Join(filepath.Dir(u.at), base+".upgrade-ai.md"), b.String()
}
