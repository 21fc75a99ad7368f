package comparison

import "encoding/json"

// Rate is a share, an accuracy or a difference of them; JSON has 4 decimals of it.
type Rate float64

// MarshalJSON implements json.Marshaler.
func (r Rate) MarshalJSON() ([]byte, error) { return json.Marshal(round4(float64(r))) }

// share is x of n, null where n is 0.
func share(x, n int) *Rate {
	if n == 0 {
		return nil
	}
	return new(Rate(float64(x) / float64(n)))
}
