package readiness

import (
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/finding"
)

// Result is the result of an assessment: the report member of the stored document
// (docs/specification.md 2.9). Score and Raw are null when no table is exposed.
type Result struct {
	Regime string `json:"regime"`
	Scores
	Weighting Weighting `json:"weighting"`
	// Unweighted are the scores computed without usage, so that there is a trend when
	// usage is missing. Without a usage map they equal Scores.
	Unweighted Scores `json:"unweighted"`
	// Caps are the ids of the caps that hold, whether or not they lower the score.
	Caps []string `json:"caps"`
	// AIFormat is the format of what a semantic model tells an AI; "" for a data agent, and where the platform does not show it.
	AIFormat   semanticmodel.AIFormat `json:"ai_format,omitempty"`
	Dimensions []Dimension            `json:"dimensions"`
	// Findings are sorted by points lost, most first.
	Findings []Finding `json:"findings"`
	// Sources are the scored sources of a data agent, and UnscoredSources the ids of
	// its other sources; both are nil for a semantic model.
	Sources         []ScoredSource `json:"sources,omitempty"`
	UnscoredSources []string       `json:"unscored_sources,omitempty"`
	// NotAssessable are rules that could not judge, and ScoreComplete says that there are
	// none. Regimes that do not know such rules leave both nil. Scores that lack rules
	// are compared only with scores that lack the same ones.
	NotAssessable []NotAssessable `json:"not_assessable,omitempty"`
	ScoreComplete *bool           `json:"score_complete,omitempty"`
	// Refused are places of the files, as file:line:column: what is wrong, for which Power BI refuses a model. They cost no points.
	Refused []string `json:"refused,omitempty"`
	// Own says how a team's own rules ended; nil without any.
	Own []OwnOutcome `json:"own_rules,omitempty"`
	// Model counts the objects; for a data agent those of all scored sources.
	Model Counts `json:"-"`
}

// Scores are the forms of one overall score; null when there is none. Raw values have 4
// decimals.
type Scores struct {
	// Score is 0 to 100: the raw score as an integer.
	Score *int `json:"overall_score"`
	// Raw is the score after caps. RawUncapped, to which impacts refer, is the score
	// before.
	Raw         *float64 `json:"raw_score"`
	RawUncapped *float64 `json:"raw_uncapped"`
}

// NotAssessable are rules that could not judge a semantic model.
type NotAssessable struct {
	// SourceModelID is the id of a data agent's source, as in Key.
	SourceModelID string   `json:"source_model_id,omitempty"`
	RuleIDs       []string `json:"rule_ids"`
	Why           string   `json:"why"`
}

// Weighting says whether usage of the semantic model affected the score. Scores
// with different weighting or regime are never compared.
type Weighting string

// The weightings.
const (
	Unweighted      Weighting = "none"
	WeightedByUsage Weighting = "usage"
)

// Dimension is the score of one dimension; null when none of its rules applies.
type Dimension struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Score  *int     `json:"score"`
	Raw    *float64 `json:"raw_score"`
	Weight float64  `json:"weight"`
	Rules  []Rule   `json:"rules"`
}

// Rule is the result of one rule.
type Rule struct {
	ID string `json:"id"`
	// Score is R of docs/regime.md, from 0 to 1 with 4 decimals; null when no object is
	// eligible.
	Score *float64 `json:"score"`
	// Weight is k, the weight inside the dimension.
	Weight   float64 `json:"weight"`
	Eligible int     `json:"eligible"`
	Failing  int     `json:"failing"`
	Ignored  int     `json:"ignored,omitempty"`
}

// Finding is everything that one dimension reports about one object. Dimension and Key
// together are unique in a Result.
type Finding struct {
	Dimension string `json:"dimension"`
	finding.Key
	ObjectType finding.ObjectType `json:"object_type"`
	RuleIDs    []string           `json:"rule_ids"`
	Severity   finding.Severity   `json:"severity"`
	// Violation is the largest violation of its rules, above 0 and at most 1.
	Violation float64 `json:"violation"`
	// Impact is how many points of the uncapped score the finding costs. The impacts of
	// all findings add up to 100 minus that score.
	Impact float64 `json:"impact"`
	// Message names the object and says what to do; Evidence says what was found.
	Message  string `json:"message"`
	Evidence string `json:"evidence"`
	// FixKind is the first of FixKinds.
	FixKind  finding.FixKind   `json:"fix_kind"`
	FixKinds []finding.FixKind `json:"fix_kinds"`
}

// ScoredSource is a scored semantic model of a data agent.
type ScoredSource struct {
	SourceModelID string `json:"source_model_id"`
	Name          string `json:"name"`
	Tables        int    `json:"tables"`
	Columns       int    `json:"columns"`
	Measures      int    `json:"measures"`
	// HiddenExposed is true when the agent sees fields that the model hides.
	HiddenExposed bool `json:"hidden_exposed"`
}

// Counts are the numbers of objects after dropping, and of exposed objects among them.
type Counts struct {
	Tables          int `json:"tables"`
	Columns         int `json:"columns"`
	Measures        int `json:"measures"`
	Relationships   int `json:"relationships"`
	ExposedTables   int `json:"exposed_tables"`
	ExposedColumns  int `json:"exposed_columns"`
	ExposedMeasures int `json:"exposed_measures"`
	VerifiedAnswers int `json:"verified_answers"`
}
