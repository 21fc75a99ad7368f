package readiness

// Band is a score in words. It is for display only: no rule, cap or gate depends on it.
type Band string

// The bands.
const (
	BandReady       Band = "ready"
	BandNearlyReady Band = "nearly ready"
	BandNeedsWork   Band = "needs work"
	BandNotReady    Band = "not ready"
)

// Bands returns all bands, from the highest scores to the lowest.
func Bands() []Band { return []Band{BandReady, BandNearlyReady, BandNeedsWork, BandNotReady} }

// From returns the lowest score in the band.
func (b Band) From() int {
	switch b {
	case BandReady:
		return 85
	case BandNearlyReady:
		return 70
	case BandNeedsWork:
		return 50
	case BandNotReady:
	}
	return 0
}

// BandOf returns the band of a score from 0 to 100.
func BandOf(score int) Band {
	for _, b := range Bands() {
		if score >= b.From() {
			return b
		}
	}
	return BandNotReady
}
