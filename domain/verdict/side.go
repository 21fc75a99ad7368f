package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"readiness/domain/verdict/statistics"

	"github.com/google/uuid"
)

// AgentKind is the kind of AI that answers for a side.
type AgentKind string

// The kinds.
const (
	DataAgent         AgentKind = "DataAgent"
	ServiceTestAgent  AgentKind = "ServiceTestAgent"
	PlatformAssistant AgentKind = "PlatformAssistant"
	GenericAgent      AgentKind = "GenericAgent"
	// Imported answers were asked elsewhere, and files with them were imported.
	Imported AgentKind = "Imported"
)

// isDataAgent reports whether the kind uses a data agent of the platform.
func (k AgentKind) isDataAgent() bool { return k == DataAgent || k == ServiceTestAgent }

// Side describes who was asked.
type Side struct {
	Kind  AgentKind `json:"kind"`
	Label string    `json:"label"`
	// AgentRef and Target name no data agent for a kind without one.
	AgentRef AgentRef    `json:"agent_ref"`
	Target   Target      `json:"target"`
	Usage    *TokenUsage `json:"usage"` // null when unknown, like Cost
	Cost     *float64    `json:"cost"`
}

// Embedded is the transport of a side that the rules engine simulates, ByMCP that of a data agent that is asked at the platform, and
// byGenerateQuery that of the platform's assistant where its tool Generate Query writes the queries.
const (
	Embedded        = "embedded"
	ByMCP           = "mcp"
	byGenerateQuery = "generateQuery"
)

// Answerer says what answered for the side: embedded, dataAgent, generateQuery, languageModel NAME,
// semanticModelQueryService, or who answered according to imported files.
func (s Side) Answerer() string {
	switch {
	case s.Kind == Imported:
		return s.Target.Who + " (imported: these answers were given elsewhere)"
	case s.Target.Transport == Embedded:
		return "embedded (simulated by the rules engine; no AI was asked)"
	case s.Target.Transport == ByMCP && s.Target.Runtime != "":
		return "dataAgent (" + s.Target.Runtime + " runtime; its answers are texts without queries, and are judged as texts)"
	case s.Target.Transport == ByMCP:
		return "dataAgent (its answers are texts without queries, and are judged as texts)"
	case s.Target.Transport == byGenerateQuery:
		return "generateQuery (experimental: a tool of Power BI wrote the queries; Copilot was not asked)"
	case s.Kind == DataAgent:
		return "dataAgent"
	case s.Kind == PlatformAssistant:
		return "semanticModelQueryService"
	case s.Target.Model != "":
		return "languageModel " + s.Target.Model
	}
	return "languageModel"
}

// Tally returns the tally of asks of the side. It has no time if imported answers lack it.
func (s Side) Tally(asks []Ask) Tally {
	t := NewTally(asks)
	if s.Kind == Imported && slices.ContainsFunc(asks, func(a Ask) bool { return a.Verdict != Errored && a.DurationMS == 0 }) {
		t.MedianMS = nil
	}
	return t
}

// isAgent reports whether a data agent of the platform answered itself, now or when the answers that were imported were given.
func (s Side) isAgent() bool {
	return s.Target.Transport == ByMCP || s.Target.Runtime != "" || s.Kind == Imported && strings.HasPrefix(s.Target.Who, "data agent")
}

// UnlikeRuntimes says that two data agents answered with unlike runtimes, or that it is not known; "" if there is nothing to say. What
// differs between their answers can then be due to the runtime.
func UnlikeRuntimes(a, b Side) string {
	switch x, y := a.Target.Runtime, b.Target.Runtime; {
	case !a.isAgent() || !b.isAgent() || x == y && x != "":
		return ""
	case x == "" && y == "":
		return "Which runtime of the data agent answered is not known."
	case x == "" || y == "":
		return fmt.Sprintf("The runtime may differ: %s and %s.", cmp.Or(x, "unknown"), cmp.Or(y, "unknown"))
	default:
		return fmt.Sprintf("The runtime differs: %s and %s.", x, y)
	}
}

// embedded reports whether the rules engine simulated the side.
func (s ComparisonSide) embedded() bool { return s.Target.Transport == Embedded }

// AgentRef identifies the data agent; its id is null for kinds without one.
type AgentRef struct {
	DataAgentID *uuid.UUID `json:"data_agent_id"`
}

// Target describes the answerer in detail, as far as it is known.
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
	// SnapshotID is the hash of the semantic model's definition.
	SnapshotID string `json:"snapshotId,omitempty"`
	// Who answered according to the files of an imported run; "" for other runs.
	Who string `json:"who,omitempty"`
	// Prices are those that the AI provider had when the side was asked; nil without.
	Prices *Prices `json:"prices,omitempty"`
}

// UseGenerateQuery makes the platform's Generate Query what writes the queries.
func (t *Target) UseGenerateQuery() { t.Transport = byGenerateQuery }

// UsesGenerateQuery reports whether the platform's Generate Query wrote the queries.
func (t *Target) UsesGenerateQuery() bool { return t.Transport == byGenerateQuery }

// TokenUsage is the number of tokens that a side's provider counted.
type TokenUsage struct {
	// InputTokens is how many tokens were sent.
	InputTokens int64 `json:"inputTokens"`
	// OutputTokens is how many tokens were answered.
	OutputTokens int64 `json:"outputTokens"`
}

// Plus returns the sum of both; nil when neither is known.
func (u *TokenUsage) Plus(o *TokenUsage) *TokenUsage {
	switch {
	case o == nil:
		return u
	case u == nil:
		return new(*o)
	}
	return &TokenUsage{u.InputTokens + o.InputTokens, u.OutputTokens + o.OutputTokens}
}

// Prices are what a provider takes for tokens: an amount of money for each million. The
// currency is the provider's.
type Prices struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
}

// Cost returns what the tokens cost; nil when the prices or the tokens are unknown.
func (p *Prices) Cost(u *TokenUsage) *float64 {
	if p == nil || u == nil {
		return nil
	}
	const million = 1e6
	return new((float64(u.InputTokens)*p.Input + float64(u.OutputTokens)*p.Output) / million)
}

// Spend sets what the side used and what it cost: all of its asks, also those of
// questions that do not count.
func (s *ComparisonSide) Spend(asks []Ask) {
	s.Usage = nil
	for _, a := range asks {
		s.Usage = s.Usage.Plus(a.Usage)
	}
	s.Cost = s.Target.Prices.Cost(s.Usage)
}

// ComparisonSide summarizes one side on the questions that count. Rates are null
// without a question.
type ComparisonSide struct {
	Name string `json:"side"` // "a" or "b"
	Side
	AnsweredBy      string `json:"answerer,omitempty"` // Answerer; absent in older results
	Questions       int    `json:"questions"`
	Asks            int    `json:"asks"` // including failed asks
	AsksPerQuestion int    `json:"asksPerQuestion"`
	Verdicts        Counts `json:"verdicts"` // counts of asks
	// Accuracy is the weighted mean of the questions' pass rates.
	Accuracy   *Rate     `json:"accuracy"`
	AccuracyCI *Interval `json:"accuracyCi"`
	// PassAll is the share of questions whose answered asks all passed, PassAny that of
	// questions with at least one ask that passed.
	PassAll        *Rate         `json:"passAll"`
	PassAny        *Rate         `json:"passAny"`
	MeanStability  *Rate         `json:"meanStability"`
	FlakyQuestions int           `json:"flakyQuestions"`
	Score          *int          `json:"score"` // accuracy as 0 to 100
	ResponseTime   *ResponseTime `json:"responseTime"`
}

// Counts counts asks by verdict.
type Counts struct {
	// Correct counts correct answers.
	Correct int `json:"correct"`
	// Incorrect counts wrong answers.
	Incorrect int `json:"incorrect"`
	// Unclear counts answers that could not be decided.
	Unclear int `json:"unclear"`
	// Refused counts questions that were not answered.
	Refused int `json:"refused"`
	// Error counts questions that failed.
	Error int `json:"error"`
}

// Count adds the verdicts of asks.
func (c *Counts) Count(asks []Ask) {
	for _, a := range asks {
		c.add(a.Verdict)
	}
}

func (c *Counts) add(v Verdict) {
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

// Interval is a 95 % interval of a rate: Wilson's score interval for X of N questions or clusters, Newcombe's of the
// difference of two, or a bootstrap interval.
type Interval struct {
	// Method is how it was computed.
	Method string `json:"method"`
	// Low is the lower end.
	Low Rate `json:"low"`
	// High is the upper end.
	High Rate `json:"high"`
	// Of is what the interval is of.
	Of string `json:"of,omitempty"`
	// X is the number of successes, where it is of a share.
	X *int `json:"x,omitempty"`
	// N is the number of trials, where it is of a share.
	N *int `json:"n,omitempty"`
}

// ResponseTime summarizes how long answers took, in ms. Percentiles are by nearest
// rank, so they are measured times.
type ResponseTime struct {
	// N is how many answers were timed.
	N int `json:"n"`
	// Errors is how many answers failed, which are not timed.
	Errors int `json:"errors"`
	// MeanMS is the mean, in milliseconds.
	MeanMS int64 `json:"meanMs"`
	// MedianMS is the median, in milliseconds.
	MedianMS int64 `json:"medianMs"`
	// P90MS is the 90th percentile, in milliseconds.
	P90MS int64 `json:"p90Ms"`
	// P95MS is the 95th percentile, in milliseconds.
	P95MS int64 `json:"p95Ms"`
	// MinMS is the shortest, in milliseconds.
	MinMS int64 `json:"minMs"`
	// MaxMS is the longest, in milliseconds.
	MaxMS int64 `json:"maxMs"`
	// Includes is what the times cover.
	Includes string `json:"includes"`
	// Excludes is what the times leave out.
	Excludes []string `json:"excludes"`
}

// WeighedTally is a question's tally on one side and its weight in accuracy, above 0.
type WeighedTally struct {
	Tally
	Weight float64
	// Cluster is shared by paraphrases of one question; "" for a question without any.
	Cluster string
}

// NewComparisonSide summarizes one side. questions must be the questions that count,
// each with an answer.
func NewComparisonSide(name string, who Side, questions []WeighedTally) ComparisonSide {
	if !who.Kind.isDataAgent() {
		who.AgentRef.DataAgentID, who.Target.ItemID = nil, nil
	}
	s := ComparisonSide{Name: name, Side: who, AnsweredBy: who.Answerer(), Questions: len(questions)}
	var times []int64
	var rates, stabilities, weights []float64
	all, any := 0, 0
	for _, q := range questions {
		s.Asks += len(q.Asks)
		s.AsksPerQuestion = max(s.AsksPerQuestion, len(q.Asks))
		for _, a := range q.Asks {
			s.Verdicts.add(a.Verdict)
			if a.Verdict != Errored {
				times = append(times, a.DurationMS)
			}
		}
		rates, weights = append(rates, float64(*q.PassRate)*q.Weight), append(weights, q.Weight)
		stabilities = append(stabilities, float64(*q.Stability))
		all += one(q.Passes == q.Answered)
		any += one(q.Passes > 0)
		s.FlakyQuestions += one(q.Flaky)
	}
	if who.Kind == Imported && slices.Contains(times, 0) { // the files do not say how long each answer took
		times = nil
	}
	s.ResponseTime = newResponseTime(times, s.Verdicts.Error)
	if len(questions) == 0 {
		return s
	}
	n := len(questions)
	accuracy := sum(rates) / sum(weights)
	s.Accuracy, s.Score = new(Rate(accuracy)), new(int(math.Floor(100*accuracy+0.5+1e-9)))
	correct, clusters := correctOf(questions)
	low, high := statistics.Wilson(correct, clusters)
	s.AccuracyCI = &Interval{"wilson95", Rate(low), Rate(high), counted(clusters, n), &correct, &clusters}
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

// sum adds the values in ascending order, so that their order does not affect the
// result.
func sum(values []float64) float64 {
	total := 0.0
	for _, v := range slices.Sorted(slices.Values(values)) {
		total += v
	}
	return total
}

// newResponseTime returns the summary of the times; nil when there is none.
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
		n, errors, milliseconds(total / float64(n)),
		statistics.NearestRank(times, 50), statistics.NearestRank(times, 90), statistics.NearestRank(times, 95), times[0],
		times[n-1],
		"ask_to_last_token", []string{"judging", "queue_wait_429", "retries_wait"},
	}
}
