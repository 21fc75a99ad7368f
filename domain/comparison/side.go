package comparison

import (
	"math"
	"slices"

	"github.com/google/uuid"
)

// AgentKind is what answers for a side (spec 2.11, answeredBy.kind).
type AgentKind string

// The kinds.
const (
	DataAgent         AgentKind = "DataAgent"
	ServiceTestAgent  AgentKind = "ServiceTestAgent"
	PlatformAssistant AgentKind = "PlatformAssistant"
	GenericAgent      AgentKind = "GenericAgent"
)

// isDataAgent tells whether a data agent of the platform is behind the kind.
func (k AgentKind) isDataAgent() bool { return k == DataAgent || k == ServiceTestAgent }

// Side is who was asked.
type Side struct {
	Kind  AgentKind `json:"kind"`
	Label string    `json:"label"`
	// AgentRef and Target name no data agent in a comparison of a kind without one.
	AgentRef AgentRef    `json:"agent_ref"`
	Target   Target      `json:"target"`
	Usage    *TokenUsage `json:"usage"` // null when it is not known, as Cost
	Cost     *float64    `json:"cost"`
}

// AgentRef names the data agent; null for the kinds that have none (spec 2.11).
type AgentRef struct {
	DataAgentID *uuid.UUID `json:"data_agent_id"`
}

// Target is what was asked in detail, as far as it is known.
type Target struct {
	WorkspaceID *uuid.UUID `json:"workspaceId"`
	// ItemID is the data agent.
	ItemID          *uuid.UUID `json:"itemId"`
	SemanticModelID *uuid.UUID `json:"semanticModelId"`
	Stage           string     `json:"stage,omitempty"`
	Runtime         string     `json:"runtime,omitempty"`
	Transport       string     `json:"transport,omitempty"`
	ProviderID      string     `json:"providerId,omitempty"`
	Model           string     `json:"model,omitempty"`
	ConfigHash      string     `json:"configHash,omitempty"`
	SnapshotID      string     `json:"snapshotId,omitempty"`
}

// TokenUsage is what a side's provider counted.
type TokenUsage struct {
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
}

// plus is both together, nil where neither is known.
func (u *TokenUsage) plus(o *TokenUsage) *TokenUsage {
	switch {
	case o == nil:
		return u
	case u == nil:
		return new(*o)
	}
	return &TokenUsage{u.InputTokens + o.InputTokens, u.OutputTokens + o.OutputTokens}
}

// ComparisonSide is how one side did on the questions that count (regime D.5,
// AbComparisonSide). Rates are null without a question.
type ComparisonSide struct { //nolint:revive // the name is the specification's, AbComparisonSide
	Name string `json:"side"` // "a" or "b"
	Side
	Questions       int           `json:"questions"`
	Asks            int           `json:"asks"` // failed ones too
	AsksPerQuestion int           `json:"asksPerQuestion"`
	Verdicts        VerdictCounts `json:"verdicts"` // of asks
	// Accuracy is the weighted mean of the questions' pass rates.
	Accuracy   *Rate     `json:"accuracy"`
	AccuracyCI *Interval `json:"accuracyCi"`
	// PassAll and PassAny are the shares of questions of which all asks passed, or any.
	PassAll        *Rate         `json:"passAll"`
	PassAny        *Rate         `json:"passAny"`
	MeanStability  *Rate         `json:"meanStability"`
	FlakyQuestions int           `json:"flakyQuestions"`
	Score          *int          `json:"score"` // accuracy of 100
	ResponseTime   *ResponseTime `json:"responseTime"`
}

// VerdictCounts counts asks by their verdicts.
type VerdictCounts struct {
	Correct   int `json:"correct"`
	Incorrect int `json:"incorrect"`
	Unclear   int `json:"unclear"`
	Refused   int `json:"refused"`
	Error     int `json:"error"`
}

// Count adds the verdicts of asks.
func (c *VerdictCounts) Count(asks []Ask) {
	for _, a := range asks {
		c.add(a.Verdict)
	}
}

func (c *VerdictCounts) add(v Verdict) {
	switch v {
	case Correct:
		c.Correct++
	case Incorrect:
		c.Incorrect++
	case Refused:
		c.Refused++
	case Errored:
		c.Error++
	default:
		c.Unclear++
	}
}

// Interval is an interval of 95 % of a rate: by Wilson's score of x of n questions, or by
// a bootstrap.
type Interval struct {
	Method string `json:"method"`
	Low    Rate   `json:"low"`
	High   Rate   `json:"high"`
	Of     string `json:"of,omitempty"`
	X      *int   `json:"x,omitempty"`
	N      *int   `json:"n,omitempty"`
}

// ResponseTime is how long answers took, in ms (regime D.5, BenchmarkResponseTime).
// Percentiles are by nearest rank: times that were measured.
type ResponseTime struct {
	N        int      `json:"n"`
	Errors   int      `json:"errors"`
	MeanMS   int64    `json:"meanMs"`
	MedianMS int64    `json:"medianMs"`
	P90MS    int64    `json:"p90Ms"`
	P95MS    int64    `json:"p95Ms"`
	MinMS    int64    `json:"minMs"`
	MaxMS    int64    `json:"maxMs"`
	Includes string   `json:"includes"`
	Excludes []string `json:"excludes"`
}

// WeighedTally is a question on one side with what it counts in accuracy, above 0.
type WeighedTally struct {
	Tally
	Weight float64
}

// NewComparisonSide sums up the questions of one side that count: those with an
// answer.
func NewComparisonSide(name string, who Side, questions []WeighedTally) ComparisonSide {
	if !who.Kind.isDataAgent() {
		who.AgentRef.DataAgentID, who.Target.ItemID = nil, nil
	}
	s := ComparisonSide{Name: name, Side: who, Questions: len(questions)}
	var times []int64
	var rates, stabilities, weights []float64
	correct, all, any := 0, 0, 0
	for _, q := range questions {
		s.Asks += len(q.Asks)
		s.AsksPerQuestion = max(s.AsksPerQuestion, len(q.Asks))
		for _, a := range q.Asks {
			s.Verdicts.add(a.Verdict)
			s.Usage = s.Usage.plus(a.Usage)
			if a.Verdict != Errored {
				times = append(times, a.DurationMS)
			}
		}
		rates, weights = append(rates, float64(*q.PassRate)*q.Weight), append(weights, q.Weight)
		stabilities = append(stabilities, float64(*q.Stability))
		correct += one(q.Verdict == Correct)
		all += one(q.Passes == q.Answered)
		any += one(q.Passes > 0)
		s.FlakyQuestions += one(q.Flaky)
	}
	s.ResponseTime = newResponseTime(times, s.Verdicts.Error)
	if len(questions) == 0 {
		return s
	}
	n := len(questions)
	accuracy := sum(rates) / sum(weights)
	s.Accuracy, s.Score = new(Rate(accuracy)), new(int(math.Floor(100*accuracy+0.5+1e-9)))
	low, high := Wilson(correct, n)
	s.AccuracyCI = &Interval{"wilson95", Rate(low), Rate(high), "question_verdicts", &correct, &n}
	s.PassAll, s.PassAny = share(all, n), share(any, n)
	s.MeanStability = new(Rate(sum(stabilities) / float64(n)))
	return s
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// sum adds up values from the least, so that their order does not matter.
func sum(values []float64) float64 {
	total := 0.0
	for _, v := range slices.Sorted(slices.Values(values)) {
		total += v
	}
	return total
}

// newResponseTime is null without an answer.
func newResponseTime(times []int64, errors int) *ResponseTime {
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	n, total := len(times), 0.0
	for _, t := range times {
		total += float64(t)
	}
	return &ResponseTime{
		n, errors, milliseconds(total / float64(n)), nearestRank(times, 50), nearestRank(times, 90), nearestRank(times, 95), times[0], times[n-1],
		"ask_to_last_token", []string{"judging", "queue_wait_429", "retries_wait"},
	}
}
