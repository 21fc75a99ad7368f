// Package ai proposes texts for semantic models with the provider an account
// chose: the embedded rules, a language model behind an OpenAI-compatible
// interface, or a data agent (spec 4.5, preview rule 2; regime F). It reads no
// account and writes nothing; who may ask a provider is decided elsewhere.
package ai

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"readiness/ai/openai"
	"readiness/ai/rules"
	"readiness/domain"
	"readiness/domain/aiprovider"
	"readiness/domain/proposal"
)

// Options are what a Proposer works with. The zero value is of use.
type Options struct {
	// Client calls the providers that may be anywhere (see PrivateAddresses);
	// redirects are never followed.
	Client *http.Client
	// PrivateAddresses lets the providers that accounts saved be in the service's own
	// network too. The accounts file's may be anywhere in any case.
	PrivateAddresses bool
	// Getenv gives the keys by the names of their variables; by default os.Getenv.
	Getenv func(string) string
	Log    *slog.Logger
	// Timeout bounds one attempt of one request of a declared provider; by default it
	// is that of aiprovider.DefaultLimits.
	Timeout time.Duration
	// Wait pauses between attempts and ends early with the context's error.
	Wait func(context.Context, time.Duration) error
}

// maxClients is how many providers are remembered at once, with what was learnt
// of them and the answers they gave.
const maxClients = 64

// Proposer proposes with the provider an account chose. It may be used by many
// at once.
type Proposer struct {
	options Options

	mu      sync.Mutex
	clients map[openai.Settings]*openai.Client
}

// New returns a proposer. It asks no provider yet.
func New(o Options) *Proposer {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Proposer{options: o, clients: map[openai.Settings]*openai.Client{}}
}

// Propose asks the provider of the settings. Every object asked about is in the
// answer once; for AI instructions and the AI data schema that nothing is
// proposed for, the model itself is skipped.
//
// Display folders come from the measures' names first, and only what is left goes
// to the provider. The AI data schema is chosen by the embedded rules whatever
// language model was chosen: what an AI is to see follows from the model, and the
// same model gives the same schema. AI instructions that the provider writes
// worse than the rules demand are those of the rules.
//
// The error is the context's, or a *domain.Refusal with code OptimizationFailed
// when the provider as a whole cannot be asked or does not answer.
func (p *Proposer) Propose(ctx context.Context, s aiprovider.Settings, ask proposal.Ask) (proposal.Answer, error) {
	s = whole(s)
	if s.IsEmbedded() || ask.Type == proposal.AIDataSchema && !s.IsDataAgent() {
		return rules.Propose(ask), nil
	}
	a := proposal.Answer{Provider: signed(s)}
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
	case proposal.DisplayFolder:
		proposals, a.Skipped, err = c.Place(ctx, ask.Model, ask.Objects, values(a.Proposals))
	case proposal.AIInstructions:
		proposals, a.Skipped, err = instruct(ctx, c, ask)
	default:
		return proposal.Answer{}, domain.Refuse(domain.OptimizationFailed, "The AI provider %s proposes no value of type %s.", s.Name, ask.Type)
	}
	if err != nil {
		return proposal.Answer{}, err
	}
	a.Proposals = append(a.Proposals, proposals...)
	return a, nil
}

// Test makes the test call of a saved language model (regime F.1). What the
// provider does is never an error. When it was made, who asks knows.
func (p *Proposer) Test(ctx context.Context, s aiprovider.Settings) (aiprovider.Observation, error) {
	of, err := p.settings(whole(s))
	if err != nil {
		return aiprovider.Observation{}, err
	}
	of.NotEnforced = false
	of.Limits.MaxRetries = min(of.Limits.MaxRetries, 1)
	c, err := p.open(of)
	if err != nil {
		return aiprovider.Observation{}, err
	}
	return c.Test(ctx)
}

// Silent is how many language models are not asked for now, because they answer
// nothing in time.
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

func (p *Proposer) open(of openai.Settings) (*openai.Client, error) {
	return openai.New(of, openai.Options{Client: p.options.Client, Log: p.options.Log, Wait: p.options.Wait, Timeout: p.options.Timeout})
}

// client returns the client of the settings, the one of before if there is one.
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
	c, err := p.open(of)
	if err != nil {
		return nil, err
	}
	if len(p.clients) == maxClients {
		clear(p.clients)
	}
	p.clients[of] = c
	return c, nil
}

// instruct has the provider write what the rules would, and takes theirs when
// what it writes cannot be used.
func instruct(ctx context.Context, c *openai.Client, ask proposal.Ask) ([]proposal.Proposal, []proposal.Skip, error) {
	base := rules.Propose(ask)
	if len(base.Proposals) == 0 {
		return nil, base.Skipped, nil
	}
	one := base.Proposals[0]
	text, why, err := c.Instruct(ctx, ask.Model, one.Value)
	switch {
	case err != nil:
		return nil, nil, err
	case why != "":
		one.Reason += " They are of the embedded rules, as what the AI provider wrote could not be used: " + why + "."
	default:
		one.Value = text
		one.Reason += " Written by the AI provider."
	}
	return []proposal.Proposal{one}, nil, nil
}

// noAgent skips what a data agent would answer for.
func noAgent(ask proposal.Ask) []proposal.Skip {
	const why = "The account's AI provider is a data agent, and this installation's platform has none that answers: declare another AI provider."
	if ask.Type == proposal.AIInstructions || ask.Type == proposal.AIDataSchema {
		ask.Objects = []proposal.Object{{Type: proposal.Model}}
	}
	var skipped []proposal.Skip
	for _, o := range without(ask.Objects, nil) {
		skipped = append(skipped, proposal.Skip{Object: o, Reason: proposal.NothingProposed, Message: why})
	}
	return skipped
}

// without are the objects, each once, that nothing is proposed for.
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
	all := make([]string, len(proposals))
	for i, one := range proposals {
		all[i] = one.Value
	}
	return all
}
