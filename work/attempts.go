package work

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river/rivertype"

	"readiness/domain"
	"readiness/eventstore"
)

// Limits after which a step gives up.
const (
	// patience is how many attempts a step makes while the platform does not
	// answer.
	patience = 3
	// maxCrashes is how often a step may crash its process: a model that always
	// does must not do so indefinitely.
	maxCrashes = 60
	// faultLife is how long after its acceptance a step that meets internal errors
	// is retried.
	faultLife = time.Hour
)

// attempts are the earlier attempts of a step.
type attempts struct {
	// failed is how many returned an error, crashed how many stopped their process.
	failed, crashed int
	// lasting says that the step was accepted longer than faultLife ago.
	lasting bool
}

// attemptsSinceEnqueued returns the attempts before this one of a step that is as old as its job. Both times are the database's.
func attemptsSinceEnqueued(job *rivertype.JobRow) attempts {
	return attemptsOf(job, job.CreatedAt, *job.AttemptedAt)
}

// attemptsOf returns the attempts before this one of a step that was accepted at since, by the same clock as now.
func attemptsOf(job *rivertype.JobRow, since, now time.Time) attempts {
	return attempts{len(job.Errors), job.Attempt - 1 - len(job.Errors), now.Sub(since) > faultLife}
}

// crashedTooOften reports whether another attempt would only stop the process again.
func (a attempts) crashedTooOften() bool { return a.crashed >= maxCrashes }

// again reports whether err is worth another attempt: the platform did not answer, or others changed what the step read.
func (a attempts) again(err error) bool {
	refusal, refused := domain.Refused(err)
	return refused && refusal.Code == domain.PlatformUnavailable && a.failed < patience ||
		errors.Is(err, eventstore.ErrConflict) && !a.lasting
}

// tookTooLong reports whether the step exceeded its time once more, after enough attempts.
func (a attempts) tookTooLong(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) && a.failed >= patience
}

// gaveUp reports whether internal errors occurred often enough, and for long enough.
func (a attempts) gaveUp() bool { return a.failed >= patience && a.lasting }
