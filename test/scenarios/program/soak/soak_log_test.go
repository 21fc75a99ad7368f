//go:build hard

package soak_test

import (
	"bufio"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/cmd/readinessd/wiring"
	"readiness/definition"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/assessment"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/domain/schedule"
	"readiness/domain/trackeditem"
	"readiness/eventstore"
	"readiness/eventstore/sealed"
	"readiness/platform/folder"
	"readiness/storage/people"
	"readiness/test/scenarios/program"
	"readiness/test/testworld"
)

// settle repeats calls without an answer, deletes the schedules, and has owners read their operations until all have
// ended.
func (s *soak) settle() {
	s.T.Helper()
	for _, p := range s.people {
		later := p.later
		p.later = nil
		for _, e := range later {
			p.run(s.T.Context(), e)
		}
	}
	owners := s.owners()
	// An operation that was accepted although no one received the answer is also advanced by its owner's reads.
	s.Await("every operation has ended", func() bool {
		open, ok := program.Query[map[string]item.PersonID](s.Program, `SELECT coalesce(json_object_agg(data->>'operationId', data->>'owner'), '{}') FROM events a WHERE type = 'operation.accepted'
			AND NOT EXISTS (SELECT FROM events e WHERE e.stream = a.stream AND e.type IN ('operation.succeeded', 'operation.failed', 'operation.cancelled'))`)
		for id, owner := range open {
			_, s.Last = owners[owner].ask(s.T.Context(), "poll", http.MethodGet, "/v1/operations/"+id, nil)
		}
		s.Wait(s.T.Context(), 50*time.Millisecond)
		return ok && len(open) == 0
	})
	for _, p := range s.people {
		s.Await("every schedule is deleted", func() bool {
			return p.schedules(s.T.Context(), func(id string) {
				p.ask(s.T.Context(), "delete schedule", http.MethodDelete, "/v1/aiReadiness/schedules/"+id, nil)
			})
		})
	}
	s.Await("every step is done", func() bool {
		left, ok := program.Query[int](s.Program, `SELECT count(*) FROM river_job WHERE finalized_at IS NULL`)
		return ok && left == 0
	})
}

// report logs what the load was.
func (s *soak) report() {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	var lines strings.Builder
	calls := 0
	for _, outcome := range slices.Sorted(maps.Keys(s.calls.counts)) {
		if !strings.HasPrefix(outcome, "ended: ") {
			calls += s.calls.counts[outcome]
		}
		fmt.Fprintf(&lines, "\n%7d %s", s.calls.counts[outcome], outcome)
	}
	unheard := 0
	for _, p := range s.people {
		unheard += len(p.later)
	}
	s.T.Logf("seed %d: %d calls in %s by %d people of %d accounts, %d of them never answered; %d kills of processes, %d of PostgreSQL; %d views seen%s",
		s.Seed, calls, *soakFor, len(s.people), len(s.tenants), unheard, s.processKills, s.databaseKills, s.seen.Load(), lines.String())
}

// ledger is the state that the log's events add up to.
type ledger struct {
	s          *soak
	positions  int64
	events     map[uuid.UUID]bool
	versions   map[string]int64
	operations map[uuid.UUID]*operationRecord
	used       map[string]int                       // by the allowance's stream
	net        map[account.Kind]map[uuid.UUID]int   // spent and not refunded, by operation
	firstLooks map[string]int                       // spent and not refunded, by account
	standings  map[string]map[string]int            // assessments accepted and not refunded, by account and model's stream
	writers    map[string]uuid.UUID                 // the holder of a model's lock, by stream
	written    map[uuid.UUID]string                 // hash of a model's definition according to the log
	unsure     map[uuid.UUID]map[string]bool        // other possible hashes: a write was never answered
	works      map[uuid.UUID]optimization.Work      // by operation
	reports    map[string]pixies.Report             // by stream
	recorded   map[string]bool                      // assessments by stream and operation
	asked      map[string]map[benchmark.AskKey]bool // by run's stream
	ended      map[string]map[uuid.UUID]bool        // models and reports of runs, by the operation's stream
	claimed    map[string]bool                      // tracked items, by stream
	documents  map[string]string                    // hash, and the event that refers to it
	deleted    map[string]bool                      // streams whose documents may be gone
	refers     map[string][]string                  // hashes by stream
	views      int64
	landed     int                // writes
	children   map[uuid.UUID]bool // operations of bundles and of schedules, which no call starts directly
}

type operationRecord struct {
	operation.Operation
	stream string
	ends   int
}

func (l *ledger) wrong(r eventstore.Recorded, format string, args ...any) {
	l.s.T.Errorf("event %d (%s %d, %s): %s", r.Position, r.Stream, r.Version, r.Type, fmt.Sprintf(format, args...))
}

// verifyLog folds the complete log and compares every event with the earlier ones.
func (s *soak) verifyLog() {
	s.T.Helper()
	pool, err := pgxpool.New(s.T.Context(), s.URL())
	testworld.Check(s.T, err)
	defer pool.Close()
	opened, err := wiring.OpenLog(pool, nil, time.Now, slog.New(slog.DiscardHandler))
	testworld.Check(s.T, err)
	testworld.Check(s.T, opened.Unseal(s.key("accounts", sealed.KeySize)))
	last, err := opened.Store.Watermark(s.T.Context())
	testworld.Check(s.T, err)
	l := &ledger{
		s: s, events: map[uuid.UUID]bool{}, versions: map[string]int64{}, operations: map[uuid.UUID]*operationRecord{}, used: map[string]int{},
		net: map[account.Kind]map[uuid.UUID]int{}, firstLooks: map[string]int{}, standings: map[string]map[string]int{}, writers: map[string]uuid.UUID{},
		written: map[uuid.UUID]string{}, unsure: map[uuid.UUID]map[string]bool{}, works: map[uuid.UUID]optimization.Work{}, reports: map[string]pixies.Report{},
		recorded: map[string]bool{}, asked: map[string]map[benchmark.AskKey]bool{}, ended: map[string]map[uuid.UUID]bool{}, claimed: map[string]bool{},
		documents: map[string]string{}, deleted: map[string]bool{}, refers: map[string][]string{}, children: map[uuid.UUID]bool{},
	}
	s.ledger = l
	for r, err := range opened.Store.ReadAll(s.T.Context(), 0, last) {
		testworld.Check(s.T, err)
		l.add(r)
	}
	l.verify()
}

// add compares an event with the earlier ones.
func (l *ledger) add(r eventstore.Recorded) {
	if r.Position <= l.positions {
		l.wrong(r, "it comes after position %d", l.positions)
	}
	l.positions = r.Position
	if l.events[r.ID] {
		l.wrong(r, "its id %s is twice in the log", r.ID)
	}
	l.events[r.ID] = true
	if r.Version != l.versions[r.Stream]+1 {
		l.wrong(r, "it comes after version %d", l.versions[r.Stream])
	}
	l.versions[r.Stream] = r.Version
	l.refer(r)
	if id, ok := operation.StreamID(r.Stream); ok {
		l.operation(r, id)
	}
	switch e := r.Event.(type) {
	case account.Spent:
		l.spend(r, e.Kind, e.OperationID, e.Amount, e.Used)
	case account.Refunded:
		l.spend(r, e.Kind, e.OperationID, -e.Amount, e.Used)
	case optimization.LockTaken:
		l.take(r, e.OperationID)
	case optimization.LockReleased:
		l.release(r, e.OperationID)
	case assessment.Accepted:
		l.standing(r, e.Standing)
	case assessment.Refunded:
		l.standing(r, e.Standing)
	case assessment.Recorded:
		l.standing(r, e.Standing)
		if at := r.Stream + e.OperationID.String(); l.recorded[at] {
			l.wrong(r, "operation %s recorded it twice", e.OperationID)
		} else {
			l.recorded[at] = true
		}
	case assessment.ResultsDeleted:
		l.deleted[r.Stream] = true
	case benchmark.RunDeleted, abtest.RunErased, abtest.Deleted:
		l.deleted[r.Stream] = true
	case benchmark.Asked:
		if l.asked[r.Stream] == nil {
			l.asked[r.Stream] = map[benchmark.AskKey]bool{}
		}
		if l.asked[r.Stream][e.Key()] {
			l.wrong(r, "question %s was asked the %d. time twice", e.QuestionID, e.N)
		}
		l.asked[r.Stream][e.Key()] = true
	case assessment.ModelEnded:
		l.end(r, e.ModelID)
	case pixies.ReportEnded:
		l.end(r, e.ReportID)
	case trackeditem.Claimed:
		if l.claimed[r.Stream] {
			l.wrong(r, "it was claimed before")
		}
		l.claimed[r.Stream] = true
	case schedule.SlotStarted:
		l.children[e.OperationID] = true
	case pixies.Seen:
		for _, n := range e.Views {
			l.views += int64(n)
		}
	}
	if after, ok := domain.After[pixies.Report](r.Event); ok {
		l.report(r, after)
	}
}

// operation checks the states of an operation and its writes.
func (l *ledger) operation(r eventstore.Recorded, id uuid.UUID) {
	o := l.operations[id]
	if o == nil {
		o = &operationRecord{stream: r.Stream}
		l.operations[id] = o
		if _, accepted := r.Event.(operation.Accepted); !accepted {
			l.wrong(r, "the operation was not accepted before")
		}
	}
	o.Operation = operation.Evolve(o.Operation, r.Event)
	switch r.Event.(type) {
	case operation.Succeeded, operation.Failed, operation.Cancelled:
		if o.ends++; o.ends > 1 {
			l.wrong(r, "the operation ended before")
		}
	case operation.Accepted, operation.Started, operation.Progressed, operation.Resumed, operation.WaitingForOwner:
		if o.ends > 0 {
			l.wrong(r, "the operation has ended")
		}
	}
	work := optimization.Evolve(l.works[id], r.Event)
	l.works[id] = work
	if o.Resource.ItemID == nil {
		return
	}
	model, stream := *o.Resource.ItemID, optimization.Stream(o.Account, *o.Resource.ItemID)
	switch e := r.Event.(type) {
	case optimization.PreviewAccepted:
		l.child(id, e.Bundle)
	case optimization.ApplyAccepted:
		l.child(id, e.Bundle)
	case optimization.WriteIntended:
		if l.writers[stream] != id {
			l.wrong(r, "it is written while operation %s holds the model", l.writers[stream])
		}
		if now := l.hash(model); e.DefinitionHash != now && !l.unsure[model][e.DefinitionHash] {
			l.wrong(r, "what was read has hash %s; the log says %s", e.DefinitionHash, now)
		}
	case optimization.WriteLanded:
		l.landed++
		if l.writers[stream] != id {
			l.wrong(r, "it was written while operation %s holds the model", l.writers[stream])
		}
		if intended := work.Progress[e.Write].Intended; intended == nil {
			l.wrong(r, "nothing was intended")
		} else if intended.WrittenHash != "" {
			l.written[model], l.unsure[model] = intended.WrittenHash, nil
		}
	case optimization.WriteFailed:
		if intended := work.Progress[e.Write].Intended; intended != nil {
			if l.unsure[model] == nil {
				l.unsure[model] = map[string]bool{}
			}
			l.unsure[model][intended.WrittenHash] = true
			l.s.T.Logf("write %d of operation %s failed after it was intended: %v", e.Write, id, e.Failure)
		}
	}
}

func (l *ledger) child(id uuid.UUID, bundle *uuid.UUID) {
	if bundle != nil {
		l.children[id] = true
	}
}

// spend checks the running total of an allowance.
func (l *ledger) spend(r eventstore.Recorded, kind account.Kind, id uuid.UUID, amount, used int) {
	if l.used[r.Stream] += amount; l.used[r.Stream] != used || used < 0 {
		l.wrong(r, "it says that %d are used; its events come to %d", used, l.used[r.Stream])
	}
	if kind == account.FirstLooks {
		l.firstLooks[r.Account] += amount
		return
	}
	if l.net[kind] == nil {
		l.net[kind] = map[uuid.UUID]int{}
	}
	if l.net[kind][id] += amount; l.net[kind][id] < 0 {
		l.wrong(r, "operation %s refunds more than it spent", id)
	}
}

func (l *ledger) take(r eventstore.Recorded, id uuid.UUID) {
	if holder := l.writers[r.Stream]; holder != uuid.Nil {
		l.wrong(r, "operation %s takes what operation %s holds", id, holder)
	}
	l.writers[r.Stream] = id
}

func (l *ledger) release(r eventstore.Recorded, id uuid.UUID) {
	if holder := l.writers[r.Stream]; holder != id {
		l.wrong(r, "operation %s releases what operation %s holds", id, holder)
	}
	delete(l.writers, r.Stream)
}

// report checks that one operation at a time has a report.
func (l *ledger) report(r eventstore.Recorded, after pixies.Report) {
	if _, held := r.Event.(pixies.Locked); held {
		l.take(r, *after.Holder)
	} else if before := l.reports[r.Stream]; before.Holder != nil {
		l.release(r, *before.Holder)
	}
	l.reports[r.Stream] = after
}

func (l *ledger) standing(r eventstore.Recorded, standing assessment.Standing) {
	if l.standings[r.Account] == nil {
		l.standings[r.Account] = map[string]int{}
	}
	l.standings[r.Account][r.Stream] = standing.Accepted
}

// end checks that a model or a report of a run ends once.
func (l *ledger) end(r eventstore.Recorded, id uuid.UUID) {
	if l.ended[r.Stream] == nil {
		l.ended[r.Stream] = map[uuid.UUID]bool{}
	}
	if l.ended[r.Stream][id] {
		l.wrong(r, "%s ended before", id)
	}
	l.ended[r.Stream][id] = true
}

var idIn = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// refer records which documents an event names.
func (l *ledger) refer(r eventstore.Recorded) {
	for _, found := range program.DocumentIn.FindAllSubmatch(r.Data, -1) {
		l.documents[string(found[1])] = fmt.Sprintf("%s of %s", r.Type, r.Stream)
		l.refers[r.Stream] = append(l.refers[r.Stream], string(found[1]))
	}
}

// hash returns the hash of a model's definition according to the log: the original one until something is written.
func (l *ledger) hash(model uuid.UUID) string {
	if hash, ok := l.written[model]; ok {
		return hash
	}
	l.written[model] = l.s.original[model]
	return l.written[model]
}

// verify checks the final state of the ledger.
func (l *ledger) verify() {
	t := l.s.T
	states := map[string]int{}
	for id, o := range l.operations {
		state := fmt.Sprintf("%s %s", o.Type, o.Status)
		if o.Failure != nil {
			state += fmt.Sprintf(" %s: %s", o.Failure.Code, idIn.ReplaceAllString(o.Failure.Message, "ID"))
		}
		states[state]++
		if o.ends != 1 {
			t.Errorf("operation %s (%s) of %s has %d ends", id, o.Type, o.Account, o.ends)
		}
		if slices.Contains([]operation.Type{operation.PreviewOptimizations, operation.ApplyOptimizations, operation.RevertOptimizations}, o.Type) {
			continue // their children spend
		}
		for kind, says := range map[account.Kind]*int{
			account.Assessments: o.Impact.Assessments, account.OptimizationApplies: o.Impact.OptimizationApplies,
			account.BenchmarkRuns: o.Impact.BenchmarkRuns, account.BenchmarkBuilds: o.Impact.BenchmarkBuilds,
		} {
			want := 0
			if says != nil {
				want = *says
			}
			if got := l.net[kind][id]; got != want {
				t.Errorf("operation %s (%s, %s) says that it spent %d %s; the allowance's events come to %d", id, o.Type, o.Status, want, kind, got)
			}
		}
	}
	for kind, operations := range l.net {
		for id := range operations {
			if l.operations[id] == nil {
				t.Errorf("%s were spent by operation %s, which is not in the log", kind, id)
			}
		}
	}
	for _, a := range l.s.tenants {
		looked := 0
		for _, accepted := range l.standings[a.name] {
			looked += min(accepted, 1)
		}
		if l.firstLooks[a.name] != looked {
			t.Errorf("%s spent %d first looks and has %d models that were assessed", a.name, l.firstLooks[a.name], looked)
		}
	}
	for stream, holder := range l.writers {
		t.Errorf("%s is held by operation %s at the end", stream, holder)
	}
	if seen := l.s.seen.Load(); l.views > seen {
		t.Errorf("%d views are counted, and %d were seen", l.views, seen)
	}
	for stream := range l.deleted {
		for _, hash := range l.refers[stream] {
			delete(l.documents, hash) // another stream may refer to it too; it is then not checked
		}
	}
	stored, ok := program.Query[[]string](l.s.Program, `SELECT coalesce(array_agg(hash), '{}') FROM documents`)
	if !ok {
		t.Fatal("the database does not answer")
	}
	for _, hash := range stored {
		delete(l.documents, hash)
	}
	for hash, by := range l.documents {
		t.Errorf("document %s, which %s names, is not stored", hash, by)
	}
	text, err := json.MarshalIndent(states, "", "  ")
	testworld.Check(t, err)
	t.Logf("%d events on %d streams, %d writes of models, %d views counted; %d operations: %s", len(l.events), len(l.versions), l.landed, l.views, len(l.operations), text)
}

// verifyKeys checks that each answered call is an operation, and that each operation belongs to one call.
func (s *soak) verifyKeys() {
	s.T.Helper()
	kept, ok := program.Query[map[string]uuid.UUID](s.Program, `SELECT json_object_agg(key, operation_id) FROM idempotency_keys WHERE operation_id IS NOT NULL`)
	if !ok {
		s.T.Fatal("the database does not answer")
	}
	for _, a := range s.tenants {
		for key, id := range a.answered {
			if kept[key] != id {
				s.T.Errorf("key %s was answered with operation %s, and stands for %s", key, id, kept[key])
			}
			if s.ledger.operations[id] == nil {
				s.T.Errorf("operation %s was accepted under key %s, and is not in the log", id, key)
			}
		}
	}
	under := map[uuid.UUID]string{}
	for key, id := range kept {
		if under[id] != "" {
			s.T.Errorf("operation %s stands under keys %s and %s", id, under[id], key)
		}
		under[id] = key
	}
	for id, o := range s.ledger.operations {
		if under[id] == "" && !s.ledger.children[id] {
			s.T.Errorf("operation %s (%s) of %s is in the log, and no call asked for it", id, o.Type, o.Account)
		}
	}
}

// key derives a key as the processes do.
func (s *soak) key(purpose string, size int) []byte {
	s.T.Helper()
	secret, err := os.ReadFile(filepath.Join(s.Data, "service.key"))
	testworld.Check(s.T, err)
	key, err := hkdf.Key(sha256.New, secret, nil, "readiness/"+purpose, size)
	testworld.Check(s.T, err)
	return key
}

// owners returns the people by their ids, which the processes gave them.
func (s *soak) owners() map[item.PersonID]*person {
	s.T.Helper()
	pool, err := pgxpool.New(s.T.Context(), s.URL())
	testworld.Check(s.T, err)
	defer pool.Close()
	known, err := people.New(pool, s.key("people", people.KeySize))
	testworld.Check(s.T, err)
	owners := map[item.PersonID]*person{}
	for _, p := range s.people {
		who := s.as(p.id)
		ids, err := known.Find(s.T.Context(), p.tenant.name, []item.Person{who})
		testworld.Check(s.T, err)
		owners[ids[who]] = p
	}
	return owners
}

// verifyResults checks that each succeeded operation has a readable result, unless it was deleted.
func (s *soak) verifyResults() {
	s.T.Helper()
	owners := s.owners()
	read, gone := 0, 0
	for id, o := range s.ledger.operations {
		if o.Status != operation.StatusSucceeded {
			continue
		}
		var status int
		s.Await("the result is read", func() bool {
			status, s.Last = owners[o.Owner].ask(s.T.Context(), "result", http.MethodGet, "/v1/operations/"+id.String()+"/result", nil)
			if status == http.StatusTooManyRequests {
				s.Wait(s.T.Context(), time.Second)
			}
			return status != http.StatusTooManyRequests
		})
		switch status {
		case http.StatusOK:
			read++
		case http.StatusGone:
			gone++
		default:
			s.T.Errorf("the result of operation %s (%s) was answered %d %v", id, o.Type, status, s.Last)
		}
	}
	s.T.Logf("%d results read, %d deleted", read, gone)
}

// verifyFiles compares the files with the log: each model is as its last write left it, each report has the Pixies that
// its stream says, and every other file is unchanged.
func (s *soak) verifyFiles() {
	s.T.Helper()
	now := s.hashes()
	for model, hash := range now {
		if want := s.ledger.hash(model); hash != want && !s.ledger.unsure[model][hash] {
			s.T.Errorf("model %s has hash %s; the log says %s", model, hash, want)
		}
	}
	files, err := testworld.Files(s.Root)
	testworld.Check(s.T, err)
	placed := map[string]string{} // by the Pixie's id: the page
	for _, report := range s.ledger.reports {
		for _, p := range report.Placed {
			placed[p.ID] = p.Page
		}
	}
	for path, text := range files {
		if address := program.PixieAddress.FindString(text); address != "" {
			id := strings.TrimSuffix(address[strings.LastIndex(address, "/")+1:], ".gif")
			_, page, _ := strings.Cut(path, "/pages/")
			page, _, _ = strings.Cut(page, "/")
			if placed[id] != page {
				s.T.Errorf("%s has Pixie %s, which the log has on page %q", path, id, placed[id])
			}
			delete(placed, id)
			delete(files, path)
		}
	}
	for id, page := range placed {
		s.T.Errorf("the log has Pixie %s on page %s, and no file has it", id, page)
	}
	kept := func(files map[string]string) map[string]string {
		files = maps.Clone(files)
		maps.DeleteFunc(files, func(path, _ string) bool { return strings.Contains(path, ".SemanticModel/") })
		return files
	}
	if diff := testworld.Difference(kept(s.before), kept(files)); diff != "" {
		s.T.Errorf("files changed that must not change:\n%s", diff)
	}
}

// hashes returns the hashes of all models' definitions as they are on disk.
func (s *soak) hashes() map[uuid.UUID]string {
	s.T.Helper()
	onDisk, err := folder.Open(s.Root, folder.Options{Logger: slog.New(slog.DiscardHandler), Access: func(context.Context, item.Caller) (map[item.Permission]item.Access, error) {
		return map[item.Permission]item.Access{item.PermissionPlatform: item.Granted}, nil
	}})
	testworld.Check(s.T, err)
	found := map[uuid.UUID]string{}
	for _, p := range s.people {
		as := item.Caller{Account: p.tenant.name, Person: item.Person{ID: p.id}}
		for _, model := range p.tenant.models {
			it, err := onDisk.Item(s.T.Context(), as, p.tenant.WorkspaceID, item.SemanticModel, model)
			testworld.Check(s.T, err)
			var d definition.Definition
			d, err = onDisk.Definition(s.T.Context(), as, it)
			testworld.Check(s.T, err)
			found[model] = d.Hash()
		}
	}
	return found
}

// verifyViews checks that the database's other tables have no leftovers.
func (s *soak) verifyViews() {
	s.T.Helper()
	// While a standby is promoted, River may give a step up, which is then enqueued again; its operation must end.
	ended := `('completed')`
	if s.servers != nil {
		ended = `('completed', 'discarded')`
	}
	version, _ := program.Query[int](s.Program, `SELECT version FROM view_generations WHERE view = 'operations' AND state = 'live'`)
	for what, sql := range map[string]string{
		"tokens of steps":       `SELECT count(*) FROM step_tokens`,
		"abandoned steps":       `SELECT count(*) FROM river_job WHERE finalized_at IS NOT NULL AND state NOT IN ` + ended,
		"followers that fail":   `SELECT count(*) FROM followers WHERE error IS NOT NULL`,
		"unfinished operations": fmt.Sprintf(`SELECT count(*) FROM operations_v%d WHERE status NOT IN ('Succeeded', 'Failed', 'Cancelled')`, version),
		"locked reports":        `SELECT count(*) FROM pixies_v1 WHERE holder IS NOT NULL`,
	} {
		if n, ok := program.Query[int](s.Program, sql); !ok || n != 0 {
			s.T.Errorf("%s: %d (%t)", what, n, ok)
		}
	}
}

// resources returns what each process uses, by metric.
func (s *soak) resources() []map[string]float64 {
	s.T.Helper()
	all := make([]map[string]float64, len(s.slots))
	for i := range s.slots {
		http.DefaultClient.CloseIdleConnections()
		r, err := http.NewRequestWithContext(s.T.Context(), http.MethodGet, *s.slots[i].base.Load()+"/metrics", http.NoBody)
		testworld.Check(s.T, err)
		got, err := http.DefaultClient.Do(r)
		testworld.Check(s.T, err)
		all[i] = map[string]float64{}
		for lines := bufio.NewScanner(got.Body); lines.Scan(); {
			if name, value, ok := strings.Cut(lines.Text(), " "); ok && name != "#" {
				if n, err := strconv.ParseFloat(value, 64); err == nil {
					all[i][name] = n
				}
			}
		}
		testworld.Check(s.T, got.Body.Close())
	}
	return all
}

// heldWhenIdle is how much more an idle process may use than at its start without that being a leak: connections that
// were opened under load stay open for a while.
var heldWhenIdle = map[string]float64{
	"go_goroutines": 15, `readiness_database_connections{state="used"}`: 1, "process_open_fds": 40,
}

// verifyResources checks that the processes, when idle, use what they used at their start.
func (s *soak) verifyResources(idle []map[string]float64) {
	s.T.Helper()
	var now []map[string]float64
	ends := time.Now().Add(10 * time.Second)
	leaks := func() (found []string) {
		now = s.resources()
		for i := range now {
			for name, more := range heldWhenIdle {
				if now[i][name] > max(idle[0][name], idle[1][name])+more {
					found = append(found, fmt.Sprintf("process %d has %s %v; it began with %v", i, name, now[i][name], idle[i][name]))
				}
			}
			if n := now[i]["readiness_http_panics_total"]; n > 0 {
				found = append(found, fmt.Sprintf("process %d panicked %v times", i, n))
			}
		}
		if n, ok := program.Query[int](s.Program, `SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'`); !ok || n > 0 {
			found = append(found, fmt.Sprintf("%d connections are idle in a transaction", n))
		}
		return found
	}
	for found := leaks(); len(found) > 0; found = leaks() {
		if time.Now().After(ends) {
			s.T.Errorf("left open: %v", found)
			return
		}
		s.Wait(s.T.Context(), 100*time.Millisecond)
	}
	for i := range now {
		var has []string
		for _, name := range append(slices.Sorted(maps.Keys(heldWhenIdle)), "process_resident_memory_bytes") {
			has = append(has, fmt.Sprintf("%s %v (%v)", name, now[i][name], idle[i][name]))
		}
		s.T.Logf("process %d, idle at the end (and at the beginning): %s", i, strings.Join(has, ", "))
	}
}

// databaseDied matches the errors that the service reports when its PostgreSQL dies, or when it is killed at that
// moment.
var databaseDied = regexp.MustCompile(`failed to connect to|SQLSTATE (57P0[1-5]|08|25P02)|conn(ection)? closed|connection reset|broken pipe|unexpected EOF|context (deadline exceeded|canceled)|timeout:`)

// standbyAway matches the further errors that it reports while the synchronous standby does not confirm. River does not report why it could
// not store that jobs have ended; they are done again later. A transaction that stays idle for too long (25P03) is none of them: a commit
// that waits for the standby is not idle.
var standbyAway = regexp.MustCompile(`the synchronous standby has not confirmed|SQLSTATE 57014|jobcompleter\.BatchCompleter: Too many errors`)

// verifyLives checks that processes ended only by kills, and that they met no fault except the death of PostgreSQL.
func (s *soak) verifyLives() {
	s.T.Helper()
	met := 0
	for _, p := range s.Lives {
		for line := range strings.Lines(p.Stderr.String()) {
			if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
				s.T.Errorf("a process panicked:\n%s", p.Stderr)
				break
			}
			var entry struct{ Level, Msg string }
			if json.Unmarshal([]byte(line), &entry) != nil || entry.Level != "ERROR" || entry.Msg == "call" { // a failed call's cause has its own line
				continue
			}
			if met++; !databaseDied.MatchString(line) && (s.servers == nil || !standbyAway.MatchString(line)) {
				s.T.Errorf("a process met a fault: %s", line)
			}
		}
	}
	s.T.Logf("%d lives of processes, which met %d faults that the death of PostgreSQL explains", len(s.Lives), met)
}
