package pageviews

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"readiness/commands"
	"readiness/domain/pixies"
	"readiness/http/collector"
)

// The headers of a message, in addition to those of NATS.
const (
	headerCollector = "Readiness-Collector" // a random id of the process that collected the views
	headerNumber    = "Readiness-Number"    // the number of the message among those of the collector, from 1 without gaps
)

// A message with more than maxViewsOfPixie views of a Pixie, or of an hour that is more than maxAhead in the future, is damaged.
const (
	maxViewsOfPixie = 1_000_000_000
	maxAhead        = 24 * time.Hour
)

// message is a message of the stream: views that a collector published together.
type message struct {
	collector uuid.UUID
	number    int64
	views     []collector.Views
}

// parse reads a message. Its error says what is wrong with the message.
func parse(msg jetstream.Msg, now time.Time) (m message, err error) {
	if m.collector, err = uuid.Parse(msg.Headers().Get(headerCollector)); err != nil {
		return m, err
	}
	if m.number, err = strconv.ParseInt(msg.Headers().Get(headerNumber), 10, 64); err != nil {
		return m, err
	}
	if err := json.Unmarshal(msg.Data(), &m.views); err != nil {
		return m, err
	}
	for _, v := range m.views {
		if v.N < 1 || v.N > maxViewsOfPixie || v.Hour.After(now.Add(maxAhead)) || !v.Hour.Equal(v.Hour.Truncate(time.Hour)) {
			return m, fmt.Errorf("it has %d views for the hour %s, which is not possible", v.N, v.Hour.Format(time.RFC3339))
		}
	}
	if m.number < 1 {
		return m, fmt.Errorf("its header %s is %d, not at least 1", headerNumber, m.number)
	}
	return m, nil
}

// sums are how many views of known and of unknown Pixies a message has.
type sums struct{ known, unknown int }

// placed returns the views of messages by page. Those of unknown Pixies are left out.
func placed(places *collector.Places, all []message) (collected []commands.CollectedViews, outcomes []sums) {
	for _, m := range all {
		c, o := commands.CollectedViews{Collector: m.collector, Number: m.number}, sums{}
		for _, v := range m.views {
			place, is := places.Of(v.ID)
			if !is {
				o.unknown += v.N
				continue
			}
			o.known += v.N
			c.Views = append(c.Views, pixies.Viewed{
				AccountID: place.AccountID, ReportID: place.ReportID, Hour: v.Hour, Page: place.Page, Views: v.N,
			})
		}
		collected, outcomes = append(collected, c), append(outcomes, o)
	}
	return collected, outcomes
}
