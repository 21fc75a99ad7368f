package setup

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"readiness/platform/fabric"
	"readiness/platform/fabric/probe"
)

// Probe runs a probe as the person of a token, and stores the answers for their tenant in the file. A probe that
// could not ask everything changes nothing in the file. The error says what failed, or what is left at the platform.
func (a *Application) Probe(ctx context.Context, token, file string, p probe.Probe, log *slog.Logger) (passed bool, err error) {
	exchange, err := a.Exchange(log)
	if err != nil {
		return false, err
	}
	as, err := a.callerIn(token)
	if err != nil {
		return false, err
	}
	if _, err := readAnswers(file); err != nil && !isAbsent(err) {
		return false, err
	}
	p.Fabric = fabric.Options{URL: a.URL, PowerBIURL: a.PowerBIURL, IQURL: a.IQURL, Tokens: exchange.For, Challenged: exchange.Challenged,
		Transport: a.Transport, Log: log}
	answers, complete, err := p.Run(ctx, as)
	if !complete {
		return false, err
	}
	tenant, _, _ := strings.Cut(as.Person.ID, "/")
	return answers.Passed, errors.Join(err, KeepAnswers(file, tenant, answers))
}
