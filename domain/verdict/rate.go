package verdict

import (
	"encoding/json"
	"math"
)

// Rate is a share, an accuracy or a difference of two. JSON rounds it to 4 decimals.
type Rate float64

// MarshalJSON implements json.Marshaler.
func (r Rate) MarshalJSON() ([]byte, error) { return json.Marshal(round4(float64(r))) }

// Percent returns the rate in whole percent.
func (r Rate) Percent() int { return int(math.Round(100 * float64(r))) }

// share returns x/n; nil when n is 0.
func share(x, n int) *Rate {
	if n == 0 {
		return nil
	}
	return new(Rate(float64(x) / float64(n)))
}

// round4 rounds to 4 decimals, halves away from zero, and never returns -0.
func round4(x float64) float64 { return math.Round(x*10000)/10000 + 0 }

// milliseconds rounds to an integer, halves away from zero.
func milliseconds(x float64) int64 { return int64(math.Round(x)) }
