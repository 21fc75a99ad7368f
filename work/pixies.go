package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"readiness/commands"
	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/pixie"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/pixies"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
	"readiness/internal/database"
)

// changePixies is the job that changes one report of a run.
type changePixies struct {
	commands.Origin
	pixies.Step
}

// Kind implements river.JobArgs.
func (changePixies) Kind() string { return "change-pixies" }

// pixier carries out changePixies jobs.
type pixier struct {
	river.WorkerDefaults[changePixies]
	Options
	shared *shared
}

// copyLife is how long a copy of a definition is kept.
const copyLife = 30 * 24 * time.Hour

// Work implements river.Worker. An error is an internal error that is worth another
// attempt; problems of the platform or the report are outcomes in the log.
func (w *pixier) Work(ctx context.Context, job *river.Job[changePixies]) (ended error) {
	defer w.shared.begin(job.ID)()
	step := job.Args
	defer w.release(ctx, step.Origin, item.Item{ID: step.ReportID, Type: item.Report, WorkspaceID: step.WorkspaceID}, &ended)
	release, err := w.shared.turn(ctx, w.shared.definitions, keyOf(step.AccountID, step.PersonID))
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	run := eventstore.Fold(operation.Stream(step.OperationID), pixies.EvolveRun)
	err = w.Store.Change(ctx, step.Metadata(), []eventstore.Loadable{run}, func(c *eventstore.Change) error {
		return eventstore.Decide(c, run, pixies.Begin{})
	})
	if err != nil || !run.State.Open(step.ReportID) || run.State.Operation.Rests() {
		return err
	}
	var done *pixies.ChangeIntended
	if before := attemptsSinceEnqueued(job.JobRow); before.crashedTooOften() {
		err = domain.Refuse(run.State.Verb.OperationCode(""),
			"the service crashed %d times while it changed this report, and gave up; this is a fault of the service: report it to "+
				"the operator", before.crashed)
	} else {
		done, err = w.change(ctx, step, run.State)
	}
	if err == nil {
		return w.end(ctx, step, *done, nil)
	}
	if rests, failed := w.rests(ctx, step.Origin, run.State.Operation.Resumed, err); rests {
		return failed
	}
	_, doubt := errors.AsType[*inDoubt](err)
	before := attemptsSinceEnqueued(job.JobRow)
	switch refusal, refused := domain.Refused(err); {
	case doubt && !before.lasting, before.again(err):
		return err
	case refused:
		return w.end(ctx, step, pixies.ChangeIntended{},
			&operation.Failure{Code: run.State.Verb.OperationCode(refusal.Code), Message: shortened(refusal.Message)})
	case before.gaveUp():
		w.Log.Error("a step failed too often; its operation ends with an internal error", "operationId", step.OperationID,
			"reportId", step.ReportID, "error", err)
		return w.end(ctx, step, pixies.ChangeIntended{},
			&operation.Failure{Code: run.State.Verb.OperationCode(""),
				Message: "an internal error kept the service from changing this report; call again later"})
	}
	return err
}

// change brings the report to the state that the run wants and returns what was
// done. The log says what will be written before the platform is changed. Repeating
// it after a crash has the same result, because a report in the wanted state is not
// written. A panic is handled like any internal error: it is retried a limited number of
// times.
func (w *pixier) change(ctx context.Context, step changePixies, run pixies.Run) (_ *pixies.ChangeIntended, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			w.Log.Error("a change of a report panicked", "operationId", step.OperationID, "reportId", step.ReportID, "fault", fault,
				"stack", string(debug.Stack()))
			err = fmt.Errorf("work: a change of a report panicked: %v", fault)
		}
	}()
	token, ok, err := w.Vault.Token(ctx, step.OperationID, w.Now())
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, domain.Refuse(run.Verb.OperationCode(""), "the token of the call expired before this report was changed; call again")
	}
	as, err := w.caller(ctx, step.Origin, token)
	if err != nil {
		return nil, err
	}
	named, _ := run.Report(step.ReportID)
	it := item.Item{ID: step.ReportID, Type: item.Report, WorkspaceID: step.WorkspaceID, DisplayName: named.ReportName}
	// An earlier attempt may have written.
	_, doubt := run.Intended[step.ReportID]
	refused := false
	for range rewrites {
		done, err := w.changeOnce(ctx, as, it, step, run, refused)
		if domain.IsRefused(err, domain.ItemNotFound) {
			return nil, errors.Join(err, w.noticeGone(ctx, as, step))
		}
		if err != nil || done != nil {
			return done, err
		}
		refused = !doubt
	}
	return nil, errors.New("work: the report changed before each of several attempts to write it; another program may be writing it")
}

// changeOnce reads the report and writes it. It returns nil when the report changed
// in between, or when another worker of the step recorded its intent first. refused
// means that this happened before and that nothing was written.
func (w *pixier) changeOnce(ctx context.Context, as item.Caller, it item.Item, step changePixies, run pixies.Run,
	refused bool) (*pixies.ChangeIntended, error) {
	report := eventstore.FoldLast[pixies.Report](pixies.Stream(step.AccountID, step.ReportID))
	now := eventstore.Fold(operation.Stream(step.OperationID), pixies.EvolveRun)
	if err := w.Store.Load(ctx, report, now); err != nil {
		return nil, err
	}
	if !now.State.Open(step.ReportID) {
		return &pixies.ChangeIntended{}, nil // another worker has ended the step
	}
	earlier, again := now.State.Intended[step.ReportID]
	d, ended, err := w.look(ctx, as, it, now.State)
	if err != nil {
		return nil, err
	}
	known := report.State.Known()
	if again {
		known = pixies.Report{Placed: earlier.Placed}.Known()
	}
	changed, intended, err := w.edit(ctx, d, step, run, known)
	if err != nil {
		return nil, err
	}
	if again { // the recorded intent is what was done
		intended.Outcome, intended.TrackedItem, intended.ModelID = earlier.Outcome, earlier.TrackedItem, earlier.ModelID
	} else if intended.Outcome == pixies.OutcomeAdded && report.State.Status == pixies.StatusHasPixies {
		intended.Outcome = pixies.OutcomeUpdated
	}
	before := d.Hash()
	asWanted := before == changed.Hash()
	if asWanted && (again || run.Verb == pixies.Removes) {
		return &intended, nil
	}
	if err := notKept(ended, earlier, before, run.Verb); err != nil {
		return nil, err
	}
	if !again || earlier.DefinitionHash != before {
		intended.DefinitionHash = before
		var kept *definition.Definition
		if run.KeepCopies && !asWanted && (!again || refused || run.Verb == pixies.Removes) {
			kept = &d
		}
		if ours, err := w.intend(ctx, as, it, step, run, kept, &intended, earlier); err != nil || !ours {
			return nil, err
		}
	}
	if asWanted {
		return &intended, nil
	}
	return w.answered(ctx, step, intended, w.Platform.WriteDefinition(ctx, as, it, changed, before))
}

// edit returns the report as the run wants it. It changes only the account's own
// Pixies. A panic of the rules fails this report only.
func (w *pixier) edit(ctx context.Context, d definition.Definition, step changePixies, run pixies.Run,
	known map[string]string) (changed definition.Definition, i pixies.ChangeIntended, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			w.Log.Error("an edit of a report panicked", "operationId", step.OperationID, "reportId", step.ReportID, "fault", fault, "stack",
				string(debug.Stack()))
			err = domain.Refuse(run.Verb.OperationCode(""),
				"the service could not change this report: internal error; the operator's log has the details")
		}
	}()
	i.ReportID = step.ReportID
	ids, err := pixie.IDs(d, step.ReportID.String())
	if err != nil {
		return changed, i, unchangeable(run.Verb, err)
	}
	own, err := w.OwnPixies(ctx, step.AccountID, ids)
	if err != nil {
		return changed, i, err
	}
	for _, id := range known { // those of a write that is not recorded yet
		own[id] = true
	}
	owner := pixie.Owner{Mark: pixie.Mark(w.PixieKey, step.AccountID), IDs: own}
	if run.Verb == pixies.Removes {
		i.Outcome = pixies.OutcomeRemoved
		changed, _, err = pixie.Remove(d, step.ReportID.String(), owner)
	} else {
		i.Outcome = pixies.OutcomeAdded
		setup := pixie.Setup{
			CollectorBaseURL: run.Setup.CollectorBaseURL, Size: run.Setup.Size, Corner: pixie.Corner(run.Setup.Corner),
			ExcludePages: run.Setup.ExcludePages,
		}
		var placed []pixie.Placed
		var counts pixie.Counts
		var edited bool
		changed, placed, counts, edited, err = pixie.Put(d, step.ReportID.String(), owner, setup, known, w.newPixie)
		if err == nil && len(placed) == 0 && !edited {
			err = errNoPage
		}
		i.Pages, i.Visuals = counts.Pages, counts.Visuals
		for _, p := range placed {
			i.Placed = append(i.Placed, pixies.Placed{Page: p.Page, ID: p.ID})
		}
	}
	if err != nil {
		err = unchangeable(run.Verb, err)
	}
	return changed, i, err
}

// errNoPage is the error of a report in which a Pixie has no place.
var errNoPage = errors.New("it has no page that could get a Pixie, or the workspace's tracking setup excludes all its pages; " +
	"add a page or change the setup, and call again")

// unchangeable refuses to change a report whose definition does not allow it.
func unchangeable(verb pixies.Verb, err error) error {
	code := verb.OperationCode("")
	if _, unreadable := errors.AsType[*jsonpart.Error](err); unreadable {
		code = domain.ItemNotReadable
	}
	return domain.Refuse(code, "the report cannot be changed: %s", err)
}

// newPixie returns an id that cannot be guessed: 122 random bits.
func (w *pixier) newPixie() string {
	id := uuid.New()
	return fmt.Sprintf("%x", id[:])
}

// intend records what is about to be written, with a copy of the current definition
// if one is kept. A report that never had Pixies is reserved now if the call did
// not reserve it. ours is false, and nothing is recorded, when another worker of
// the step was first: the last recorded intent is not earlier, or the report has
// its outcome.
func (w *pixier) intend(ctx context.Context, as item.Caller, it item.Item, step changePixies, run pixies.Run, kept *definition.Definition,
	intended *pixies.ChangeIntended, earlier pixies.ChangeIntended) (ours bool, err error) {
	past := eventstore.Fold(operation.Stream(step.OperationID), pixies.EvolveRun)
	tracking := commands.Track(step.AccountID, step.ReportID)
	owner := eventstore.FoldCached(account.Stream(step.AccountID), account.Evolve)
	var stored database.Statement
	if kept != nil {
		body, err := json.Marshal(pixies.Copy{ReportID: step.ReportID, Parts: kept.Parts})
		if err != nil {
			return false, fmt.Errorf("work: encode the copy of a report: %w", err)
		}
		if intended.CopyHash, stored, err = w.Documents.PutUntil(ctx, body, w.Now().Add(copyLife)); err != nil {
			return false, err
		}
	}
	adds := run.Verb == pixies.Adds
	if adds {
		if model, ok, err := w.Platform.ModelOf(ctx, as, it); err != nil {
			return false, err
		} else if ok {
			intended.ModelID = &model.ID
		}
	}
	limits, ok := w.Plans[step.Plan]
	if adds && !ok {
		return false, fmt.Errorf("work: the plan %q is unknown to this process; give every process the same --plans file", step.Plan)
	}
	err = w.Store.Change(ctx, step.Metadata(), append(tracking.Pasts(), past, owner), func(c *eventstore.Change) error {
		if ours = past.State.Open(step.ReportID) && past.State.Intended[step.ReportID].DefinitionHash == earlier.DefinitionHash; !ours {
			return nil
		}
		if adds {
			reserve := trackeditem.Reserve{
				OperationID: step.OperationID, ItemID: step.ReportID, ItemType: item.Report,
				WorkspaceID: run.WorkspaceID, WorkspaceName: run.WorkspaceName, DisplayName: it.DisplayName,
			}
			if err := tracking.Reserve(c, room.CapsOf(owner.State, run.License, limits.TrackedItems), reserve); err != nil {
				return err
			}
		}
		if stored.SQL != "" {
			c.Queue(stored)
		}
		return eventstore.Decide(c, past, pixies.Intend{Intended: *intended})
	})
	return ours, err
}

// end records a report's outcome in one append: on the run, on the report's own
// stream and on its tracked item. Repeating it changes nothing.
func (w *pixier) end(ctx context.Context, step changePixies, done pixies.ChangeIntended, failure *operation.Failure) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	run := eventstore.Fold(operation.Stream(step.OperationID), pixies.EvolveRun)
	report := eventstore.FoldLast[pixies.Report](pixies.Stream(step.AccountID, step.ReportID))
	tracking := commands.Track(step.AccountID, step.ReportID)
	return w.Store.Change(ctx, step.Metadata(), append(tracking.Pasts(), run, report), func(c *eventstore.Change) error {
		if !run.State.Open(step.ReportID) {
			return nil
		}
		if err := w.track(c, step, run.State, tracking, failure == nil); err != nil {
			return err
		}
		ended := pixies.ReportEnded{
			ReportID: step.ReportID, Outcome: done.Outcome, Error: failure, TrackedItem: tracking.Claimed(step.OperationID, step.ReportID),
		}
		adds := run.State.Verb == pixies.Adds
		switch {
		case failure != nil:
			ended.Outcome = pixies.OutcomeFailed
		case adds:
			ended.Pages, ended.Visuals = &done.Pages, &done.Visuals
		}
		if err := eventstore.Decide(c, run, pixies.EndReport{Ended: ended}); err != nil {
			return err
		}
		if run.State.Operation.Status.Ended() {
			c.Queue(w.Vault.Forget(step.OperationID))
		}
		switch {
		case failure != nil:
			return eventstore.Decide(c, report, pixies.Release{OperationID: step.OperationID})
		case adds:
			return eventstore.Decide(c, report, pixies.Add{
				OperationID: step.OperationID, ModelID: done.ModelID, Pages: done.Pages, Visuals: done.Visuals, Placed: done.Placed,
				At: w.Now(),
			})
		}
		return eventstore.Decide(c, report, pixies.Remove{OperationID: step.OperationID, At: w.Now()})
	})
}

// track records the outcome on the report as a tracked item: a report that got
// Pixies becomes one, and unused reservations are released.
func (w *pixier) track(c *eventstore.Change, step changePixies, run pixies.Run, tracking *commands.Tracking, changed bool) error {
	switch named, _ := run.Report(step.ReportID); {
	case !changed:
		return tracking.Release(c, step.OperationID)
	case run.Verb == pixies.Removes:
		return eventstore.Decide(c, tracking.Stream(step.ReportID), trackeditem.RemovePixies{})
	case tracking.Item(step.ReportID).Counts():
		return eventstore.Decide(c, tracking.Stream(step.ReportID), trackeditem.TrackAgain{
			WorkspaceID: run.WorkspaceID, WorkspaceName: run.WorkspaceName, DisplayName: named.ReportName,
		})
	}
	return tracking.Claim(c, step.OperationID, step.ReportID, "", w.Now())
}

// noticeGone records that a report was deleted, if a complete listing of its
// workspace lacks it (decisions/8/8).
func (w *pixier) noticeGone(ctx context.Context, as item.Caller, step changePixies) error {
	if !lacks(ctx, w.Platform, as, step.WorkspaceID, item.Report, step.ReportID) {
		return nil
	}
	at := w.Now()
	report := eventstore.FoldLast[pixies.Report](pixies.Stream(step.AccountID, step.ReportID))
	tracked := commands.TrackedItem(step.AccountID, step.ReportID)
	return w.Store.Change(ctx, step.Metadata(), []eventstore.Loadable{report, tracked}, func(c *eventstore.Change) error {
		if err := eventstore.Decide(c, report, pixies.MarkDeleted{WorkspaceID: step.WorkspaceID, At: at}); err != nil {
			return err
		}
		return eventstore.Decide(c, tracked, trackeditem.MarkDeleted{WorkspaceID: step.WorkspaceID, At: at})
	})
}
