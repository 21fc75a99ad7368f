package webhook

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/internal/lists"
)

// Message is what a webhook is told.
type Message struct {
	Kind Kind      `json:"kind"`
	At   time.Time `json:"atUtc"`
	// Subject is the item, operation or allowance that it is about.
	Subject string `json:"subject"`
	Data    Data   `json:"data"`
}

// Data are the members of a message; which ones depends on its kind. There is no text of a model, no person and no message of an error.
type Data struct {
	WorkspaceID   *uuid.UUID `json:"workspaceId,omitempty"`
	WorkspaceName string     `json:"workspaceName,omitempty"`
	ItemID        *uuid.UUID `json:"itemId,omitempty"`
	ItemName      string     `json:"itemName,omitempty"`
	ItemType      item.Type  `json:"itemType,omitempty"`
	AssessmentID  *uuid.UUID `json:"assessmentId,omitempty"`
	Score         *int       `json:"score,omitempty"`
	PreviousScore *int       `json:"previousScore,omitempty"`
	// FailUnder is the gate that the score fails, and Fell are the dimensions whose scores fell with it.
	FailUnder *int              `json:"failUnder,omitempty"`
	Fell      []FallenDimension `json:"fell,omitempty"`
	// AIFormat is the format of what the model tells an AI.
	AIFormat semanticmodel.AIFormat `json:"aiFormat,omitempty"`
	// SchemaValid says whether every linguistic schema can be read; one that cannot stops an upgrade. It is nil if that was not recorded.
	SchemaValid   *bool            `json:"linguisticSchemaValid,omitempty"`
	OperationID   *uuid.UUID       `json:"operationId,omitempty"`
	OperationType operation.Type   `json:"operationType,omitempty"`
	Status        operation.Status `json:"status,omitempty"`
	ErrorCode     domain.Code      `json:"errorCode,omitempty"`
	Allowance     account.Kind     `json:"allowance,omitempty"`
	Used          *int             `json:"used,omitempty"`
	Limit         *int             `json:"limit,omitempty"`
	PeriodEndsAt  *time.Time       `json:"periodEndsAtUtc,omitempty"`
	Period        account.Period   `json:"period,omitempty"`
	WebhookID     *uuid.UUID       `json:"webhookId,omitempty"`
	// ConsoleURL is the address of the console's page; it is set when the message is sent.
	ConsoleURL string `json:"consoleUrl,omitempty"`
}

// FallenDimension is a dimension whose score is lower than before.
type FallenDimension struct {
	Dimension     string `json:"dimension"`
	Score         int    `json:"score"`
	PreviousScore int    `json:"previousScore"`
}

// Fell returns the message about an assessment whose score is lower than before: the newest earlier score that rests on the same. It is
// false for another assessment.
func Fell(a assessment.Assessment, before *int, at time.Time) (Message, bool) {
	if a.Score == nil || before == nil || *a.Score >= *before {
		return Message{}, false
	}
	d := assessed(a)
	d.Score, d.PreviousScore = a.Score, before
	return Message{ScoreFell, at, a.ModelID.String(), d}, true
}

// Failed returns the message about an assessment whose score fails the webhook's gate. before is the item's newest earlier assessment with a
// score, nil if there is none. It is false for another assessment, and if before failed the gate too since the webhook was last changed.
func (w Webhook) Failed(a assessment.Assessment, before *assessment.Assessment, at time.Time) (Message, bool) {
	fails := func(of *int) bool { return of != nil && w.FailUnder != nil && *of < *w.FailUnder }
	if !fails(a.Score) || before != nil && fails(before.Score) && !before.AssessedAt.Before(w.ChangedAt) {
		return Message{}, false
	}
	d := assessed(a)
	d.Score, d.FailUnder = a.Score, w.FailUnder
	if before != nil && before.Basis().Comparable(a.Basis()) {
		d.PreviousScore, d.Fell = before.Score, fell(before.Dimensions, a.Dimensions)
	}
	return Message{GateFailed, at, a.ModelID.String(), d}, true
}

// fell returns the dimensions whose scores are lower than before, by their ids.
func fell(before, now map[string]*int) (all []FallenDimension) {
	for _, id := range slices.Sorted(maps.Keys(now)) {
		if was, is := before[id], now[id]; was != nil && is != nil && *is < *was {
			all = append(all, FallenDimension{id, *is, *was})
		}
	}
	return all
}

// Linguistic returns the message about an assessment of a model that has a linguistic schema, which retires with Q&A, and had none before:
// before is the format of the newest earlier assessment that knows it. It is false for another assessment.
func Linguistic(a assessment.Assessment, before semanticmodel.AIFormat, at time.Time) (Message, bool) {
	if !a.AIFormat.Linguistic() || before.Linguistic() {
		return Message{}, false
	}
	d := assessed(a)
	d.AIFormat = a.AIFormat
	if a.LeavingQnA != nil {
		d.SchemaValid = new(a.LeavingQnA.Invalid == "")
	}
	return Message{LinguisticFound, at, a.ModelID.String(), d}, true
}

// assessed returns the members of a message about an assessment.
func assessed(a assessment.Assessment) Data {
	d := Data{WorkspaceID: &a.WorkspaceID, WorkspaceName: a.WorkspaceName, ItemID: &a.ModelID, ItemName: a.ModelName, ItemType: item.SemanticModel,
		AssessmentID: &a.AssessmentID, OperationID: &a.OperationID}
	if a.DataAgent != nil {
		d.ItemType = item.DataAgent
	}
	return d
}

// Unassessed is an item of a run whose assessment failed.
type Unassessed struct {
	OperationID, WorkspaceID, ItemID uuid.UUID
	WorkspaceName, ItemName          string
	Type                             operation.Type
}

// NotAssessed returns the message about an item whose assessment failed.
func NotAssessed(of Unassessed, code domain.Code, at time.Time) Message {
	d := Data{WorkspaceID: &of.WorkspaceID, WorkspaceName: of.WorkspaceName, ItemID: &of.ItemID, ItemName: of.ItemName, ItemType: item.SemanticModel,
		OperationID: &of.OperationID, ErrorCode: code}
	if of.Type == operation.AssessDataAgent {
		d.ItemType = item.DataAgent
	}
	return Message{AssessmentFailed, at, of.ItemID.String(), d}
}

// Ended returns the message about an operation that ended. code is why it failed; empty unless it did.
func Ended(id uuid.UUID, of operation.Type, on operation.Resource, status operation.Status, code domain.Code, at time.Time) Message {
	return Message{OperationEnded, at, id.String(), Data{WorkspaceID: &on.WorkspaceID, ItemID: on.ItemID, ItemType: on.ItemType,
		OperationID: &id, OperationType: of, Status: status, ErrorCode: code}}
}

// lowAt is the part of an allowance, in percent, that makes it low.
const lowAt = 80

// Low returns the message about an allowance that this spending makes low. It is false if it was low before, or is not, or has no limit.
func Low(e account.Spent, of account.Allowance, at time.Time) (Message, bool) {
	if of.Limit == nil {
		return Message{}, false
	}
	low := func(used int) bool { return used*100 >= *of.Limit*lowAt }
	if !low(e.Used) || low(e.Used-e.Amount) {
		return Message{}, false
	}
	d := Data{Allowance: e.Kind, Used: &e.Used, Limit: of.Limit, Period: of.Period}
	if ends, does := of.Period.Ends(at); does {
		d.PeriodEndsAt = &ends
	}
	return Message{AllowanceLow, at, string(e.Kind), d}, true
}

// Tried returns the test message of a webhook.
func Tried(id uuid.UUID, at time.Time) Message {
	return Message{Test, at, id.String(), Data{WebhookID: &id}}
}

// item returns the name of the item, or its id.
func (d Data) item() string {
	switch {
	case d.ItemName != "" && d.WorkspaceName != "":
		return fmt.Sprintf("%s (%s)", plain(d.ItemName), plain(d.WorkspaceName))
	case d.ItemName != "":
		return plain(d.ItemName)
	case d.ItemID != nil:
		return d.ItemID.String()
	case d.WorkspaceID != nil:
		return "workspace " + d.WorkspaceID.String()
	}
	return ""
}

// page returns the path of the console's page about the message; "" if there is none.
func (m Message) page() string {
	d := m.Data
	switch {
	case m.Kind == Test:
		return "/admin/webhooks/" + m.Subject
	case m.Kind == AllowanceLow:
		return "/admin"
	case m.Kind == OperationEnded, d.ItemType == item.DataAgent: // a data agent has no page of its own
		return "/operations/" + d.OperationID.String()
	case d.WorkspaceID != nil && d.ItemID != nil:
		return "/models/" + d.WorkspaceID.String() + "/" + d.ItemID.String()
	}
	return ""
}

// Sentence returns the message as a sentence for people.
func (m Message) Sentence() string {
	d := m.Data
	switch m.Kind {
	case ScoreFell:
		return fmt.Sprintf("The score of %s fell from %d to %d.", d.item(), *d.PreviousScore, *d.Score)
	case GateFailed:
		text := fmt.Sprintf("%s fails the gate: its score is %d, below %d", d.item(), *d.Score, *d.FailUnder)
		if d.PreviousScore != nil {
			text += fmt.Sprintf("; before, it was %d", *d.PreviousScore)
		}
		if len(d.Fell) > 0 {
			text += ". Lower than before: " + strings.Join(lists.Map(d.Fell, func(f FallenDimension) string {
				return fmt.Sprintf("%s %d (was %d)", f.Dimension, f.Score, f.PreviousScore)
			}), ", ")
		}
		return text + "."
	case LinguisticFound:
		return fmt.Sprintf("%s has a linguistic schema, which retires with Q&A.", d.item())
	case AssessmentFailed:
		return fmt.Sprintf("The assessment of %s failed: %s.", d.item(), d.ErrorCode)
	case OperationEnded:
		text := fmt.Sprintf("%s ended: %s", d.OperationType, d.Status)
		if d.ErrorCode != "" {
			text += fmt.Sprintf(" (%s)", d.ErrorCode)
		}
		return text + fmt.Sprintf(". Item: %s.", d.item())
	case AllowanceLow:
		text := fmt.Sprintf("%d of %d %s are used.", *d.Used, *d.Limit, d.Allowance)
		if d.PeriodEndsAt != nil {
			text += fmt.Sprintf(" The allowance starts again at %s.", d.PeriodEndsAt.Format(time.RFC3339))
		}
		return text
	case Test:
		return "This is a test message."
	}
	return string(m.Kind)
}
