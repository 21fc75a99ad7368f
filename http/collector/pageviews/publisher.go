// Package pageviews counts views of Pixies that other processes collect. A collector (readinessd collect) serves the images and publishes the
// views to a stream of NATS JetStream; one Counter adds them up in the database. The database may be away while images are served.
//
// A view is acknowledged when the broker has it on disk, not when its image is served. Every acknowledged view is counted once.
package pageviews

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"readiness/eventstore/forward"
	"readiness/http/collector"
)

// Publisher publishes views. Make one with Dial.
type Publisher struct {
	broker *forward.Broker
	stream string
	self   uuid.UUID
}

// Dial returns a publisher. If the servers do not answer now, it connects as soon as they do.
func Dial(t forward.Target, log *slog.Logger) (*Publisher, error) {
	b, err := forward.Dial(t, log, nats.RetryOnFailedConnect(true))
	if err != nil {
		return nil, err
	}
	return &Publisher{b, t.Stream, uuid.New()}, nil
}

// Close ends the connection.
func (p *Publisher) Close() { p.broker.Close() }

// Publish publishes a batch of views and returns nil when the broker has stored it. It may be called again with the same number and views:
// they count once. Do not publish a batch with a higher number until this one is stored.
func (p *Publisher) Publish(ctx context.Context, number int64, views []collector.Views) error {
	body, err := json.Marshal(views)
	if err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	msg := nats.NewMsg(subject)
	msg.Data = body
	msg.Header.Set(headerCollector, p.self.String())
	msg.Header.Set(headerNumber, strconv.FormatInt(number, 10))
	_, err = p.broker.JS.PublishMsg(ctx, msg, jetstream.WithExpectStream(p.stream),
		// By the id the broker drops most repeated messages; the counter drops all of them by the number.
		jetstream.WithMsgID(p.self.String()+" "+strconv.FormatInt(number, 10)))
	if err != nil {
		return fmt.Errorf("collect: publish: %w", err)
	}
	return nil
}
