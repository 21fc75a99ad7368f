// Package ai proposes texts for semantic models with the provider that an account chose: the embedded
// rules, a language model behind an OpenAI-compatible interface, or a data agent. It reads no account
// and writes nothing. Callers decide who may ask a provider.
package ai

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"readiness/ai/openai"
	"readiness/ai/rules"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/proposal"
	"readiness/internal/lists"
)

// Options configure a Proposer. The zero value is ready to use.
type Options struct {
	// Client calls providers that may have any address (see PrivateAddresses). Redirects are
	// never followed.
	Client *http.Client
	// PrivateAddresses allows providers saved by accounts in the service's own network. Providers of
	// the accounts file may always have any address.
	PrivateAddresses bool
	// Getenv returns a key by the name of its environment variable; os.Getenv when nil.
	Getenv func(string) string
	Log    *slog.Logger
	// Wait pauses between attempts. It returns early with the context's error.
	Wait func(context.Context, time.Duration) error
	// Tokens opens credentials of Microsoft Entra; without it, providers that need one are refused.
	Tokens openai.Tokens
	// Observe, if not nil, is called after each request to a language model with how it ended and how long it took.
	Observe func(aiprovider.Kind, openai.Outcome, time.Duration)
}

// maxClients bounds the cached clients, each with its provider's capabilities and answers.
const maxClients = 64

// Proposer proposes texts with the provider that an account chose. It is safe for concurrent use.
type Proposer struct {
	options Options

	mu      sync.Mutex
	clients map[openai.Settings]*openai.Client
}

// New returns a proposer. It sends no request yet.
func New(o Options) *Proposer {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Observe == nil {
		o.Observe = func(aiprovider.Kind, openai.Outcome, time.Duration) {}
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Proposer{options: o, clients: map[openai.Settings]*openai.Client{}}
}

// Propose asks the provider of the settings. The answer has every requested object exactly once, as a
// proposal or as skipped. If nothing is proposed for AI instructions or the AI data schema, the model
// itself is skipped; if no synonyms are proposed, the answer is empty.
//
// Display folders come from the measures' names first; the provider gets only the remaining measures.
// The embedded rules always choose the AI data schema and its synonyms, so that the same model always
// gives the same schema. AI instructions from the provider that do not meet the rules are replaced by those of the
// rules.
//
// A provider that cannot be asked, or does not answer at all, does not prevent proposals: those of the embedded rules are used instead,
// and Warning says why. The error is the context's, or a *domain.Refusal with the code OptimizationFailed for a
// type of proposal that nothing proposes.
func (p *Proposer) Propose(ctx context.Context, s aiprovider.Settings, ask proposal.Ask) (proposal.Answer, error) {
	a, err := p.Ask(ctx, s, ask)
	refusal, refused := domain.Refused(err)
	if !refused || ctx.Err() != nil || !slices.Contains(fallible, ask.Type) {
		return a, err
	}
	p.options.Log.WarnContext(ctx, "an AI provider proposes nothing; the embedded rules do", "type", ask.Type, "error", err)
	a = rules.Propose(ask)
	a.Warning = proposal.Replaced(refusal.Message)
	for i := range a.Proposals {
		a.Proposals[i].Reason += " By the embedded rules, because the AI provider failed."
	}
	return a, nil
}

// fallible are the types of proposals that a provider makes.
var fallible = []proposal.Type{proposal.Description, proposal.DisplayFolder, proposal.AIInstructions}

// Ask is Propose without the fallback to the embedded rules when a provider fails. The error is the context's, or a
// *domain.Refusal with the code OptimizationFailed when the provider cannot be asked or does not answer at all.
func (p *Proposer) Ask(ctx context.Context, s aiprovider.Settings, ask proposal.Ask) (proposal.Answer, error) {
	s = withDefaults(s)
	inSchema := ask.Type == proposal.AIDataSchema || ask.Type == proposal.Synonyms
	if s.IsEmbedded() || inSchema && !s.IsDataAgent() {
		return rules.Propose(ask), nil
	}
	a := proposal.Answer{Provider: providerOf(s)}
	if over := len(ask.Objects) - ask.Limit; ask.Limit > 0 && over > 0 {
		ask.Objects, a.More = ask.Objects[:ask.Limit], over // each object costs a part of a request
	}
	if ask.Type == proposal.DisplayFolder {
		a.Proposals = rules.Folders(ask.Model, ask.Objects)
		ask.Objects = without(ask.Objects, a.Proposals)
	}
	if s.IsDataAgent() {
		a.Skipped = noAgent(ask)
		return a, nil
	}
	if len(ask.Objects) == 0 && ask.Type != proposal.AIInstructions {
		return a, nil
	}
	c, err := p.client(s)
	if err != nil {
		return proposal.Answer{}, err
	}
	var proposals []proposal.Proposal
	switch ask.Type {
	case proposal.Description:
		proposals, a.Skipped, err = c.Describe(ctx, ask.Model, ask.Objects)
		a.Questions = questions(ask.Model, a.Skipped)
	case proposal.DisplayFolder:
		proposals, a.Skipped, err = c.Place(ctx, ask.Model, ask.Objects, values(a.Proposals))
	case proposal.AIInstructions:
		proposals, a.Skipped, err = instruct(ctx, c, ask)
	default:
		return proposal.Answer{}, domain.Refuse(domain.OptimizationFailed, "The AI provider %s proposes no value of type %s.", s.Name,
			ask.Type)
	}
	if err != nil {
		return proposal.Answer{}, err
	}
	a.Proposals = append(a.Proposals, proposals...)
	return a, nil
}

// Test makes the test call of a saved language model. A failure of the provider is part of the
// Observation, not an error. The Observation has no time; the caller sets it.
func (p *Proposer) Test(ctx context.Context, s aiprovider.Settings) (aiprovider.Observation, error) {
	of, err := p.settings(withDefaults(s))
	if err != nil {
		return aiprovider.Observation{}, err
	}
	of.NotEnforced = false
	of.Limits.MaxRetries = min(of.Limits.MaxRetries, 1)
	c, err := p.open(of, s.Kind)
	if err != nil {
		return aiprovider.Observation{}, err
	}
	return c.Test(ctx)
}

// Silent returns how many language models are currently not asked because they did not answer in time.
func (p *Proposer) Silent() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.clients {
		if c.Silent() {
			n++
		}
	}
	return n
}

func (p *Proposer) open(of openai.Settings, kind aiprovider.Kind) (*openai.Client, error) {
	return openai.New(of, openai.Options{Client: p.options.Client, Log: p.options.Log, Wait: p.options.Wait,
		Tokens: p.options.Tokens, Observe: func(o openai.Outcome, took time.Duration) { p.options.Observe(kind, o, took) }})
}

// client returns the client of the settings, from the cache if it is there.
func (p *Proposer) client(s aiprovider.Settings) (*openai.Client, error) {
	of, err := p.settings(s)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.clients[of]; ok {
		return c, nil
	}
	c, err := p.open(of, s.Kind)
	if err != nil {
		return nil, err
	}
	if len(p.clients) == maxClients {
		clear(p.clients)
	}
	p.clients[of] = c
	return c, nil
}

// instruct asks the provider for AI instructions, and uses those of the rules when the provider's
// cannot be used.
func instruct(ctx context.Context, c *openai.Client, ask proposal.Ask) ([]proposal.Proposal, []proposal.Skip, error) {
	base := rules.Propose(ask)
	if len(base.Proposals) == 0 {
		return nil, base.Skipped, nil
	}
	one := base.Proposals[0]
	text, why, origin, err := c.Instruct(ctx, ask.Model, one.Value)
	switch {
	case err != nil:
		return nil, nil, err
	case why != "":
		one.Reason += " They come from the embedded rules, because the AI provider's text could not be used: " + why + "."
	default:
		one.Value, one.Origin = text, origin
		one.Reason += " Written by the AI provider."
	}
	return []proposal.Proposal{one}, nil, nil
}

// questions returns what a person should say about the objects that the provider did not describe.
func questions(m *semanticmodel.Model, skipped []proposal.Skip) []proposal.Question {
	objects := lists.Map(skipped, func(s proposal.Skip) proposal.Object { return s.Object })
	if len(objects) == 0 {
		return nil
	}
	texts := rules.Words(m, objects)
	var all []proposal.Question
	for _, o := range objects {
		if text := texts[o]; text != "" {
			all = append(all, proposal.Question{Object: o, Text: text})
		}
	}
	return all
}

// noAgent skips the objects that a data agent would answer for.
func noAgent(ask proposal.Ask) []proposal.Skip {
	const why = "The account's AI provider is a data agent, and this installation's platform has no data agent that answers: " +
		"declare another AI provider."
	if ask.Type == proposal.AIInstructions || ask.Type == proposal.AIDataSchema {
		ask.Objects = []proposal.Object{{Type: proposal.Model}}
	}
	var skipped []proposal.Skip
	for _, o := range without(ask.Objects, nil) {
		skipped = append(skipped, proposal.Skip{Object: o, Reason: proposal.NothingProposed, Message: why})
	}
	return skipped
}

// without returns the objects, each once, that have no proposal.
func without(objects []proposal.Object, proposals []proposal.Proposal) []proposal.Object {
	seen := make(map[proposal.Object]bool, len(objects))
	for _, one := range proposals {
		seen[one.Object] = true
	}
	var left []proposal.Object
	for _, o := range objects {
		if !seen[o] {
			seen[o] = true
			left = append(left, o)
		}
	}
	return left
}

func values(proposals []proposal.Proposal) []string {
	return lists.Map(proposals, func(one proposal.Proposal) string { return one.Value })
}
