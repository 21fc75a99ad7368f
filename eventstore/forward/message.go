package forward

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"

	"readiness/eventstore"
)

// The headers of a message, in addition to those of NATS. Its body is the event as CloudEvents 1.0.
const (
	HeaderEpoch    = "Readiness-Epoch"    // the epoch of the log, from 1
	HeaderPosition = "Readiness-Position" // the event's position in the log
	HeaderHash     = "Readiness-Hash"     // the event's hash, in hexadecimal digits
	HeaderCut      = "Readiness-Cut"      // the SHA-256 of the event's data, if they are too large for the broker and left out
)

// Place is an event of the log.
type Place struct {
	Epoch    int
	Position int64
	Hash     []byte
}

// After reports whether p is a later event than q. A consumer stores the place of the last event that it has processed, in the same
// transaction as the result, and skips events that are not after it.
func (p Place) After(q Place) bool {
	return p.Epoch > q.Epoch || p.Epoch == q.Epoch && p.Position > q.Position
}

// PlaceOf reads the place from the headers of a message.
func PlaceOf(h nats.Header) (p Place, err error) {
	if p.Epoch, err = strconv.Atoi(h.Get(HeaderEpoch)); err == nil {
		p.Position, err = strconv.ParseInt(h.Get(HeaderPosition), 10, 64)
	}
	if err == nil {
		p.Hash, err = hex.DecodeString(h.Get(HeaderHash))
	}
	if err != nil || p.Epoch < 1 || p.Position < 1 || len(p.Hash) == 0 {
		return Place{}, &Unfit{"a message of the stream has no place in the log, so another program publishes to the stream too",
			"Forward the log to another stream that nothing else publishes to, or stop what publishes to it, and run: " +
				"readinessd forward rebuild"}
	}
	return p, nil
}

// Subject returns the subject of an account's events of a type: events.ACCOUNT.TYPE. In the account, every character but letters, digits,
// - and _ is written as = and two hexadecimal digits for each of its bytes.
func Subject(account, eventType string) string {
	var b strings.Builder
	for i := range len(account) {
		switch c := account[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return "events." + b.String() + "." + eventType
}

// headerRoom is how many bytes of the broker's limit are left for the headers of a message.
const headerRoom = 1024

// message returns the event as a message that the broker accepts only directly after the message with the sequence number after.
func (b *Broker) message(r *eventstore.Recorded, epoch int, after uint64) (*message.Message, error) {
	body, err := r.CloudEvent()
	cut := ""
	if err == nil && int64(len(body)) > b.nats.MaxPayload()-headerRoom {
		body, cut, err = r.CloudEventWithoutData()
	}
	if err != nil {
		return nil, fmt.Errorf("forward: position %d: %w", r.Position, err)
	}
	msg := message.NewMessage(r.ID.String(), body)
	msg.Metadata = message.Metadata{
		nats.ExpectedLastSeqHdr: strconv.FormatUint(after, 10),
		HeaderEpoch:             strconv.Itoa(epoch),
		HeaderPosition:          strconv.FormatInt(r.Position, 10),
		HeaderHash:              hex.EncodeToString(r.Hash),
	}
	if cut != "" {
		msg.Metadata[HeaderCut] = cut
	}
	return msg, nil
}
