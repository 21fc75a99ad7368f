package answerer

import (
	"context"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
)

// dataAgent returns a function that asks a published data agent at its platform. The agent answers with texts only, which are judged as
// such.
func (a *Asker) dataAgent(as item.Caller, v view) (about verdict.Target, ask Ask) {
	agent := *v.agent
	about = v.about
	about.Transport, about.ConfigHash, about.Runtime = verdict.ByMCP, v.configured, v.runtime
	return about, func(ctx context.Context, question string) (benchmark.Reply, error) {
		text, took, err := a.Agents.AskAgent(ctx, as, agent, question)
		reply := benchmark.Reply{DurationMS: took.Milliseconds(), Attempts: 1}
		if v.hidden != nil {
			err = unnamed(err, *v.hidden)
		}
		if err != nil {
			return unanswered(ctx, reply, err)
		}
		reply.Answer = verdict.Answer{Text: text}
		return reply, nil
	}
}

// unanswered returns the reply to a question without an answer from the platform. Any other error keeps the entire side from answering.
func unanswered(ctx context.Context, reply benchmark.Reply, err error) (benchmark.Reply, error) {
	refusal, refused := domain.Refused(err)
	if !refused || refusal.Code != domain.PlatformUnavailable || ctx.Err() != nil {
		return benchmark.Reply{}, err
	}
	reply.Failure = &verdict.Failure{Code: string(refusal.Code), Message: refusal.Message}
	return reply, nil
}
