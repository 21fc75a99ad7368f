package commands_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
)

// slow is a platform whose answer about a workspace waits.
type slow struct {
	commands.Platform
	asked, answer chan struct{}
}

func (s *slow) Workspace(ctx context.Context, as item.Caller, id uuid.UUID) (item.Workspace, error) {
	close(s.asked)
	<-s.answer
	return s.Platform.Workspace(ctx, as, id)
}

// While a call is being handled, the same call under the same key is told so, and does nothing.
//
// proves: decisions/2/idempotency-in-progress
func TestCallStillBeingHandled(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	platform := &slow{s.Platform, make(chan struct{}), make(chan struct{})}
	s.Platform = platform
	who := func() commands.Caller {
		ana := s.ana(account.Team)
		ana.Key = &commands.IdempotencyKey{Key: "k", Fingerprint: "f"}
		return ana
	}
	first := make(chan error, 1)
	go func() {
		_, err := s.StartAssessment(context.Background(), who(), retail, model(0))
		first <- err
	}()
	<-platform.asked
	before := s.left(t)
	_, err := s.StartAssessment(context.Background(), who(), retail, model(0))
	if r, refused := domain.Refused(err); !refused || r.Code != domain.OperationInProgress || r.RetryAfter == 0 {
		t.Errorf("got %v, want OperationInProgress and a time to wait", err)
	}
	s.unchanged(t, before)
	close(platform.answer)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	if l := s.left(t); l.Operations != 1 || l.Jobs != 1 {
		t.Errorf("left %+v, want one operation and one step", l)
	}
}
