package consoletest

import (
	"context"

	"readiness/definition"
	"readiness/domain/item"
	"readiness/work"
)

// Gated returns Options.Steps with which steps write only after the gate was closed.
func Gated(gate <-chan struct{}) func(work.Platform) work.Platform {
	return func(p work.Platform) work.Platform { return gated{p, gate} }
}

type gated struct {
	work.Platform
	gate <-chan struct{}
}

func (p gated) WriteDefinition(ctx context.Context, as item.Caller, it item.Item, d definition.Definition, ifHash string) error {
	select {
	case <-p.gate:
		return p.Platform.WriteDefinition(ctx, as, it, d, ifHash)
	case <-ctx.Done():
		return ctx.Err()
	}
}
