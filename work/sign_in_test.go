package work_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/pixies"
	"readiness/work"
)

// needed are the claims of a challenge, as refusals carry them.
const needed = "eyJhY2Nlc3NfdG9rZW4iOnt9fQ"

var challenged = domain.Refuse(domain.Unauthorized, "sign in again").About("claims", needed)

// signsIn returns ana with a token that she got after a refusal now.
func (b *bench) signsIn(t *testing.T) commands.Caller {
	t.Helper()
	b.Clock.Advance(time.Second)
	who := b.ana()
	who.Token, who.TokenIssued, who.RequestID = "eyJ.another", b.Clock.Now(), "the sign-in"
	return who
}

// Every kind of work that waits for its owner's sign-in has no step until then, and then exactly the same steps again, once; a
// bundle's children continue together.
//
// proves: decisions/5/sign-in
func TestSignInOfEveryKind(t *testing.T) {
	t.Parallel()
	for name, c := range everyKind {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := c.bench(t)
			b.declare(t)
			b.steps, b.optimize = nil, nil
			c.start(t, b)
			want, ids := steps(t, b.enqueued(t)), []uuid.UUID{}
			for _, step := range want {
				of := step.(map[string]any)
				of["requestId"] = "the sign-in"
				id := uuid.MustParse(of["operationId"].(string))
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
			recorder := commands.Recorder{Store: b.Store, Vault: b.Vault, Now: b.Clock.Now}
			for _, id := range ids {
				check(t, recorder.NeedSignIn(t.Context(), commands.Origin{AccountID: "contoso", OperationID: id}, 9, challenged))
				if op := b.operation(t, id); !op.Waits || op.Status.Ended() || op.Failure.Code != domain.Unauthorized {
					t.Fatalf("the operation is %+v", op)
				}
				if _, kept, err := b.Vault.Token(t.Context(), id, noon); kept || err != nil {
					t.Errorf("the refused token is kept, %v", err)
				}
			}
			queue, err := work.NewQueue(b.Work)
			check(t, err)
			b.Clock.Advance(2 * time.Minute)
			if n, err := work.FindLost(t.Context(), queue); err != nil || n != 0 || len(b.jobs(t)) != 0 {
				t.Errorf("%d steps were found for work that waits, %v", n, err)
			}
			who := b.signsIn(t)
			for range 2 {
				check(t, b.resume(t.Context(), who, ids[0]))
			}
			if diff := cmp.Diff(want, steps(t, b.jobs(t))); diff != "" {
				t.Errorf("the steps (-enqueued +after the sign-in):\n%s", diff)
			}
			for _, id := range ids {
				if token, kept, err := b.Vault.Token(t.Context(), id, b.Clock.Now()); !kept || err != nil || token != who.Token {
					t.Errorf("the new token is not kept: %v", err)
				}
				if op := b.operation(t, id); op.Waits || op.Failure != nil {
					t.Errorf("the operation is %+v", op)
				}
			}
		})
	}
}

// A step that is refused for its owner's token records no outcome. Its operation waits with the claims until the owner reads it with
// another token; the same token, another person's, or one that may not write changes nothing. Then the step is done, and what the
// call spent is spent once.
//
// proves: decisions/5/sign-in
func TestAStepThatNeedsItsOwner(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]*domain.Refusal{
		"claims": challenged, "expired": domain.Refuse(domain.TokenExpired, "expired"),
		"consent": domain.Refuse(domain.PlatformConsentRequired, "agree").About("permission", "Item.ReadWrite.All"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.declare(t)
			id := b.start(t, good)
			platform := b.Work.Platform
			p := isAway(platform, refusal, 1)
			b.Work.Platform = p
			check(t, work.Carry(t.Context(), b.Work, b.steps[0], work.Patience))
			op := b.operation(t, id)
			if op.Status != operation.StatusRunning || !op.Waits || op.Failure == nil || op.Failure.Code != refusal.Code || p.left.Load() != 0 {
				t.Fatalf("the operation reads %+v, %+v", op, op.Failure)
			}
			check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0)) // as after a crash
			if p.left.Load() != 0 {
				t.Error("a step that waits asks the platform")
			}
			before := b.positions(t)
			stranger, reader, same := b.signsIn(t), b.signsIn(t), b.ana()
			stranger.Person, stranger.PersonID, reader.MayWrite = item.Person{ID: "bob"}, "bob", false
			for who, caller := range map[string]commands.Caller{"another person": stranger, "a token that may not write": reader, "the same token": same} {
				got, err := b.Operations.ResumeOnRead(t.Context(), caller, id)
				if refused := domain.IsRefused(err, domain.UserNotRegistered); who == "another person" != refused || b.positions(t) != before {
					t.Errorf("%s: the operation continued, or %v", who, err)
				}
				if who != "another person" && (got == nil || got.Code != refusal.Code || got.Claims != map[bool]string{true: needed}[name == "claims"] ||
					got.Permission != map[bool]string{true: "Item.ReadWrite.All"}[name == "consent"]) {
					t.Errorf("%s: the need is %+v", who, got)
				}
			}
			check(t, b.resume(t.Context(), b.signsIn(t), id))
			check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0))
			if op := b.operation(t, id); op.Status != operation.StatusSucceeded || op.Waits || op.Failure != nil || b.used(t, account.Assessments, account.Day) != 1 {
				t.Errorf("after the sign-in the operation reads %+v", op)
			}
		})
	}
}

// Consent needs no other token: the same one is tried again after a minute. If the owner does not sign in for a day, the work fails
// and is refunded.
func TestAStepWhoseOwnerIsLate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.declare(t)
	id := b.start(t, good)
	platform := b.Work.Platform
	b.Work.Platform = isAway(platform, domain.Refuse(domain.PlatformConsentRequired, "agree"), 2)
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0))
	before := b.positions(t)
	b.Clock.Advance(time.Minute - time.Microsecond)
	check(t, b.resume(t.Context(), b.ana(), id))
	if b.positions(t) != before {
		t.Error("the same token is tried again within a minute")
	}
	b.Clock.Advance(time.Microsecond)
	check(t, b.resume(t.Context(), b.ana(), id))
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0)) // refused again
	b.Clock.Advance(operation.SignInLife)
	before = b.positions(t)
	check(t, b.Operations.LapseOverdue(t.Context()))
	if b.positions(t) != before {
		t.Error("the wait ends before its time is over")
	}
	b.Clock.Advance(time.Microsecond)
	for range 2 {
		check(t, b.Operations.LapseOverdue(t.Context()))
	}
	check(t, work.Carry(t.Context(), b.Work, b.steps[0], 0))
	if op := b.operation(t, id); op.Status != operation.StatusFailed || op.Failure.Code != domain.AssessmentNotStarted || *op.Impact.Assessments != 0 {
		t.Errorf("after a day the operation reads %+v, %+v", op, op.Failure)
	}
}

// A step that began before its owner signed in, and is refused afterwards, does not ask the owner again: its operation has
// another token and its step is in the queue.
func TestARefusalOfAnEarlierToken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.declare(t)
	id := b.start(t, good, gone)
	recorder := commands.Recorder{Store: b.Store, Vault: b.Vault, Now: b.Clock.Now}
	of := b.steps[0].Origin
	check(t, recorder.NeedSignIn(t.Context(), of, 0, challenged))
	check(t, recorder.NeedSignIn(t.Context(), of, 0, challenged)) // the other model's step
	check(t, b.resume(t.Context(), b.signsIn(t), id))
	before := b.positions(t)
	check(t, recorder.NeedSignIn(t.Context(), of, 0, challenged))
	if b.positions(t) != before || b.operation(t, id).Waits || len(b.jobs(t)) != 2 {
		t.Errorf("the operation waits again, with %d jobs", len(b.jobs(t)))
	}
	check(t, recorder.NeedSignIn(t.Context(), of, 1, challenged))
	if !b.operation(t, id).Waits {
		t.Error("a refusal of the new token is not recorded")
	}
}

// Writes, previews, questions and asks wait like assessments, at any stage, and end once: a write that was refused is made
// after the sign-in, under the same lock.
func TestOtherStepsThatNeedTheirOwner(t *testing.T) {
	t.Parallel()
	optimizes := func(t *testing.T, b *bench) { check(t, work.CarryOptimize(t.Context(), b.Work, b.optimize[0], 0)) }
	for name, c := range map[string]struct {
		bench func(t *testing.T) *bench
		start func(t *testing.T, b *bench) uuid.UUID
		carry func(t *testing.T, b *bench)
	}{
		"preview": {newOptimizing, func(t *testing.T, b *bench) uuid.UUID {
			a, err := b.Optimizations.StartPreview(t.Context(), b.ana(), workspace, good, "descriptions")
			return b.accepted(t, a, err)
		}, optimizes},
		"apply": {newOptimizing, func(t *testing.T, b *bench) uuid.UUID {
			p := b.preview(t, optimization.Descriptions)
			b.optimize = nil
			return b.apply(t, p)
		}, optimizes},
		"pixies": {newReporting, func(t *testing.T, b *bench) uuid.UUID { return b.pixiesOf(t, pixies.Adds, report1) },
			func(t *testing.T, b *bench) { check(t, work.CarryPixies(t.Context(), b.Work, b.pixies[0], 0)) }},
		"questions": {newQuestions, func(t *testing.T, b *bench) uuid.UUID { return b.generate(t, good, 5) },
			func(t *testing.T, b *bench) {
				check(t, work.CarryQuestions(t.Context(), b.Work, b.questions[0], 0, 0, noon))
			}},
		"benchmark run": {newBench, func(t *testing.T, b *bench) uuid.UUID {
			b.saveQuestions(t, good, 2, 1)
			refused := false
			b.Work.Asker = &respondent{refuse: func(benchmark.Side) error {
				if again := refused; !again {
					refused = true
					return challenged
				}
				return nil
			}}
			return b.benchmarkRun(t)
		}, func(t *testing.T, b *bench) { check(t, work.CarryAsk(t.Context(), b.Work, b.ask[0], 0)) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := c.bench(t)
			b.declare(t)
			b.steps, b.optimize = nil, nil
			id := c.start(t, b)
			b.Work.Platform = isAway(b.Work.Platform, challenged, 1)
			if name == "benchmark run" {
				b.Work.Platform.(*away).left.Store(0)
			}
			before := b.parts(t)
			c.carry(t, b)
			if op := b.operation(t, id); !op.Waits || op.Status != operation.StatusRunning || op.Failure.Code != domain.Unauthorized {
				t.Fatalf("the operation is %+v, %+v", op, op.Failure)
			}
			if !maps.Equal(before, b.parts(t)) {
				t.Error("files changed")
			}
			c.carry(t, b)
			if !b.operation(t, id).Waits {
				t.Error("a step continued without its owner")
			}
			check(t, b.resume(t.Context(), b.signsIn(t), id))
			c.carry(t, b)
			if op := b.operation(t, id); op.Status != operation.StatusSucceeded || op.Failure != nil {
				t.Errorf("after the sign-in the operation is %+v, %+v", op, op.Failure)
			}
		})
	}
}
