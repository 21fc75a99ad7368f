// Package asking asks what answers for a side of a benchmark or an A/B test: the
// four kinds of AI about a semantic model, each of which is given what that kind is
// given and nothing else (spec 2.11, answeredBy; regime A.0, C.6, D.2). Where the
// platform answers no questions, the embedded engine stands in for its assistant
// and its data agents. Every question is asked in a conversation of its own; none
// is remembered. It reads definitions as the person, decides no verdict and writes
// nothing.
package asking

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"readiness/ai"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/comparison"
	"readiness/domain/item"
	"readiness/domain/readiness"
)

// Options are what an Asker works with. Log may be nil; all else must be given.
type Options struct {
	// Definitions reads an item as the person; its refusals are the platform's.
	Definitions func(ctx context.Context, as item.Caller, it item.Item) (definition.Definition, error)
	Providers   Providers
	// Models asks the language models.
	Models *ai.Proposer
	Now    func() time.Time
	Log    *slog.Logger
}

// Providers are the AI providers that accounts saved.
type Providers interface {
	// Get returns a provider of the account; it refuses AiProviderNotFound and
	// AiCredentialNotFound.
	Get(ctx context.Context, accountID, providerID string) (aiprovider.Settings, error)
	// ForPurpose returns the account's oldest language model that may be asked for the
	// purpose, none of except; false when there is none. It refuses AiCredentialNotFound
	// where its key does not open.
	ForPurpose(ctx context.Context, accountID string, purpose aiprovider.Purpose, except ...string) (aiprovider.Settings, bool, error)
}

// Asker asks. It may be used by many at once.
type Asker struct{ Options }

// New returns an asker. It asks nothing yet.
func New(o Options) *Asker {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Asker{o}
}

// Ask asks one question in a fresh conversation. It may be called by many at once;
// no more are under way than the provider's limits say. A question that has no
// answer after all attempts is a Reply with a Failure; the error is the context's,
// or a refusal that keeps the whole side from answering.
type Ask = func(ctx context.Context, question string) (benchmark.Reply, error)

// Open reads, as the person, what the side's kind of AI may see of its semantic
// model, as it is now, and returns who is asked and what asks. A *domain.Refusal
// keeps the whole side from answering: the platform's and the providers' own,
// ItemNotReadable for what cannot answer about the model, BenchmarkRunFailed for a
// provider that cannot be asked.
func (a *Asker) Open(ctx context.Context, as item.Caller, side benchmark.Side) (about comparison.Target, ask Ask, err error) {
	v, err := a.look(ctx, as, side)
	if err != nil {
		return v.about, nil, err
	}
	if v.by.IsEmbedded() {
		about, ask = a.embedded(v)
		return about, ask, nil
	}
	return a.languageModel(v)
}

// view is what a side sees of its semantic model, and by what it is answered.
type view struct {
	sight
	about comparison.Target
	// by is a language model, or the embedded engine.
	by aiprovider.Settings
}

// look reads what the side's kind sees.
func (a *Asker) look(ctx context.Context, as item.Caller, side benchmark.Side) (v view, err error) {
	switch kind := side.AnsweredBy.Kind; kind {
	case comparison.PlatformAssistant:
		return a.assistant(ctx, as, side)
	case comparison.DataAgent:
		return a.agent(ctx, as, side, agentOf(side), publishedStage)
	case comparison.ServiceTestAgent:
		return a.testAgent(ctx, as, side)
	case comparison.GenericAgent:
		return a.generic(ctx, as, side)
	default:
		return v, fmt.Errorf("asking: a side is answered by %q, which no version of this program asks", kind)
	}
}

// assistant is the platform's: it sees what is prepared for AI.
func (a *Asker) assistant(ctx context.Context, as item.Caller, side benchmark.Side) (view, error) {
	m, about, err := a.model(ctx, as, side)
	if err != nil {
		return view{about: about}, err
	}
	return view{sight: sight{readiness.Expose(m), seenOfDescriptions}, about: about}, nil
}

// generic is a saved provider that knows the model's metadata and nothing of what
// prepares the model for AI. One that is a data agent answers as that does.
func (a *Asker) generic(ctx context.Context, as item.Caller, side benchmark.Side) (v view, err error) {
	settings, err := a.Providers.Get(ctx, as.Account, side.AnsweredBy.ProviderID)
	if err != nil {
		return v, err
	}
	if settings.IsDataAgent() {
		agent := item.Item{ID: settings.DataAgentID, Type: item.DataAgent, WorkspaceID: settings.WorkspaceID, DisplayName: settings.Name}
		v, err = a.agent(ctx, as, side, agent, publishedStage)
		err = unnamed(err, settings)
	} else {
		var m *semanticmodel.Model
		if m, v.about, err = a.model(ctx, as, side); err != nil {
			return v, err
		}
		v.sight, v.by = sight{Exposure: readiness.ExposeUnprepared(m)}, settings
	}
	v.about.ProviderID = settings.ProviderID
	return v, err
}

// unnamed is a refusal that calls the data agent of a provider by the provider's
// name: a side of that kind names no data agent anywhere (spec 2.11).
func unnamed(err error, settings aiprovider.Settings) error {
	refusal, refused := domain.Refused(err)
	if !refused {
		return err
	}
	return domain.Refuse(refusal.Code, "%s", strings.ReplaceAll(refusal.Message, settings.DataAgentID.String(), settings.Name)).After(refusal.RetryAfter)
}

// model reads the side's semantic model as the person.
func (a *Asker) model(ctx context.Context, as item.Caller, side benchmark.Side) (*semanticmodel.Model, comparison.Target, error) {
	about := comparison.Target{WorkspaceID: new(side.WorkspaceID), SemanticModelID: new(side.SemanticModelID)}
	d, err := a.Definitions(ctx, as, item.Item{
		ID: side.SemanticModelID, Type: item.SemanticModel, WorkspaceID: side.WorkspaceID, DisplayName: side.SemanticModelName,
	})
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

// agentOf is the data agent that answers for the side; its workspace is the model's
// where the side names none.
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
