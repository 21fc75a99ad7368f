package work

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/dataagent"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/assessment"
	"readiness/domain/item"
	"readiness/domain/readiness"
)

// scoreAgent scores a data agent: what it sees of its semantic models, read as the
// person, and its own configuration.
func (w *assessor) scoreAgent(ctx context.Context, as item.Caller, regime *readiness.Regime, d definition.Definition,
	a *assessment.Assessment) (scored readiness.Result, err error) {
	agent, err := dataagent.Read(d)
	if err != nil {
		return scored, notReadable(err)
	}
	a.DataAgent = &assessment.DataAgent{Stage: assessment.Published}
	stage := agent.Published
	if stage == nil {
		a.DataAgent.Stage, stage = assessment.Draft, agent.Draft
	}
	switch {
	case stage == nil:
		return scored, domain.Refuse(domain.ItemNotReadable,
			"the data agent has neither a published stage nor a draft; configure it and assess again")
	case len(stage.Sources) > assessment.MaxSources:
		return scored, domain.Refuse(domain.ItemNotReadable, "the data agent has %d sources; one assessment looks at no more than %d",
			len(stage.Sources), assessment.MaxSources)
	}
	seen, sources, err := w.sources(ctx, as, a.WorkspaceID, stage.Sources)
	if err != nil {
		return scored, err
	}
	// Reports come last, so that they take no time from the models.
	for i := range sources {
		if m := sources[i].Model; m != nil {
			var u assessment.Usage
			if sources[i].Usage, u, err = w.usageOf(ctx, as, a.Usage.Access, uuid.MustParse(sources[i].ID), m); err != nil {
				return scored, err
			}
			seen[i].Usage = &u
		}
	}
	a.DataAgent.Sources, a.Usage = seen, usageOfAll(a.Usage.Access, seen)
	err = w.shared.processors.Compute(func() error {
		scored = regime.AssessAgent(readiness.Agent{Instructions: stage.Instructions, Description: agent.PublishedDescription}, sources,
			readiness.Options{})
		return nil
	})
	a.ScoreDataAgent = scored.Score
	return scored, err
}

// sources reads each source. seen is the report on each, sources is the input for
// scoring. A semantic model that the person cannot see, or that cannot be read, is
// left out of the score. A failure that may pass fails the assessment, as for a
// model.
func (w *assessor) sources(ctx context.Context, as item.Caller, home uuid.UUID, all []dataagent.Source) (seen []assessment.Source,
	sources []readiness.Source, err error) {
	seen = []assessment.Source{} // encode an empty list, not null
	var pending *item.Pending
	for _, s := range all {
		source := assessment.Source{ID: s.ItemID.String(), Name: shortened(s.DisplayName), Type: shortened(s.Type),
			WorkspaceID: s.WorkspaceID}
		if s.WorkspaceID == uuid.Nil {
			source.WorkspaceID = home
		}
		twice := slices.ContainsFunc(seen, func(o assessment.Source) bool { return o.ID == source.ID })
		if s.ItemID == uuid.Nil || twice {
			source.ID = path.Base(path.Dir(s.Path))
		}
		var m *semanticmodel.Model
		switch {
		case s.Type != dataagent.SemanticModel:
			source.Reason, source.Message = assessment.NoSemanticModel, "only semantic models are scored"
		case s.ItemID == uuid.Nil:
			source.Reason, source.Message = assessment.Reason(domain.ItemNotFound), "the data agent does not say which semantic model it is"
		case twice:
			source.Reason, source.Message = assessment.NamedTwice, "an earlier source is the same semantic model"
		default:
			m, source.DefinitionHash, err = w.model(ctx, as,
				item.Item{ID: s.ItemID, Type: item.SemanticModel, WorkspaceID: source.WorkspaceID, DisplayName: s.DisplayName})
			if refusal, refused := domain.Refused(err); refused && lasts(refusal.Code) {
				source.Reason, source.Message, err = assessment.Reason(failureCode(refusal.Code)), shortened(refusal.Message), nil
			}
			if waits, ok := errors.AsType[*item.Pending](err); ok && waits.Begun {
				pending, err = pending.Later(waits), nil // the platform reads the others meanwhile
			}
			if err != nil {
				return nil, nil, err
			}
		}
		source.Scored = m != nil
		seen = append(seen, source)
		sources = append(sources, readiness.Source{ID: source.ID, Name: source.Name, Tables: s.SelectedTables(), Model: m})
	}
	if pending != nil {
		return nil, nil, pending
	}
	return seen, sources, nil
}

// model reads a semantic model as the person.
func (w *assessor) model(ctx context.Context, as item.Caller, it item.Item) (*semanticmodel.Model, string, error) {
	d, err := w.Platform.Definition(ctx, as, it)
	if err != nil {
		return nil, "", err
	}
	m, err := w.shared.model(d)
	if err != nil {
		return nil, "", err
	}
	return m, d.Hash(), nil
}

// lasts reports whether another attempt would end with the same code.
func lasts(c domain.Code) bool {
	switch failureCode(c) {
	case domain.ItemNotFound, domain.ItemNotReadable, domain.PlatformAccessDenied:
		return true
	}
	return false
}

// usageOfAll returns how usage affected the score of a data agent: it was applied
// if it was applied to any of its models.
func usageOfAll(access item.Access, sources []assessment.Source) assessment.Usage {
	var all assessment.Usage
	var reasons []string
	reports, measured := 0, false
	for _, s := range sources {
		if s.Usage == nil {
			continue
		}
		if !measured || s.Usage.Applied && !all.Applied {
			all, measured = *s.Usage, true
		}
		if n := s.Usage.TrackedReportCount; n != nil {
			reports += *n
		}
		if s.Usage.Reason != "" {
			reasons = append(reasons, s.Name+": "+s.Usage.Reason)
		}
	}
	switch {
	case access != item.Granted:
		all = assessment.Usage{Access: access}
		all.State, all.Reason = withheld(access)
	case !measured:
		all = assessment.Usage{Access: access, State: assessment.NoTrackedReports,
			Reason: "the data agent has no semantic model that was scored, so there is no usage to weigh the score with"}
	default:
		all.Reason = strings.Join(reasons, "; ")
		if all.TrackedReportCount != nil {
			all.TrackedReportCount = &reports
		}
	}
	return all
}
