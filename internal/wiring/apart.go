package wiring

import (
	"context"

	"readiness/forward"
	"readiness/projections"
)

// ApartSink has views use messages of the stream.
type ApartSink struct{ *projections.Apart }

// Reached implements forward.Sink.
func (s ApartSink) Reached(ctx context.Context) (forward.Place, uint64, error) {
	at, err := s.Place(ctx)
	return forward.Place{Epoch: at.Epoch, Position: at.Position, Hash: at.Hash}, at.Sequence, err
}

// Use implements forward.Sink.
func (s ApartSink) Use(ctx context.Context, messages []forward.Message) error {
	events := make([]projections.ApartEvent, len(messages))
	for i, m := range messages {
		events[i] = projections.ApartEvent{Event: m.Event, Cut: m.Cut, ApartPlace: projections.ApartPlace{Epoch: m.Epoch,
			Position: m.Position, Hash: m.Hash, Sequence: m.Sequence}}
	}
	return s.Add(ctx, events)
}
