package monitor

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help+" One process of all answers.", labels, nil)
}

var (
	logPosition = describe("readiness_log_position", "Last position handed out in the log.")
	logLag      = describe("readiness_log_watermark_lag", "Positions above the watermark: they belong to running appends.")
	viewLag     = describe("readiness_view_lag_events", "Positions that a view is behind the watermark.", "view")
	viewLate    = describe("readiness_view_lag_seconds", "Age of the oldest event that a view has not reached.", "view")
	viewError   = describe("readiness_view_error", "1 while a view fails at its next event.", "view")
	viewUnbuilt = describe("readiness_view_unbuilt", "1 while this version of a view is not built.", "view")
	steps       = describe("readiness_steps", "Unfinished steps of work in the queue, by kind and state.", "kind", "state")
	stepsOldest = describe("readiness_steps_oldest_seconds", "Age of the oldest unfinished step of work.", "kind")
	waiting     = describe("readiness_operations_waiting", "Unfinished operations, by what they wait for: their owner or work.", "state")
	lateSlots   = describe("readiness_schedules_late", "Schedules whose slot began over five minutes ago and was not started.")
	messages    = describe("readiness_webhook_waiting", "Messages to webhooks that wait to be delivered.")
	messageAge  = describe("readiness_webhook_oldest_seconds", "Time since the oldest message to a webhook that waits was first due.")
	verifiedAt  = describe("readiness_verify_last_success_timestamp_seconds",
		"When events verify last found the log unchanged; 0 for never.")
	sealedAge   = describe("readiness_checkpoint_age_seconds", "Time since the log was last sealed: all of it is under a signed head then.")
	forwardLag  = describe("readiness_forward_lag_events", "Positions that forwarding is behind the watermark.")
	forwardLate = describe("readiness_forward_lag_seconds", "Age of the oldest event that was not forwarded.")
	tableSize   = describe("readiness_database_size_bytes", "Size of a table with its indexes.", "table")
)

var descriptions = []*prometheus.Desc{logPosition, logLag, viewLag, viewLate, viewError, viewUnbuilt, steps, stepsOldest, waiting,
	lateSlots, messages, messageAge, verifiedAt, sealedAge, forwardLag, forwardLate, tableSize}

// numbers are what was read at one time.
type numbers struct {
	at              time.Time
	last, watermark int64
	views           []view
	queue           []queued
	// owner and working are the unfinished operations that wait for their owner, and the others.
	owner, working int64
	late           int64
	// messages are those to webhooks that wait, and due is when the oldest was first due; nil if none waits.
	messages  int64
	due       *time.Time
	verified  time.Time  // zero for never
	sealed    time.Time  // zero before the trees of the log have a name
	forwarded *forwarded // nil if the log was never forwarded
}

// view is how far a view has come.
type view struct {
	name          string
	lag           int64
	late          time.Duration
	failed, built bool
}

// forwarded is how far forwarding has come.
type forwarded struct {
	position int64
	next     *time.Time // when the next event was recorded; nil if there is none
}

// queued are the steps of one kind in one state.
type queued struct {
	kind, state string
	n           int64
	oldest      float64 // the age of the oldest in seconds
}

func gauge(to chan<- prometheus.Metric, d *prometheus.Desc, v float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func (n numbers) collect(to chan<- prometheus.Metric) {
	gauge(to, logPosition, float64(n.last))
	gauge(to, logLag, float64(n.last-n.watermark))
	for _, v := range n.views {
		gauge(to, viewLag, float64(v.lag), v.name)
		gauge(to, viewLate, v.late.Seconds(), v.name)
		gauge(to, viewError, flag(v.failed), v.name)
		gauge(to, viewUnbuilt, flag(!v.built), v.name)
	}
	oldest := map[string]float64{}
	for _, q := range n.queue {
		gauge(to, steps, float64(q.n), q.kind, q.state)
		oldest[q.kind] = max(oldest[q.kind], q.oldest)
	}
	for kind, age := range oldest {
		gauge(to, stepsOldest, age, kind)
	}
	gauge(to, waiting, float64(n.owner), "owner")
	gauge(to, waiting, float64(n.working), "work")
	gauge(to, lateSlots, float64(n.late))
	gauge(to, messages, float64(n.messages))
	age := 0.0
	if n.due != nil {
		age = max(0, n.at.Sub(*n.due).Seconds())
	}
	gauge(to, messageAge, age)
	verified := 0.0
	if !n.verified.IsZero() {
		verified = float64(n.verified.UnixMilli()) / 1000
	}
	gauge(to, verifiedAt, verified)
	if !n.sealed.IsZero() {
		gauge(to, sealedAge, max(0, n.at.Sub(n.sealed).Seconds()))
	}
	if f := n.forwarded; f != nil {
		gauge(to, forwardLag, float64(max(0, n.watermark-f.position)))
		late := 0.0
		if f.next != nil {
			late = max(0, n.at.Sub(*f.next).Seconds())
		}
		gauge(to, forwardLate, late)
	}
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// sizes are the sizes of the tables in bytes.
type sizes struct {
	at     time.Time
	tables map[string]int64
}

func (s sizes) collect(to chan<- prometheus.Metric) {
	for name, bytes := range s.tables {
		gauge(to, tableSize, float64(bytes), name)
	}
}
