package commands

import (
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/benchmark"
	"readiness/domain/operation"
	"readiness/eventstore"
)

// runPasts are the streams on which a benchmark run is recorded. A standalone run
// has own; a side has ab and test. The others are nil.
type runPasts struct {
	run       *eventstore.Stream[benchmark.Run]
	own       *eventstore.Stream[operation.Operation]
	ab        *eventstore.Stream[abtest.Run]
	test      *eventstore.Stream[abtest.Test]
	allowance *eventstore.Stream[account.Usage]
	tracking  *Tracking
	pasts     []eventstore.Loadable
}

// pastsOf returns the streams of a run. They never change once the run is accepted.
func (r Runs) pastsOf(run benchmark.Run) *runPasts {
	f := &runPasts{run: eventstore.Fold(benchmark.RunStream(run.RunID), benchmark.EvolveRun)}
	f.pasts = append(f.pasts, f.run)
	if run.AbTest == nil {
		f.own = eventstore.Fold(operation.Stream(run.OperationID), operation.Evolve)
		f.pasts = append(f.pasts, f.own)
		return f
	}
	f.ab = eventstore.Fold(operation.Stream(run.OperationID), abtest.EvolveRun)
	f.pasts = append(f.pasts, f.ab)
	return f
}

// addSettlement adds the streams that the end of a run may change: the
// allowance, the tracked items and the test.
func (f *runPasts) addSettlement(a Asking) *runPasts {
	stream := a.Run.Allowance
	if f.ab != nil {
		stream = a.Ab.Allowance
		f.test = eventstore.FoldCached(abtest.Stream(a.Ab.AbTestID), abtest.Evolve)
		f.pasts = append(f.pasts, f.test)
	}
	f.allowance = eventstore.FoldLast[account.Usage](stream)
	f.tracking = trackRun(a)
	f.pasts = append(append(f.pasts, f.allowance), f.tracking.Pasts()...)
	return f
}

func (f *runPasts) asking() Asking {
	a := Asking{Run: f.run.State}
	if f.own != nil {
		a.Own = f.own.State
	} else {
		a.Ab = f.ab.State
	}
	return a
}

// operation returns the state of the operation.
func (f *runPasts) operation() operation.Operation {
	if f.own != nil {
		return f.own.State
	}
	return f.ab.State.Operation
}

// decideOperation decides own on a standalone run's operation, or ab on an A/B run.
func (f *runPasts) decideOperation(c *eventstore.Change, own domain.Command[operation.Operation], ab domain.Command[abtest.Run]) error {
	if f.own != nil {
		return eventstore.Decide(c, f.own, own)
	}
	return eventstore.Decide(c, f.ab, ab)
}
