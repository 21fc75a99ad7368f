// Package answerer asks the AI that answers for a side of a benchmark or an A/B test. Each of the four
// kinds of AI gets exactly the part of the semantic model that its kind gets. Where the platform
// answers no questions, the embedded engine replaces its assistant and its data agents. Every question
// is asked in a new conversation; none is cached. The package reads definitions as the person, decides
// no verdict and writes nothing.
package answerer

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/ai"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/verdict"
)

// Options configure an Asker. All but Rows, Agents, Generator and Log are required.
type Options struct {
	// Definitions reads an item as the person; its refusals come from the platform.
	Definitions func(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error)
	Providers   Providers
	// Rows runs a DAX query on a semantic model as the person; nil where nothing runs queries. The embedded engine reads values of
	// columns with it.
	Rows func(ctx context.Context, as item.Caller, workspaceID, modelID uuid.UUID, dax string) (verdict.ResultSet, error)
	// Agents asks data agents at the platform; nil where none can be asked.
	Agents Agents
	// Generator writes the queries of the platform's assistant, which is experimental; nil for the embedded engine.
	Generator Generator
	// Models has the clients of the language models.
	Models *ai.Proposer
	Now    func() time.Time
	Log    *slog.Logger
}

// Providers are the AI providers that accounts saved.
type Providers interface {
	// Get returns a provider of the account. It refuses with AiProviderNotFound or
	// AiCredentialNotFound.
	Get(ctx context.Context, accountID, providerID string) (aiprovider.Settings, error)
	// ForPurpose returns the account's oldest language model that may be asked for the purpose and is
	// not in except; false when there is none. It refuses with AiCredentialNotFound when its key
	// cannot be decrypted.
	ForPurpose(ctx context.Context, accountID string, purpose aiprovider.Purpose, except ...string) (aiprovider.Settings, bool, error)
}

// Agents are the published data agents of a platform.
type Agents interface {
	// CanAskAgents reports whether the agent can be asked where it is, for the person.
	CanAskAgents(ctx context.Context, as item.Caller, agent item.Item) (bool, error)
	// AskAgent asks one question in a new conversation and returns the answer, a text, and how long it took. A refusal with
	// PlatformUnavailable means that there is no answer to this question; another one that the agent cannot be asked at all.
	AskAgent(ctx context.Context, as item.Caller, agent item.Item, question string) (text string, took time.Duration, err error)
}

// Generator is a tool of a platform that writes queries.
type Generator interface {
	// SupportsGenerateQuery reports whether the tool can be asked where the model is. It refuses if the platform does not offer it to the person.
	SupportsGenerateQuery(ctx context.Context, as item.Caller, model item.Item) (bool, error)
	// GenerateQuery returns a query for a question about some tables of a model, "" if none was understood, and how long it took.
	// Its refusals are like those of AskAgent.
	GenerateQuery(ctx context.Context, as item.Caller, model item.Item, question string, tables []item.SelectedTable) (dax string, took time.Duration,
		err error)
}

// Asker asks questions for the sides of benchmarks and A/B tests. It is safe for concurrent use.
type Asker struct{ Options }

// New returns an asker. It sends no request yet.
func New(o Options) *Asker {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Asker{o}
}

// Ask asks one question in a new conversation. It is safe for concurrent use; the provider's limits
// bound the calls in flight. A question without an answer after all attempts is a Reply with a
// Failure. An error is the context's, or a refusal that keeps the entire side from answering.
type Ask = func(ctx context.Context, question string) (benchmark.Reply, error)

// Open reads, as the person, the part of the current semantic model that the side's kind of AI may
// see. It returns the target that is asked, the entire model, and a function to ask it. A *domain.Refusal keeps the
// entire side from answering: the platform's and the providers' own, ItemNotReadable for an item that
// cannot answer about the model, BenchmarkRunFailed for a provider that cannot be asked.
func (a *Asker) Open(ctx context.Context, as item.Caller, side benchmark.Side) (about verdict.Target, m *semanticmodel.Model,
	ask Ask, err error) {
	if side.AnsweredBy.Imported() { // nobody is asked: its answers are known
		m, about, err := a.model(ctx, as, side)
		return about, m, nil, err
	}
	v, err := a.look(ctx, as, side)
	if err != nil {
		return v.about, nil, nil, err
	}
	there, generates := false, false
	switch {
	case v.agent != nil && a.Agents != nil:
		there, err = a.Agents.CanAskAgents(ctx, as, *v.agent)
	case side.AnsweredBy.Kind == verdict.PlatformAssistant && a.Generator != nil:
		generates, err = a.Generator.SupportsGenerateQuery(ctx, as, modelOf(side))
	}
	if err != nil {
		return v.about, nil, nil, err
	}
	switch {
	case there:
		about, ask = a.dataAgent(as, v)
	case generates:
		about, ask = a.generated(as, modelOf(side), v)
	case v.by.IsEmbedded():
		about, ask = a.embedded(as, v)
	default:
		about, ask, err = a.languageModel(v)
	}
	return about, v.model, ask, err
}

// view is the part of its semantic model that a side sees, and the AI that answers.
type view struct {
	sight
	about verdict.Target
	model *semanticmodel.Model
	// by is a language model or the embedded engine.
	by aiprovider.Settings
	// agent is the data agent whose published stage answers, configured the hash of its definition, and runtime what the stage selects; nil
	// if none does.
	agent               *item.Item
	configured, runtime string
	// hidden is the provider whose name replaces the agent's id; nil if the agent is named.
	hidden *aiprovider.Settings
}

// look reads the view of the side's kind.
func (a *Asker) look(ctx context.Context, as item.Caller, side benchmark.Side) (v view, err error) {
	switch kind := side.AnsweredBy.Kind; kind {
	case verdict.PlatformAssistant:
		return a.assistant(ctx, as, side)
	case verdict.DataAgent:
		return a.agent(ctx, as, side, agentOf(side), publishedStage)
	case verdict.ServiceTestAgent:
		return a.testAgent(ctx, as, side)
	case verdict.GenericAgent:
		return a.generic(ctx, as, side)
	default:
		return v, fmt.Errorf("asking: a side is answered by %q, which this program does not support", kind)
	}
}

// assistant returns the view of the platform's assistant: it sees the parts that are prepared for AI.
func (a *Asker) assistant(ctx context.Context, as item.Caller, side benchmark.Side) (view, error) {
	m, about, err := a.model(ctx, as, side)
	if err != nil {
		return view{about: about}, err
	}
	return view{sight: sight{readiness.Expose(m), seenOfDescriptions}, about: about, model: m}, nil
}

// generic returns the view of a saved provider. It sees the model's metadata without the parts that
// prepare the model for AI. A provider that is a data agent answers like that agent.
func (a *Asker) generic(ctx context.Context, as item.Caller, side benchmark.Side) (v view, err error) {
	settings, err := a.Providers.Get(ctx, as.Account, side.AnsweredBy.ProviderID)
	if err != nil {
		return v, err
	}
	if settings.IsDataAgent() {
		agent := item.Item{ID: settings.DataAgentID, Type: item.DataAgent, WorkspaceID: settings.WorkspaceID, DisplayName: settings.Name}
		v, err = a.agent(ctx, as, side, agent, publishedStage)
		err, v.hidden = unnamed(err, settings), &settings
	} else {
		if v.model, v.about, err = a.model(ctx, as, side); err != nil {
			return v, err
		}
		v.sight, v.by = sight{Exposure: readiness.VisibleFields(v.model)}, settings
	}
	v.about.ProviderID = settings.ProviderID
	return v, err
}

// unnamed replaces the data agent's id in a refusal by the name of the provider: a side of this kind
// never names a data agent.
func unnamed(err error, settings aiprovider.Settings) error {
	refusal, refused := domain.Refused(err)
	if !refused {
		return err
	}
	return domain.Refuse(refusal.Code, "%s", strings.ReplaceAll(refusal.Message, settings.DataAgentID.String(),
		settings.Name)).After(refusal.RetryAfter)
}

// model reads the side's semantic model as the person.
func (a *Asker) model(ctx context.Context, as item.Caller, side benchmark.Side) (*semanticmodel.Model, verdict.Target, error) {
	about := verdict.Target{WorkspaceID: new(side.WorkspaceID), SemanticModelID: new(side.SemanticModelID)}
	d, err := a.Definitions(ctx, as, modelOf(side))
	if err != nil {
		return nil, about, err
	}
	m, err := semanticmodel.Read(d)
	if err != nil {
		return nil, about, domain.Refuse(domain.ItemNotReadable, "the definition of the semantic model cannot be read: %s", err).
			About("semanticModelId", side.SemanticModelID)
	}
	about.SnapshotID = d.Hash()
	return m, about, nil
}

// modelOf returns the semantic model of the side.
func modelOf(side benchmark.Side) item.Item {
	return item.Item{ID: side.SemanticModelID, Type: item.SemanticModel, WorkspaceID: side.WorkspaceID, DisplayName: side.SemanticModelName}
}

// agentOf returns the data agent that answers for the side. If the side names no workspace for it, it is in
// the model's.
func agentOf(side benchmark.Side) item.Item {
	by := side.AnsweredBy
	it := item.Item{Type: item.DataAgent, WorkspaceID: side.WorkspaceID, DisplayName: by.DataAgentName}
	if by.DataAgentID != nil {
		it.ID = *by.DataAgentID
	}
	if by.DataAgentWorkspaceID != nil {
		it.WorkspaceID = *by.DataAgentWorkspaceID
	}
	return it
}
