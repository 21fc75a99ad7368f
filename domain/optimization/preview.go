package optimization

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/domain/proposal"
	"readiness/domain/readiness"
)

// Preview is the result of a preview operation: the document stored under its id, which
// is also the operation's id.
type Preview struct {
	PreviewID         uuid.UUID  `json:"previewId"`
	Kind              Kind       `json:"kind"`
	WorkspaceID       uuid.UUID  `json:"workspaceId"`
	SemanticModelID   uuid.UUID  `json:"semanticModelId"`
	SemanticModelName string     `json:"semanticModelName"`
	CreatedAt         time.Time  `json:"createdAtUtc"`
	ExpiresAt         time.Time  `json:"expiresAtUtc"`
	AssessmentID      *uuid.UUID `json:"assessmentId"`
	Changes           []Change   `json:"changes"`
	Skipped           []Skip     `json:"skipped"`
	// Flagged is how many texts or sections of an AI provider were dropped; Skipped says why.
	Flagged int `json:"flagged,omitempty"`
	// NothingToDo says why there are no changes; nil when there are any.
	NothingToDo *string `json:"nothingToDo"`
	// UsageInProposal says whether usage weighted the proposals and both scores.
	// UsageAccess is the person's access to the usage permission.
	UsageInProposal bool        `json:"usageInProposal"`
	UsageAccess     item.Access `json:"usageAccess"`
	// Reason is PermissionRequired when the account's AI provider is a data agent and
	// the person has not granted the permission to ask it; else nil.
	Reason      *string            `json:"reason"`
	Message     *string            `json:"message"`
	AgentAccess *item.Access       `json:"agentAccess,omitempty"`
	Provider    *proposal.Provider `json:"provider"`
	// Warnings say what was not done as the account chose: that its AI provider failed, and the embedded rules proposed instead; or that
	// reports could not be read. They also name the places of the model's files that cannot be understood or that Power BI refuses.
	Warnings  []string `json:"warnings,omitempty"`
	MaxLength *int     `json:"maxLength,omitempty"`
	// ExistingFolders are the display folders of each table (properties).
	ExistingFolders []TableFolders `json:"existingFolders,omitempty"`
	// RecommendedKeys are the keys that an apply without keys writes (aiDataSchema).
	RecommendedKeys []string `json:"recommendedKeys,omitempty"`
	// NeedsYourWords are objects that the provider cannot describe without a person.
	NeedsYourWords []NeededWords `json:"needsYourWords,omitempty"`
	// DimensionsThatFall are the dimensions with a lower score after every change. One
	// falls when what is judged changes: what is hidden no longer counts.
	DimensionsThatFall []FallingDimension `json:"dimensionsThatFall,omitempty"`
	// Dimensions are all dimensions without and with every change; nil where nothing was scored.
	Dimensions []ScoredDimension `json:"dimensions,omitempty"`
	// ScoreNow and ScoreAfter are the score without and with every change.
	ScoreNow   *int `json:"scoreNow"`
	ScoreAfter *int `json:"scoreAfter"`
}

// UnmarshalJSON reads the document of a preview. It leaves out what earlier versions
// proposed and this one does not write: to turn Q&A on.
func (p *Preview) UnmarshalJSON(text []byte) error {
	type document Preview
	if err := json.Unmarshal(text, (*document)(p)); err != nil {
		return err
	}
	before := len(p.Changes)
	p.Changes = slices.DeleteFunc(p.Changes, func(c Change) bool { return c.Property == rewrite.QnAEnabled })
	if before > 0 && len(p.Changes) == 0 {
		p.NothingToDo = new(nothing[p.Kind])
	}
	return nil
}

// Change is one proposed change of a preview. Current is nil when the object does not
// have the property.
type Change struct {
	Key         string              `json:"key"`
	Type        proposal.Type       `json:"type"`
	Table       string              `json:"table"`
	Object      string              `json:"object"`
	ObjectType  proposal.ObjectType `json:"objectType"`
	Property    rewrite.Property    `json:"property"`
	Current     *string             `json:"current"`
	Proposed    string              `json:"proposed"`
	Reason      string              `json:"reason"`
	Recommended bool                `json:"recommended"`
	// Origin is the request that an AI provider answered with the text; nil for other
	// changes.
	Origin *proposal.Origin `json:"origin,omitempty"`
	// ReviewRequired says why the change is not written unattended; "" if it may be.
	ReviewRequired string `json:"reviewRequired,omitempty"`
}

// Equals reports whether two changes set the same property to the same value for the same reason, so that a person decides about both at once.
func (c Change) Equals(d Change) bool {
	return c.Type == d.Type && c.Property == d.Property && c.Proposed == d.Proposed && c.Reason == d.Reason && c.ReviewRequired == d.ReviewRequired
}

// Target returns the property of an object that the change sets.
func (c Change) Target() rewrite.Target {
	return rewrite.Target{Property: c.Property, Table: c.Table, Name: c.Object}
}

// Skip is an object for which a preview proposes nothing, or which an apply or a revert
// did not change. Reason is one of the reasons of package proposal, or an error code.
type Skip struct {
	// Key names the object.
	Key    string `json:"key"`
	Reason string `json:"reason"`
	// Message is why, in words.
	Message string `json:"message" pii:"text"`
}

// NeededWords is a question to a person about an object, or about the model.
type NeededWords struct {
	Table      string              `json:"table"`
	Object     string              `json:"object"`
	ObjectType proposal.ObjectType `json:"objectType"`
	Question   string              `json:"question"`
	// Key is the key under which an apply takes the answer, Type what the answer writes, and Current the present text; nil for none. A
	// question without a key has no answer that can be written.
	Key     string        `json:"key,omitempty"`
	Type    proposal.Type `json:"type,omitempty"`
	Current *string       `json:"current,omitempty"`
}

// FallingDimension is a dimension whose score is lower after the changes. Its scores have 4
// decimals.
type FallingDimension struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	ScoreNow   float64 `json:"scoreNow"`
	ScoreAfter float64 `json:"scoreAfter"`
	// JudgedNow and JudgedAfter are how many objects its rules judge.
	JudgedNow   int `json:"judgedNow"`
	JudgedAfter int `json:"judgedAfter"`
}

// ScoredDimension is a dimension without and with every change. A score is nil where no rule applies.
type ScoredDimension struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	ScoreNow   *float64 `json:"scoreNow"`
	ScoreAfter *float64 `json:"scoreAfter"`
}

// Scored returns the dimensions of two assessments side by side.
func Scored(before, after readiness.Result) []ScoredDimension {
	all := make([]ScoredDimension, len(before.Dimensions))
	for i, d := range before.Dimensions {
		all[i] = ScoredDimension{d.ID, d.Name, d.Raw, after.Dimensions[i].Raw}
	}
	return all
}

// Falling returns the dimensions that score lower in an assessment than in an earlier one.
func Falling(before, after readiness.Result) []FallingDimension {
	judged := func(d readiness.Dimension) (n int) {
		for _, r := range d.Rules {
			n += r.Eligible
		}
		return n
	}
	var all []FallingDimension
	for i, d := range before.Dimensions {
		then := after.Dimensions[i]
		if d.Raw != nil && then.Raw != nil && *then.Raw < *d.Raw {
			all = append(all, FallingDimension{d.ID, d.Name, *d.Raw, *then.Raw, judged(d), judged(then)})
		}
	}
	return all
}

// TableFolders are the display folders of a table's measures.
type TableFolders struct {
	Table   string   `json:"table"`
	Folders []string `json:"folders"`
}

// instructionsKey is the key of the AI instructions.
const instructionsKey = "aiInstructions"

// KeyOf returns the key of an object in previews, applies and reverts: table|object, or
// table| for the table itself. The key of synonyms is their object's key with an ending.
func KeyOf(o proposal.Object) string {
	if o.Type == proposal.Model {
		return instructionsKey
	}
	return o.Table + "|" + o.Name
}

// SynonymsKey is the key of synonyms of the model, and the ending of those of an object:
// table|object|synonyms.
const SynonymsKey = "synonyms"

// KeyFor returns the key of a change of an object.
func KeyFor(t proposal.Type, o proposal.Object) string {
	if t == proposal.Synonyms {
		return KeyOf(o) + "|" + SynonymsKey
	}
	return KeyOf(o)
}

// leave completes a preview of what would be written over something that cannot be understood. score is the model's.
func (p *Preview) leave(why string, score *int) {
	p.Skipped = append(p.Skipped, Skip{string(p.Kind), string(proposal.NothingProposed), why})
	p.NothingToDo, p.ScoreNow, p.ScoreAfter = &why, score, score
}

// maxWarned bounds the warnings about what the model's files hold.
const maxWarned = 20

// warnOf adds warnings about what Power BI refuses in the model's files, and what cannot be understood there.
func (p *Preview) warnOf(m *semanticmodel.Model) {
	faults := m.Faults()
	for _, f := range faults[:min(len(faults), maxWarned)] {
		p.Warnings = append(p.Warnings, f.String())
	}
	if more := len(faults) - maxWarned; more > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d more places of the model's files have such faults", more))
	}
}

// notShown completes a preview of what would be written where the platform shows nothing, so that it could replace
// something. score is the model's.
func (p *Preview) notShown(score *int) {
	why := "the platform does not show the parts that prepare this model for AI, so nothing is proposed that could replace something " +
		"there; write it in Power BI Desktop"
	p.NothingToDo, p.ScoreNow, p.ScoreAfter = &why, score, score
}
