package wiring

import (
	"context"

	"readiness/eventstore/forward"
	"readiness/internal/lists"
	"readiness/projections"
)

// SeparateViewsSink has views use messages of the stream.
type SeparateViewsSink struct{ *projections.SeparateViews }

// Reached implements forward.Sink.
func (s SeparateViewsSink) Reached(ctx context.Context) (forward.Place, uint64, error) {
	at, err := s.Place(ctx)
	return forward.Place{Epoch: at.Epoch, Position: at.Position, Hash: at.Hash}, at.Sequence, err
}

// Use implements forward.Sink.
func (s SeparateViewsSink) Use(ctx context.Context, messages []forward.Message) error {
	events := lists.Map(messages, func(m forward.Message) projections.ViewsEvent {
		return projections.ViewsEvent{Event: m.Event, Cut: m.Cut, ViewsPlace: projections.ViewsPlace{Epoch: m.Epoch,
			Position: m.Position, Hash: m.Hash, Sequence: m.Sequence}}
	})
	return s.Add(ctx, events)
}
