// Package files serves the semantic models in one folder to AI agents, by package offline: without server, database or
// network, unless the person has lift ask an AI. Nothing outside the folder is read or written, not even through links. Assessments,
// previews and runs are kept in memory until newer ones replace them.
package files

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"readiness/ai/answerer"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/domain/readiness/explained"
	"readiness/domain/verdict"
	"readiness/internal/lists"
	"readiness/mcp"
	"readiness/offline"
	"readiness/offline/lift"
)

// Options configures Open.
type Options struct {
	// Root is the folder with the models.
	Root string
	// Ignores are accepted findings; Regime makes the scores, nil for the current one.
	Ignores *offline.Ignores
	Regime  *readiness.Regime
	Now     func() time.Time
	// Ask returns who answers the questions of lift about a version of a model, and how to ask; nil for the rules engine. Calls do not overlap.
	Ask func(m *semanticmodel.Model) (verdict.Target, answerer.Ask, error)
}

// kept is how many assessments, previews, previews of reverts and runs are kept of each.
const kept = 32

// Files are the models of a folder. They are safe for concurrent use; writes are made one at a time.
type Files struct {
	Options
	root        string // absolute, without links
	writing     sync.Mutex
	assessments *lru.Cache[string, mcp.Assessment]
	previews    *lru.Cache[string, previewed]
	reverts     *lru.Cache[string, reversible]
	runs        *lru.Cache[string, mcp.Run]
	asking      sync.Mutex // of Ask and asks
	asks        *lift.Asks
}

// Open returns the models of a folder.
func Open(o Options) (*Files, error) {
	root, err := filepath.Abs(o.Root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, err
	}
	f := &Files{Options: o, root: root, asks: lift.NewAsks()}
	var failed [4]error
	f.assessments, failed[0] = lru.New[string, mcp.Assessment](kept)
	f.previews, failed[1] = lru.New[string, previewed](kept)
	f.reverts, failed[2] = lru.New[string, reversible](kept)
	f.runs, failed[3] = lru.New[string, mcp.Run](kept)
	return f, errors.Join(failed[:]...)
}

// For implements Options.Open of package mcp.
func (f *Files) For(*sdk.RequestExtra) (mcp.Models, error) { return f, nil }

// newID returns an id that cannot be guessed.
func newID() string { return strings.ToLower(rand.Text()[:16]) }

func problem(text string) error { return &mcp.Problem{Text: text} }

const nothing = "There is nothing at this path. list_models lists the models, and list_records the records."

// errNothing is the error about a path where nothing is.
var errNothing = problem(nothing)

// unknown adds to errNothing which of the known names are like a name.
func unknown(err error, name string, known func() ([]string, error)) error {
	if !errors.Is(err, errNothing) {
		return err
	}
	all, wrong := known()
	if wrong != nil {
		return err
	}
	return mcp.Unknown(nothing, name, all)
}

// shownModels returns the paths of all models.
func (f *Files) shownModels(ctx context.Context) ([]string, error) {
	all, err := f.find(ctx, ".")
	return lists.Map(all, func(i offline.Item) string { return i.Shown }), err
}

// inside returns the absolute path of a path below the root. It refuses paths that leave the root and links.
func (f *Files) inside(name string) (string, error) {
	if !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00") {
		return "", problem("The path is not one below the folder that the server works on. Use a path that list_models or list_records " +
			"returned, " +
			"relative to that folder, with forward slashes.")
	}
	at := f.root
	for element := range strings.SplitSeq(name, "/") {
		at = filepath.Join(at, element)
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", errNothing
		case err != nil:
			return "", err
		case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0:
			return "", problem("The path leads through a link, and links are not followed. Use the path of the target, if it is below " +
				"the folder.")
		}
	}
	return at, nil
}

// find returns the semantic models at a path below the root.
func (f *Files) find(ctx context.Context, name string) ([]offline.Item, error) {
	at, err := f.inside(name)
	if err != nil {
		return nil, err
	}
	items, _, err := offline.Find(ctx, f.root, []string{at})
	if err != nil {
		return nil, err
	}
	models := lists.Where(items, func(i offline.Item) bool { return i.Type == item.SemanticModel })
	if offline.Inside(models) != nil || slices.ContainsFunc(models, func(i offline.Item) bool { return i.Shown == "." }) {
		return nil, problem("The folder of the server is part of a semantic model. Start the server on a folder that contains the " +
			"model's folder.")
	}
	return models, nil
}

// one returns the semantic model with a path.
func (f *Files) one(ctx context.Context, name string) (offline.Item, error) {
	models, err := f.find(ctx, name)
	if err != nil {
		return offline.Item{}, unknown(err, name, func() ([]string, error) { return f.shownModels(ctx) })
	}
	if len(models) != 1 || models[0].Shown != path.Clean(name) {
		return offline.Item{}, mcp.Unknown("The path is not that of one semantic model. list_models lists the models.", name,
			lists.Map(models, func(i offline.Item) string { return i.Shown }))
	}
	return models[0], nil
}

// List implements mcp.Models.
func (f *Files) List(ctx context.Context, within, cursor string) ([]mcp.ModelRow, string, error) {
	within = cmp.Or(within, ".")
	models, err := f.find(ctx, within)
	if err != nil {
		return nil, "", unknown(err, within, func() ([]string, error) {
			all, err := f.shownModels(ctx)
			return slices.Compact(slices.Sorted(slices.Values(lists.Map(all, path.Dir)))), err
		})
	}
	return paged(models, cursor, func(i offline.Item) mcp.ModelRow {
		return mcp.ModelRow{ID: i.Shown, Name: i.Name, Type: string(item.SemanticModel)}
	})
}

// listed is how many models or records a page has.
const listed = 40

// paged returns a page of all as rows, and the cursor of the next page.
func paged[T, R any](all []T, cursor string, row func(T) R) (rows []R, next string, err error) {
	from := 0
	if cursor != "" {
		if from, err = strconv.Atoi(cursor); err != nil || from < 0 || from > len(all) {
			return nil, "", problem("The cursor is not one that this list returned. Leave it out to begin with the first page.")
		}
	}
	to := min(from+listed, len(all))
	for _, one := range all[from:to] {
		rows = append(rows, row(one))
	}
	if to < len(all) {
		next = strconv.Itoa(to)
	}
	return rows, next, nil
}

// Assess implements mcp.Models.
func (f *Files) Assess(ctx context.Context, model, _ string) (mcp.Assessment, *mcp.Pending, error) {
	i, err := f.one(ctx, model)
	if err != nil {
		return mcp.Assessment{}, nil, err
	}
	made, err := offline.Assess(ctx, []offline.Item{i}, offline.AssessOptions{Ignores: f.Ignores, Regime: f.Regime})
	if err != nil {
		return mcp.Assessment{}, nil, err
	}
	one := made.Items[0]
	if one.Error != nil {
		return mcp.Assessment{}, nil, one.Error
	}
	a := mcp.Assessment{ID: newID(), Model: i.Shown, Regime: made.Regime, Score: one.Result.Score, ScoreDataAgent: one.ScoreDataAgent,
		Caps: one.Result.Caps, Own: one.Result.Own, Dimensions: one.Result.Dimensions}
	for _, found := range one.Findings {
		a.Findings = append(a.Findings, mcp.Finding{Finding: found.Finding, File: found.File, Line: found.Line,
			Own: one.Result.OwnRule(explained.Leading(found.RuleIDs))})
	}
	for _, w := range made.Warnings {
		a.Warnings = append(a.Warnings, w.String())
	}
	f.assessments.Add(a.ID, a)
	return a, nil, nil
}

// Assessment implements mcp.Models.
func (f *Files) Assessment(_ context.Context, model, id string) (mcp.Assessment, error) {
	a, known := f.assessments.Get(id)
	if !known || a.Model != path.Clean(model) {
		return mcp.Assessment{}, problem("There is no such assessment of this model. The server keeps the last " + strconv.Itoa(kept) +
			"; call assess for a new one.")
	}
	return a, nil
}
