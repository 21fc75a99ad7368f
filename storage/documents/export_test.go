package documents

import "time"

// Impatient makes calls to the bucket of the store end soon.
func Impatient(s *Store) {
	s.objects.limits = limits{call: 100 * time.Millisecond, within: time.Second, slot: 100 * time.Millisecond, silence: time.Second}
}
