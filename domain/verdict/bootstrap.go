package verdict

import (
	"cmp"
	"math"
	"slices"

	"readiness/domain/verdict/statistics"
	"readiness/internal/lists"
)

const (
	resamples = 2000
	// leastResampled is how many questions must differ for an interval by resampling.
	leastResampled = 10
	// lowest and highest are the indexes of the 95 % interval among the sorted
	// resamples.
	lowest, highest = 50, 1949
	// bootstrapMethod is the method's name in documents.
	bootstrapMethod = "paired_bootstrap_2000"
)

// difference is side B minus side A for one question.
type difference struct {
	questionID string
	// cluster is shared by paraphrases of one question; "" for a question without any.
	cluster string
	weight  float64
	rate    float64 // of pass rates
	time    float64 // of median times, in ms
}

// differences are sorted by question id before use, so that sums and resamples do not
// depend on the order of the questions.
type differences []difference

func (d differences) sort() {
	slices.SortFunc(d, func(a, b difference) int { return cmp.Compare(a.questionID, b.questionID) })
}

// differing returns how many questions differ in their pass rate, and how many in their time.
func (d differences) differing() (rates, times int) {
	for _, q := range d {
		rates += one(math.Abs(q.rate) > negligible)
		times += one(q.time != 0)
	}
	return rates, times
}

// rate returns the weighted mean with question i counted count[i] times; once each if
// count is nil.
func (d differences) rate(count []int) float64 {
	sum, weights := 0.0, 0.0
	for i, q := range d {
		w := q.weight
		if count != nil {
			w *= float64(count[i])
		}
		sum += w * q.rate
		weights += w
	}
	return sum / weights
}

func (d differences) times() []float64 {
	return lists.Map(d, func(q difference) float64 { return q.time })
}

// interval is a pair of percentiles.
type interval struct{ low, high float64 }

// bootstrap resamples the clusters with replacement. The same draws serve both
// intervals, of the weighted mean of the rates and of the median of the times. There
// must be at least one question.
func (d differences) bootstrap(comparisonID string) (rate, time interval) {
	resampled, random := clusters(len(d), func(i int) string { return d[i].cluster }), statistics.NewDraws(comparisonID)
	byTime := make([]int, len(d))
	for i := range byTime {
		byTime[i] = i
	}
	slices.SortStableFunc(byTime, func(a, b int) int { return cmp.Compare(d[a].time, d[b].time) })
	rates, times := make([]float64, resamples), make([]float64, resamples)
	count := make([]int, len(d)) // how often each question was drawn
	for i := range resamples {
		clear(count)
		drawn := 0
		for range resampled {
			for _, q := range resampled[random.Below(len(resampled))] {
				count[q]++
				drawn++
			}
		}
		rates[i] = d.rate(count)
		times[i] = (d.timeAt(byTime, count, (drawn-1)/2) + d.timeAt(byTime, count, drawn/2)) / 2
	}
	return percentiles(rates), percentiles(times)
}

// timeAt returns the time at a position among the drawn times in ascending order.
func (d differences) timeAt(byTime, count []int, place int) float64 {
	at := 0
	for place >= count[byTime[at]] {
		place -= count[byTime[at]]
		at++
	}
	return d[byTime[at]].time
}

func percentiles(values []float64) interval {
	slices.Sort(values)
	return interval{values[lowest], values[highest]}
}
