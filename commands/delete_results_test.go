package commands_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/operation"
	"readiness/domain/trackeditem"
	"readiness/domain/trackeditem/room"
	"readiness/eventstore"
	"readiness/projections"
	"readiness/storage/documents"
)

// assessed starts an assessment of a model and stores document as its result, as
// the worker does.
func (s *service) assessed(t *testing.T, caller commands.Caller, workspaceID, modelID uuid.UUID, document string) assessment.Assessment {
	t.Helper()
	started, err := s.Assessments.Start(t.Context(), caller, workspaceID, modelID)
	check(t, err)
	hash, stored, err := s.Documents.Put(t.Context(), []byte(document))
	check(t, err)
	made := assessment.Assessment{
		AssessmentID: s.NewID(), OperationID: started.OperationID, WorkspaceID: workspaceID, ModelID: modelID, AssessedAt: s.Now(), RegimeID: "2026-11", DocumentHash: hash,
	}
	run := eventstore.Fold(operation.Stream(started.OperationID), assessment.EvolveRun)
	standing := eventstore.FoldLast[assessment.Standing](assessment.Stream(caller.Account, modelID))
	err = s.Store.Change(t.Context(), eventstore.Metadata{Account: caller.Account}, []eventstore.Loadable{run, standing}, func(c *eventstore.Change) error {
		c.Queue(stored)
		end := assessment.EndModel{Result: assessment.Result{ModelID: modelID, Outcome: assessment.Assessed, AssessmentID: &made.AssessmentID}}
		return errors.Join(eventstore.Decide(c, run, end), eventstore.Decide(c, standing, assessment.Record{Assessment: made}))
	})
	check(t, err)
	s.claims(t, caller.Account, trackeditem.ViaAssessment, started.OperationID, modelID)
	return made
}

// kept reports whether a document is stored.
func (s *service) kept(t *testing.T, hash string) bool {
	t.Helper()
	_, err := s.Documents.Get(t.Context(), hash)
	if err != nil && !errors.Is(err, documents.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// trackedItem returns the model as a tracked item of the account, and the account's
// count.
func (s *service) trackedItem(t *testing.T, accountID string, modelID uuid.UUID) (trackeditem.Item, int) {
	t.Helper()
	i := eventstore.FoldLast[trackeditem.Item](trackeditem.Stream(accountID, modelID))
	total := eventstore.FoldLast[room.Total](room.Stream(accountID))
	check(t, s.Store.Load(t.Context(), i, total))
	return i.State, total.State.Used
}

// Deleting a model's assessments deletes the documents that no assessment of
// another model or account refers to. The item stays counted and the allowances
// stay spent; the next assessment has nothing to compare with.
//
// proves: decisions/8/17 3.4/values 2.6/status 2.8/comparableWithPrevious
func TestDeleteResults(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	ana, olaf := s.Ana(account.Team), s.Person("other", "olaf", account.Team)
	s.assessed(t, ana, retail, model(0), "one")
	second := s.assessed(t, ana, retail, model(0), "shared with a model")
	third := s.assessed(t, ana, retail, model(0), "shared with an account")
	twice := s.assessed(t, ana, retail, model(0), "one")
	s.assessed(t, ana, retail, model(1), "shared with a model")
	s.assessed(t, olaf, retail, model(0), "shared with an account")
	if _, n := s.trackedItem(t, "contoso", model(0)); n != 1 {
		t.Fatalf("%d items are tracked, want one", n)
	}
	list := func(accountID string, modelID uuid.UUID) []projections.Assessment {
		t.Helper()
		all, err := s.Views.Assessments(t.Context(), projections.AssessmentsQuery{AccountID: accountID, WorkspaceID: retail, ModelID: modelID, Limit: 100})
		check(t, err)
		return all
	}
	remove := func(caller commands.Caller, modelID uuid.UUID, want int) {
		t.Helper()
		if n, err := s.Assessments.DeleteResults(t.Context(), caller, retail, modelID); err != nil || n != want {
			t.Fatalf("deleted %d, %v, want %d", n, err, want)
		}
	}

	remove(ana, model(0), 4)
	if left := list("contoso", model(0)); len(left) != 0 {
		t.Errorf("%d assessments are listed", len(left))
	}
	if s.kept(t, twice.DocumentHash) || !s.kept(t, second.DocumentHash) || !s.kept(t, third.DocumentHash) {
		t.Errorf("kept: its own %v, another model's %v, another account's %v; want only those of others", s.kept(t, twice.DocumentHash), s.kept(t, second.DocumentHash), s.kept(t, third.DocumentHash))
	}
	if n, m := len(list("contoso", model(1))), len(list("other", model(0))); n != 1 || m != 1 {
		t.Errorf("of others' assessments %d and %d are listed, want one each", n, m)
	}
	if i, n := s.trackedItem(t, "contoso", model(0)); i.Status != trackeditem.StatusResultsDeleted || n != 1 {
		t.Errorf("the item is %s, and %d items count", i.Status, n)
	}
	if a, f := s.Used(t, "contoso", account.Assessments, account.Day), s.Used(t, "contoso", account.FirstLooks, account.Lifetime); a != 5 || f != 2 {
		t.Errorf("%d assessments and %d first looks are spent, want 5 and 2", a, f)
	}

	// If nothing is stored, nothing happens: on a second call, and for a model that
	// was never assessed.
	before := s.Left(t)
	remove(ana, model(0), 0)
	remove(s.Person("third", "tina", account.Team), model(0), 0)
	s.Unchanged(t, before)

	again := s.assessed(t, ana, retail, model(0), "one")
	if got := list("contoso", model(0)); len(got) != 1 || got[0].ComparableWithPrevious || got[0].AssessmentID != again.AssessmentID {
		t.Errorf("got %+v, want the one assessment, with nothing to compare it with", got)
	}
	if i, n := s.trackedItem(t, "contoso", model(0)); i.Status != trackeditem.StatusTracked || n != 1 {
		t.Errorf("the item is %s, and %d items count", i.Status, n)
	}
	if f := s.Used(t, "contoso", account.FirstLooks, account.Lifetime); f != 2 {
		t.Errorf("%d first looks are spent, though the model had its first look earlier", f)
	}
	remove(ana, model(1), 1) // assessed once, so no tracked item
	if i, _ := s.trackedItem(t, "contoso", model(1)); i.Counts() || s.kept(t, second.DocumentHash) {
		t.Errorf("the item is %q; its document is kept: %v", i.Status, s.kept(t, second.DocumentHash))
	}
	remove(olaf, model(0), 1)
	if s.kept(t, third.DocumentHash) {
		t.Error("a document that no assessment refers to is kept")
	}
}

// A refused deletion leaves no trace: of a model that the caller cannot see, and of
// one that is being assessed, alone or in a bulk run.
func TestRefusedDeletionOfResults(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	ana := s.Ana(account.Team)
	s.assessed(t, ana, retail, model(0), "one")
	refused := func(workspaceID, modelID uuid.UUID, code domain.Code) {
		t.Helper()
		before := s.Left(t)
		if n, err := s.Assessments.DeleteResults(t.Context(), ana, workspaceID, modelID); n != 0 && err == nil || !domain.IsRefused(err, code) {
			t.Errorf("got %d, %v, want %s", n, err, code)
		}
		s.Unchanged(t, before)
	}
	refused(uuid.New(), model(0), domain.WorkspaceNotFound)
	refused(secret, model(901), domain.WorkspaceNotFound)
	refused(retail, model(77), domain.ItemNotFound)
	refused(retail, model(900), domain.ItemNotFound)
	if _, err := s.Assessments.Start(t.Context(), ana, retail, model(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Assessments.StartBulk(t.Context(), ana, retail, []uuid.UUID{model(1)}); err != nil {
		t.Fatal(err)
	}
	refused(retail, model(0), domain.OperationInProgress)
	refused(retail, model(1), domain.OperationInProgress)
}

// A document that is stored again while its last assessment is being deleted is
// kept: the deletion waits for the transaction that stores it, and then checks
// again.
func TestDocumentStoredAgainWhileItIsDeleted(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	ana := s.Ana(account.Team)
	made := s.assessed(t, ana, retail, model(0), "shared")

	storing, err := s.Pool.Begin(t.Context())
	check(t, err)
	defer func() { _ = storing.Rollback(context.Background()) }()
	_, stored, err := s.Documents.Put(t.Context(), []byte("shared"))
	check(t, err)
	if _, err := storing.Exec(t.Context(), stored.SQL, stored.Args...); err != nil {
		t.Fatal(err)
	}
	deleted := make(chan error, 1)
	go func() {
		_, err := s.Assessments.DeleteResults(t.Context(), ana, retail, model(0))
		deleted <- err
	}()
	for waits := false; !waits; { // ends with the test's time
		select {
		case err := <-deleted:
			t.Fatalf("the deletion did not wait: %v", err)
		default:
		}
		check(t, s.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
	}
	if _, err := storing.Exec(t.Context(), `INSERT INTO assessments_v6 (id, account_id, operation_id, workspace_id, model_id, assessed_at, assessment)
		VALUES (gen_random_uuid(), 'other', $1, $2, $3, now(), jsonb_build_object('documentHash', $4::text))`, uuid.New(), retail, model(7), made.DocumentHash); err != nil {
		t.Fatal(err)
	}
	check(t, storing.Commit(t.Context()))
	check(t, <-deleted)
	if !s.kept(t, made.DocumentHash) {
		t.Error("the document of an assessment that is stored is gone")
	}
	if _, found, err := s.Views.Assessment(t.Context(), "contoso", retail, model(0), made.AssessmentID); found || err != nil {
		t.Errorf("the deleted assessment is found: %v, %v", found, err)
	}
}
