package clientcmd

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/google/uuid"

	"readiness/client"
	"readiness/cmd/cli"
	"readiness/internal/lists"
	"readiness/internal/optional"
)

// named is the id and name of something that a command line can refer to.
type named struct {
	id   uuid.UUID
	name string
}

// find returns the id in text, or the id of the only entry with that name. Letter case matters only if two names differ
// in nothing else. If no entry or several match, the error lists candidates.
func find(what, text string, list func() ([]named, error)) (uuid.UUID, error) {
	if id, err := uuid.Parse(text); err == nil {
		return id, nil
	}
	all, err := list()
	if err != nil {
		return uuid.Nil, err
	}
	for _, same := range []func(string) bool{
		func(name string) bool { return name == text },
		func(name string) bool { return strings.EqualFold(name, text) },
	} {
		found := lists.Where(all, func(n named) bool { return same(n.name) })
		switch {
		case len(found) == 1:
			return found[0].id, nil
		case len(found) > 1:
			return uuid.Nil, fmt.Errorf("%d %ss are called %s; give the id of one:%s", len(found), what, cli.Printable(text),
				candidates(found))
		}
	}
	if len(all) == 0 {
		return uuid.Nil, fmt.Errorf("no %s is called %s: none can be seen", what, cli.Printable(text))
	}
	return uuid.Nil, fmt.Errorf("no %s is called %s; the closest are:%s", what, cli.Printable(text), candidates(closest(all, text)))
}

// maxCandidates bounds the candidates that an error lists.
const maxCandidates = 10

// closest returns the entries whose name contains the text, then those with the most similar names.
func closest(all []named, text string) []named {
	wanted := strings.ToLower(text)
	far := func(n named) int {
		name := strings.ToLower(n.name)
		if wanted != "" && strings.Contains(name, wanted) {
			return 0
		}
		return 1 + levenshtein.ComputeDistance(name, wanted)
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b named) int { return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a.name, b.name)) })
	return all[:min(len(all), maxCandidates)]
}

func candidates(found []named) string {
	var b strings.Builder
	for _, n := range found {
		fmt.Fprintf(&b, "\n  %s  %s", n.id, cli.Printable(n.name))
	}
	return b.String()
}

// entries returns a function that reads a list for find.
func entries[P any](pages iter.Seq2[*client.OK[P], error], of func(P) []named) func() ([]named, error) {
	return func() (all []named, err error) {
		for page, err := range pages {
			if err != nil {
				return nil, err
			}
			all = append(all, of(*page.JSON200)...)
		}
		return all, nil
	}
}

// workspace returns the id of a workspace, by name or id.
func workspace(ctx context.Context, s *client.Service, text string) (uuid.UUID, error) {
	return find("workspace", text, workspaces(ctx, s))
}

func workspaces(ctx context.Context, s *client.Service) func() ([]named, error) {
	return entries(s.ListWorkspacesPages(ctx, client.ListWorkspacesParams{}), func(p client.WorkspaceList) (all []named) {
		for _, w := range p.Value {
			all = append(all, named{w.WorkspaceID, w.WorkspaceName})
		}
		return all
	})
}

// semanticModels returns the ids of models in a workspace, by names or ids.
func semanticModels(ctx context.Context, s *client.Service, workspaceID uuid.UUID, texts ...string) ([]uuid.UUID, error) {
	return each("semantic model", texts, modelsOf(ctx, s, workspaceID))
}

func modelsOf(ctx context.Context, s *client.Service, workspaceID uuid.UUID) func() ([]named, error) {
	return entries(s.ListSemanticModelsPages(ctx, workspaceID, client.ListSemanticModelsParams{}), func(p client.SemanticModelList) (all []named) {
		for _, m := range p.Value {
			all = append(all, named{m.SemanticModelID, m.SemanticModelName})
		}
		return all
	})
}

// semanticModel returns the ids of the workspace and model that args name, by names or ids.
func semanticModel(ctx context.Context, s *client.Service, args []string) (workspaceID, modelID uuid.UUID, err error) {
	if workspaceID, err = workspace(ctx, s, args[0]); err != nil {
		return workspaceID, modelID, err
	}
	models, err := semanticModels(ctx, s, workspaceID, args[1])
	if err != nil {
		return workspaceID, modelID, err
	}
	return workspaceID, models[0], nil
}

// reports returns the ids of reports in a workspace, by names or ids.
func reports(ctx context.Context, s *client.Service, workspaceID uuid.UUID, texts ...string) ([]uuid.UUID, error) {
	return each("report", texts, reportsOf(ctx, s, workspaceID))
}

func reportsOf(ctx context.Context, s *client.Service, workspaceID uuid.UUID) func() ([]named, error) {
	return entries(s.ListReportsPages(ctx, workspaceID, client.ListReportsParams{}), func(p client.WorkspaceReportList) (all []named) {
		for _, r := range p.Value {
			all = append(all, named{r.ReportID, optional.Text(r.ReportName)})
		}
		return all
	})
}

// each finds all texts with at most one listing.
func each(what string, texts []string, list func() ([]named, error)) ([]uuid.UUID, error) {
	var all []named
	listed := false
	ids := make([]uuid.UUID, len(texts))
	for i, t := range texts {
		var err error
		ids[i], err = find(what, t, func() (_ []named, err error) {
			if !listed {
				if all, err = list(); err != nil {
					return nil, err
				}
				listed = true
			}
			return all, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}
