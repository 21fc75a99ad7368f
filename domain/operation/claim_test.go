package operation_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/operation"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	ours, earlier, started := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	for name, row := range map[string]struct {
		holder *operation.Claim
		want   *uuid.UUID
		code   domain.Code
		reused bool
	}{
		"the key was free":                        {holder: &operation.Claim{ID: ours, Fingerprint: "f"}},
		"a call of the same instant is taking it": {code: domain.OperationInProgress},
		"the same call is being handled":          {holder: &operation.Claim{ID: earlier, Fingerprint: "f"}, code: domain.OperationInProgress},
		"the same call started an operation":      {holder: &operation.Claim{ID: earlier, Fingerprint: "f", OperationID: &started}, want: &started},
		"another call is being handled":           {holder: &operation.Claim{ID: earlier, Fingerprint: "g"}, reused: true},
		"another call started an operation":       {holder: &operation.Claim{ID: earlier, Fingerprint: "g", OperationID: &started}, reused: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := operation.Claim{ID: ours, Fingerprint: "f"}.Replay(row.holder)
			refusal, refused := domain.Refused(err)
			switch {
			case got != row.want:
				t.Errorf("it replays %v, want %v", got, row.want)
			case row.reused != errors.Is(err, operation.ErrKeyReused):
				t.Errorf("got error %v", err)
			case refused != (row.code != "") || refused && (refusal.Code != row.code || refusal.RetryAfter != time.Second):
				t.Errorf("got refusal %+v, want %q", refusal, row.code)
			case err != nil && !refused && !row.reused:
				t.Error(err)
			}
		})
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	if err := (operation.Claim{}).Keep(true); err != nil {
		t.Error(err)
	}
	refusal, refused := domain.Refused(operation.Claim{}.Keep(false))
	if !refused || refusal.Code != domain.OperationInProgress || refusal.RetryAfter != time.Second {
		t.Errorf("a lost claim: got %+v", refusal)
	}
}
