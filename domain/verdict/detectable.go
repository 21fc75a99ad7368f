package verdict

import "readiness/domain/verdict/statistics"

const (
	// assumedDiscordance is the share of differing questions that is assumed without an earlier run of the same sides.
	assumedDiscordance = 0.3
	// smallSample is the number of clusters below which a sample is small.
	smallSample = 50
)

// Detectable is the minimum detectable effect of a comparison: the smallest difference of the shares correct that its test
// finds with a power of 0.8.
type Detectable struct {
	N int `json:"n"` // clusters
	// Discordance is the share of them that is expected to differ: (differing + 1) / (n + 2) of the last run of the same
	// sides, or assumed.
	Discordance Rate `json:"discordance"`
	LastRun     bool `json:"lastRun"` // whether Discordance comes from a run
	// Difference is null below five clusters, which can show nothing.
	Difference *Rate `json:"difference"`
	// SmallSample says that few questions are compared.
	SmallSample bool `json:"smallSample"`
	// Note says what the sample can show.
	Note string `json:"note,omitempty"`
}

// NewDetectable returns the minimum detectable effect of n clusters. last is the aggregate of the last run of the same
// sides; nil without one.
func NewDetectable(n int, last *Aggregate) Detectable {
	d := Detectable{N: n, Discordance: assumedDiscordance, SmallSample: n < smallSample}
	if last != nil && last.Comparable > 0 {
		of := last.Comparable
		if last.Difference != nil {
			of = *last.Difference.CI.N
		}
		d.Discordance, d.LastRun = Rate(float64(last.McNemar.N10+last.McNemar.N01+1)/float64(of+2)), true
	}
	difference, ok := statistics.DetectableDifference(n, float64(d.Discordance))
	if !ok {
		d.Note = "fewer than five questions can show nothing"
		return d
	}
	d.Difference = new(Rate(difference))
	return d
}
