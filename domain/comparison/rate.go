package comparison

import "encoding/json"

// Rate is a share, an accuracy or a difference of two. JSON rounds it to 4 decimals.
type Rate float64

// MarshalJSON implements json.Marshaler.
func (r Rate) MarshalJSON() ([]byte, error) { return json.Marshal(round4(float64(r))) }

// share returns x/n; nil when n is 0.
func share(x, n int) *Rate {
	if n == 0 {
		return nil
	}
	return new(Rate(float64(x) / float64(n)))
}
