package offline

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/definition/dataagent"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
)

// agent assesses a data agent's configuration, published or else draft, and what it sees of those of its semantic
// models that are among the items.
func (s *assessor) agent(ctx context.Context, i Item, d definition.Definition, a *Assessed, n *note) error {
	agent, err := dataagent.Read(d)
	if err != nil {
		return err
	}
	stage, part := agent.Published, "Files/Config/published/stage_config.json"
	if stage == nil {
		stage, part = agent.Draft, "Files/Config/draft/stage_config.json"
	}
	if stage == nil {
		return errors.New("the data agent has neither a published stage nor a draft; configure it")
	}
	read := map[string]material{}
	parts := map[string]string{}
	var sources []readiness.Source
	var of []material
	for at, source := range stage.Sources {
		id := source.ItemID.String()
		if _, twice := parts[id]; twice || source.ItemID == uuid.Nil {
			id = path.Base(path.Dir(source.Path))
		}
		parts[id] = source.Path
		one := readiness.Source{ID: id, Name: source.DisplayName, Tables: source.SelectedTables()}
		if source.Type == dataagent.SemanticModel {
			if found, ok := s.source(ctx, source.ItemID); ok {
				one.Model, read[id] = found.m, found
				of = append(of, found)
			} else {
				n.warnings = append(n.warnings, Warning{path.Join(i.Shown, source.Path), 1, 0, fmt.Sprintf(
					"source %d, %q, is not scored: no semantic model among those assessed has its id, or it cannot be read", at+1,
					source.DisplayName)})
			}
		}
		sources = append(sources, one)
	}
	g := s.o.Ignores.of(i, n, of...)
	for id, found := range read {
		own := ownIgnores(material{found.m, found.at}, &note{}, s.o.Regime) // the model's own assessment reports the warnings
		for _, e := range own {
			e.Source = id
			g.own = append(g.own, e)
		}
	}
	settings := readiness.Agent{Instructions: stage.Instructions, Description: agent.PublishedDescription}
	s.score(a, n, g, func(o readiness.Options) readiness.Result { return s.o.Regime.AssessAgent(settings, sources, o) },
		func(f readiness.Finding) (string, int) {
			if found, ok := read[f.SourceModelID]; ok && f.ObjectType != finding.SourceObject {
				return found.at.of(f)
			}
			if source, ok := parts[f.SourceModelID]; ok {
				return path.Join(i.Shown, source), 1
			}
			return path.Join(i.Shown, part), 1
		})
	a.ScoreDataAgent = a.Result.Score
	return nil
}

// source reads the semantic model with the id.
func (s *assessor) source(ctx context.Context, id uuid.UUID) (material, bool) {
	i, ok := s.byID[id]
	if !ok || id == uuid.Nil {
		return material{}, false
	}
	d, _, err := i.Definition(ctx)
	if err != nil {
		return material{}, false
	}
	m, err := semanticmodel.Read(d)
	if err != nil {
		return material{}, false
	}
	return material{m, newPlaces(i, d, m)}, true
}
