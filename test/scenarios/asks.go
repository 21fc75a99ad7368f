package scenarios

import (
	"context"
	"strconv"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"readiness/definition/semanticmodel"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/work"
)

// askCommands returns the commands about the questions that sides are asked.
func askCommands() map[string]command {
	return map[string]command{"hold-asks": plain(2, holdAsks), "release-asks": plain(1, releaseAsks), "asks": plain(2, asks), "overdue": plain(0, overdue), "sweep": plain(0, sweep)}
}

// asker answers questions. It can be limited to a number of answers about a model, by the model's name.
type asker struct {
	work.Asker
	mu   sync.Mutex
	made map[string]int
	left map[string]int // remaining answers, by the names of the limited models
	gate map[string]chan struct{}
}

func newAsker(answers work.Asker) *asker {
	return &asker{Asker: answers, made: map[string]int{}, left: map[string]int{}, gate: map[string]chan struct{}{}}
}

// Open implements work.Asker.
func (a *asker) Open(ctx context.Context, as item.Caller, side benchmark.Side) (verdict.Target, *semanticmodel.Model,
	func(context.Context, string) (benchmark.Reply, error), error) {
	about, m, ask, err := a.Asker.Open(ctx, as, side)
	if err != nil {
		return about, nil, nil, err
	}
	return about, m, func(ctx context.Context, question string) (benchmark.Reply, error) {
		for wait := a.takes(side.SemanticModelName); wait != nil; wait = a.takes(side.SemanticModelName) {
			select {
			case <-wait:
			case <-ctx.Done():
				return benchmark.Reply{}, ctx.Err()
			}
		}
		return ask(ctx, question)
	}, nil
}

// takes counts an ask if it may be answered; otherwise it returns a channel to wait on.
func (a *asker) takes(model string) chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if wait := a.gate[model]; wait != nil {
		if a.left[model] == 0 {
			return wait
		}
		a.left[model]--
	}
	a.made[model]++
	return nil
}

// holdAsks allows a number of further answers about a model; later questions wait.
func holdAsks(ts *testscript.TestScript, w *Service, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	w.asker.mu.Lock()
	defer w.asker.mu.Unlock()
	w.asker.left[args[0]], w.asker.gate[args[0]] = n, make(chan struct{})
}

func releaseAsks(_ *testscript.TestScript, w *Service, args []string) { w.asker.release(args[0]) }

func (a *asker) release(model string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if wait := a.gate[model]; wait != nil {
		close(wait)
		delete(a.gate, model)
	}
}

func (a *asker) releaseAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for model, wait := range a.gate {
		close(wait)
		delete(a.gate, model)
	}
}

// asks asserts how many questions about a model were answered.
func asks(ts *testscript.TestScript, w *Service, args []string) {
	w.asker.mu.Lock()
	defer w.asker.mu.Unlock()
	if got := strconv.Itoa(w.asker.made[args[0]]); got != args[1] {
		ts.Fatalf("%s questions about %s were answered, want %s", got, args[0], args[1])
	}
}

// overdue ends operations that waited too long for their owner, as the workers do periodically.
func overdue(ts *testscript.TestScript, w *Service, _ []string) {
	ts.Check(w.Operations.LapseOverdue(w.T.Context()))
}

// sweep deletes expired documents, as the service does periodically.
func sweep(ts *testscript.TestScript, w *Service, _ []string) {
	ts.Check(w.Work.Documents.Sweep(w.T.Context(), w.Now()))
}
