package webhook

import (
	"time"

	"github.com/google/uuid"
)

// State is the state of a delivery.
type State string

// The states.
const (
	Waiting   State = "Waiting"
	Delivered State = "Delivered"
	Parked    State = "Parked"
)

// Reason says why an attempt did not deliver a message, or why it was parked without one.
type Reason string

// The reasons.
const (
	AddressNotAllowed Reason = "AddressNotAllowed" // webhooks may not connect to this network
	Unreachable       Reason = "Unreachable"
	TimedOut          Reason = "TimedOut"
	Redirected        Reason = "Redirected"
	Refused           Reason = "Refused" // another answer than 2xx
	Gone              Reason = "Gone"    // 410
	NotEnabled        Reason = "NotEnabled"
	SecretMissing     Reason = "SecretMissing" // its address and secret cannot be decrypted
)

// Answered returns the reason of an answer with the status; empty for a message that is delivered.
func Answered(status int) Reason {
	switch {
	case 200 <= status && status < 300:
		return ""
	case status == 410:
		return Gone
	case 300 <= status && status < 400:
		return Redirected
	}
	return Refused
}

// Patience is how long after it was first due a message that cannot be delivered is parked.
const Patience = 24 * time.Hour

const firstPause, lastPause = 5 * time.Second, time.Hour

// Pause returns how long a webhook waits after so many attempts in a row that failed.
func Pause(failures int) time.Duration {
	pause := firstPause
	for i := 1; i < failures && pause < lastPause; i++ {
		pause *= 2
	}
	return min(pause, lastPause)
}

// After returns the state of a message that waited since a time, after an attempt that ended at now.
func After(r Reason, since, now time.Time) State {
	switch {
	case r == "":
		return Delivered
	case r == Gone || r == NotEnabled || !now.Before(since.Add(Patience)):
		return Parked
	}
	return Waiting
}

// DeliveryID returns the id of the message to a webhook about something, which is the same whenever it is made.
func DeliveryID(webhookID uuid.UUID, about string) uuid.UUID {
	return uuid.NewSHA1(webhookID, []byte(about))
}
