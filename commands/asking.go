package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/internal/lists"
)

// lookUpSide looks up, as the caller, a semantic model and what will answer for it
// (4.6/create/5), and returns the model's workspace too. Whether an AI provider can
// be asked is decided again when the call is accepted.
func (s *Benchmarks) lookUpSide(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID,
	by abtest.AnswererRequest) (benchmark.Side, item.Workspace, error) {
	t, err := s.lookUpTarget(ctx, caller, workspaceID, modelID)
	if err != nil {
		return benchmark.Side{}, item.Workspace{}, err
	}
	side := benchmark.Side{
		WorkspaceID: workspaceID, WorkspaceName: t.workspace.DisplayName, SemanticModelID: modelID, SemanticModelName: t.model.DisplayName,
		AnsweredBy: benchmark.AnsweredBy{Kind: verdict.AgentKind(by.Kind)},
	}
	if by.RunID != nil {
		side.AnsweredBy, err = s.importedAnswers(ctx, caller, modelID, *by.RunID)
		return side, t.workspace, err
	}
	if by.ProviderID != nil {
		side.AnsweredBy.ProviderID = *by.ProviderID
		return side, t.workspace, s.checkProvider(ctx, caller, *by.ProviderID)
	}
	if by.DataAgentID == nil {
		return side, t.workspace, nil
	}
	workspace := t.workspace
	if by.WorkspaceID != nil && *by.WorkspaceID != workspaceID {
		if workspace, err = s.Platform.Workspace(ctx, caller.Caller, *by.WorkspaceID); err != nil {
			return benchmark.Side{}, item.Workspace{}, err
		}
	}
	agent, err := s.Platform.Item(ctx, caller.Caller, workspace.ID, item.DataAgent, *by.DataAgentID)
	if err != nil {
		return benchmark.Side{}, item.Workspace{}, err
	}
	a := &side.AnsweredBy
	a.DataAgentID, a.DataAgentName = &agent.ID, agent.DisplayName
	a.DataAgentWorkspaceID, a.DataAgentWorkspaceName = &workspace.ID, workspace.DisplayName
	return side, t.workspace, nil
}

// checkProvider refuses a provider that the account does not have or that cannot be
// asked. If the provider is a data agent, it looks the agent up as the caller.
func (s *Benchmarks) checkProvider(ctx context.Context, caller Caller, providerID string) error {
	providers := eventstore.FoldCached(aiprovider.Stream(caller.Account), aiprovider.Evolve)
	if err := s.Store.Load(ctx, providers); err != nil {
		return err
	}
	if _, err := (aiprovider.Use{ProviderID: providerID}).Decide(providers.State); err != nil {
		return err
	}
	p, _ := providers.State.Find(providerID)
	if p.Kind != aiprovider.DataAgent { // the embedded one is not found
		return nil
	}
	_, err := s.Platform.Item(ctx, caller.Caller, p.WorkspaceID, item.DataAgent, p.DataAgentID)
	return err
}

// lookUpSideAgain looks up a side of a test again, with its current names.
func (s *ABTests) lookUpSideAgain(ctx context.Context, caller Caller, side benchmark.Side) (benchmark.Side, item.Workspace, error) {
	by := abtest.AnswererRequest{Kind: string(side.AnsweredBy.Kind), DataAgentID: side.AnsweredBy.DataAgentID,
		WorkspaceID: side.AnsweredBy.DataAgentWorkspaceID, RunID: side.AnsweredBy.RunID}
	if side.AnsweredBy.ProviderID != "" {
		by.ProviderID = &side.AnsweredBy.ProviderID
	}
	return s.benchmarks.lookUpSide(ctx, caller, side.WorkspaceID, side.SemanticModelID, by)
}

// pendingAsks is a call about to be accepted that has questions asked of its sides.
type pendingAsks struct {
	caller      Caller
	operationID uuid.UUID
	sides       []*benchmark.Side
	limits      account.Limits
	at          time.Time
	stream      string // of the allowance

	allowance *eventstore.Stream[account.Usage]
	owner     *eventstore.Stream[account.Account]
	providers *eventstore.Stream[aiprovider.Providers]
	tracking  *Tracking
}

// prepareAsking prepares a call that has questions asked of the sides.
func (s *Benchmarks) prepareAsking(caller Caller, operationID uuid.UUID, sides ...*benchmark.Side) (*pendingAsks, error) {
	limits, err := s.limits(caller.Plan)
	if err != nil {
		return nil, err
	}
	at := s.Now().UTC().Truncate(time.Microsecond)
	a := &pendingAsks{caller: caller, operationID: operationID, sides: sides, limits: limits, at: at}
	a.stream = account.AllowanceStream(caller.Account, account.BenchmarkRuns, limits.BenchmarkRuns.Period, at)
	a.allowance = eventstore.FoldLast[account.Usage](a.stream)
	a.owner = pastAccount(caller)
	a.providers = eventstore.FoldCached(aiprovider.Stream(caller.Account), aiprovider.Evolve)
	a.tracking = trackSides(caller.Account, sides...)
	return a, nil
}

func (a *pendingAsks) pasts(more ...eventstore.Loadable) []eventstore.Loadable {
	return slices.Concat(more, a.tracking.Pasts(), []eventstore.Loadable{a.allowance, a.owner, a.providers})
}

// trackSides returns the tracking of the sides' semantic models.
func trackSides(accountID string, sides ...*benchmark.Side) *Tracking {
	models := lists.Map(sides, func(side *benchmark.Side) uuid.UUID { return side.SemanticModelID })
	return Track(accountID, models...)
}

// checkProviders refuses sides whose AI provider the account does not have or
// cannot ask. For the others it sets the provider's name and marks the provider as
// used by by.
func (a *pendingAsks) checkProviders(c *eventstore.Change, by string) error {
	for _, side := range a.sides {
		id := side.AnsweredBy.ProviderID
		if id == "" {
			continue
		}
		if id == aiprovider.EmbeddedID {
			side.AnsweredBy.ProviderName = aiprovider.Embedded().Name
			continue
		}
		use := aiprovider.Use{ProviderID: id, By: by}
		if by == "" { // asked once; the use does not prevent deletion
			if _, err := use.Decide(a.providers.State); err != nil {
				return err
			}
		} else if err := eventstore.Decide(c, a.providers, use); err != nil {
			return err
		}
		p, _ := a.providers.State.Find(id)
		side.AnsweredBy.ProviderName = p.Name
	}
	return nil
}

// spend counts the benchmark runs and refuses what the account's plan and licenses
// do not cover. It reserves the sides' models, which become tracked items once
// questions about them were asked (docs/decisions.md 5; decisions/9/6). It returns
// what was spent.
func (a *pendingAsks) spend(c *eventstore.Change, runs int) (operation.Impact, error) {
	impact := operation.Impact{BenchmarkRuns: &runs}
	spend := account.Spend{Kind: account.BenchmarkRuns, Allowance: a.limits.BenchmarkRuns, OperationID: a.operationID, Amount: runs,
		At: a.at}
	if err := eventstore.Decide(c, a.allowance, spend); err != nil {
		return impact, err
	}
	var models []trackeditem.Reserve
	for _, side := range a.sides {
		models = append(models, trackeditem.Reserve{
			OperationID: a.operationID, ItemID: side.SemanticModelID, ItemType: item.SemanticModel,
			WorkspaceID: side.WorkspaceID, WorkspaceName: side.WorkspaceName, DisplayName: side.SemanticModelName,
		})
	}
	if err := a.tracking.reserve(c, a.caller, a.owner.State, a.limits, models...); err != nil {
		return impact, err
	}
	if n := a.tracking.ExpectedCount(a.operationID); len(a.sides) == 1 {
		impact.TrackedItem = new(n > 0)
	} else {
		impact.TrackedItems = &n
	}
	return impact, nil
}

// putSet puts a question set. stored must be queued in the change whose event refers to it.
func (s *Benchmarks) putSet(ctx context.Context, set benchmark.Set) (questions abtest.Questions, stored database.Statement, err error) {
	body, err := json.Marshal(set)
	if err != nil {
		return questions, stored, fmt.Errorf("commands: encode the questions: %w", err)
	}
	hash, stored, err := s.Documents.Put(ctx, body)
	return abtest.Questions{Document: hash, SetHash: set.Hash(), Count: len(set.Questions), Clusters: set.Clusters()}, stored, err
}

// enqueueRun keeps the caller's token for the operation and enqueues the asking
// of a benchmark run.
func (s *Benchmarks) enqueueRun(c *eventstore.Change, caller Caller, operationID, runID uuid.UUID) {
	c.Queue(s.Vault.Put(operationID, caller.Token, caller.TokenExpires))
	step := benchmark.Step{RunID: runID, AcceptedAt: s.Now()}
	c.InTx(func(ctx context.Context, tx pgx.Tx) error {
		return s.Jobs.Ask(ctx, tx, caller.origin(operationID), step)
	})
}
