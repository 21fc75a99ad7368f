package item_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"readiness/domain"
	"readiness/domain/item"
)

func TestReadFailure(t *testing.T) {
	t.Parallel()
	fault := errors.New("a fault")
	for name, row := range map[string]struct {
		err        error
		unreadable bool
		code       domain.Code
		after      time.Duration
	}{
		"a definition that cannot be read":  {domain.Refuse(domain.ItemNotReadable, "no"), true, "", 0},
		"a wrapped refusal":                 {fmt.Errorf("read: %w", domain.Refuse(domain.ItemNotReadable, "no")), true, "", 0},
		"a capacity without room":           {domain.Refuse(domain.CapacityBusy, "full at 100%%").After(time.Minute), false, domain.PlatformUnavailable, time.Minute},
		"an item that is gone":              {domain.Refuse(domain.ItemNotFound, "no"), false, domain.ItemNotFound, 0},
		"a platform that cannot be reached": {domain.Refuse(domain.PlatformUnavailable, "no").After(time.Second), false, domain.PlatformUnavailable, time.Second},
		"a fault, which is not a refusal":   {fault, false, "", 0},
		"no error at all":                   {nil, false, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unreadable, failed := item.ReadFailure(row.err)
			if row.unreadable {
				if !errors.Is(unreadable, row.err) || failed != nil {
					t.Errorf("got %v and %v", unreadable, failed)
				}
				return
			}
			refusal, refused := domain.Refused(failed)
			switch {
			case unreadable != nil:
				t.Errorf("it is unreadable: %v", unreadable)
			case !refused && (row.code != "" || !errors.Is(failed, row.err)):
				t.Errorf("got %v", failed)
			case refused && (refusal.Code != row.code || refusal.RetryAfter != row.after):
				t.Errorf("got %+v", refusal)
			case row.code == domain.PlatformUnavailable && row.after == time.Minute && refusal.Message != "full at 100%":
				t.Errorf("got message %q", refusal.Message)
			}
		})
	}
}
