package asking

import (
	"context"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/comparison"
	"readiness/domain/item"
)

// dataAgent returns a function that asks a published data agent where it is. It answers with texts alone, which are judged as
// such.
func (a *Asker) dataAgent(as item.Caller, v view) (about comparison.Target, ask Ask) {
	agent := *v.agent
	about = v.about
	about.Transport, about.ConfigHash = comparison.ByMCP, v.configured
	return about, func(ctx context.Context, question string) (benchmark.Reply, error) {
		text, took, err := a.Agents.AskAgent(ctx, as, agent, question)
		reply := benchmark.Reply{DurationMS: took.Milliseconds(), Attempts: 1}
		if v.hidden != nil {
			err = unnamed(err, *v.hidden)
		}
		refusal, refused := domain.Refused(err)
		switch {
		case err == nil:
			reply.Answer = comparison.Answer{Text: text}
		case refused && refusal.Code == domain.PlatformUnavailable && ctx.Err() == nil:
			reply.Failure = &comparison.Failure{Code: string(refusal.Code), Message: refusal.Message}
		default:
			return benchmark.Reply{}, err
		}
		return reply, nil
	}
}
