package commands_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/uuid"

	"readiness/commands"
	"readiness/domain"
	"readiness/domain/abtest"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/assessment"
	"readiness/domain/auditview"
	"readiness/domain/benchmark"
	"readiness/domain/modelnotes"
	"readiness/domain/operation"
	"readiness/domain/optimization"
	"readiness/domain/person"
	"readiness/domain/pixies"
	"readiness/domain/proposal"
	"readiness/domain/schedule"
	"readiness/domain/trackeditem"
	"readiness/domain/webhook"
	"readiness/eventstore"
)

// evolving is one way to fold streams of a type event by event.
type evolving struct {
	name   string
	stream string
	// of are the events that it folds; nil means all events of the stream. All
	// others must leave the state unchanged.
	of []domain.Event
	// given is a past after which those events change the state that do not change
	// it after the preceding examples.
	given  []domain.Event
	evolve func(state any, e domain.Event) any
	zero   any
}

func evolves[S any](name, stream string, evolve func(S, domain.Event) S, of, given []domain.Event) evolving {
	var zero S
	return evolving{name, stream, of, given, func(s any, e domain.Event) any { return evolve(s.(S), e) }, zero}
}

// ofOperation are the events that every operation has.
var ofOperation = []domain.Event{
	operation.Accepted{}, operation.Started{}, operation.Progressed{}, operation.WaitingForOwner{}, operation.SignInNeeded{}, operation.Resumed{},
	operation.ImpactCorrected{},
	operation.Succeeded{}, operation.Failed{}, operation.Cancelled{},
}

func worked(events ...domain.Event) []domain.Event { return slices.Concat(ofOperation, events) }

var evolvings = []evolving{
	evolves("account.Evolve", "account", account.Evolve, nil, nil),
	evolves("person.Evolve", "person", person.Evolve, nil, nil),
	evolves("aiprovider.Evolve", "aiproviders", aiprovider.Evolve, nil,
		[]domain.Event{aiprovider.Saved{Configuration: aiprovider.Configuration{ProviderID: "00000000-0000-0000-0000-000000000007"}}}),
	evolves("webhook.Evolve", "webhooks", webhook.Evolve, nil,
		[]domain.Event{webhook.Created{Configuration: webhook.Configuration{WebhookID: uuid.MustParse("00000000-0000-0000-0000-000000000007"), Enabled: true}}}),
	evolves("assessment.EvolveStored", "assessment", assessment.EvolveStored,
		[]domain.Event{assessment.Recorded{}, assessment.Pinned{}, assessment.Unpinned{}, assessment.ResultsDeleted{}}, nil),
	evolves("trackeditem.Evolve", "trackeditem", trackeditem.Evolve, nil, nil),
	evolves("modelnotes.Evolve", "modelnotes", modelnotes.Evolve, nil, nil),
	evolves("benchmark.EvolveRun", "benchmarkrun", benchmark.EvolveRun, nil, nil),
	evolves("abtest.Evolve", "abtest", abtest.Evolve, nil, nil),
	evolves("abtest.EvolveFamily", "abfamily", abtest.EvolveFamily, nil, nil),
	evolves("operation.Evolve", "operation", operation.Evolve, ofOperation, nil),
	evolves("assessment.EvolveRun", "operation", assessment.EvolveRun, worked(assessment.RunAccepted{}, assessment.ModelEnded{}), nil),
	evolves("optimization.Evolve", "operation", optimization.Evolve, worked(
		optimization.PreviewAccepted{}, optimization.Previewed{},
		optimization.ApplyAccepted{}, optimization.Proposed{}, optimization.WriteStarted{}, optimization.WriteIntended{},
		optimization.WriteLanded{}, optimization.WriteFailed{}, optimization.Restored{}, optimization.WritesContinued{}, optimization.IntentContinued{},
		optimization.WriteSent{},
	), []domain.Event{ // two writes: the examples are events of the second
		optimization.Proposed{Writes: []optimization.Write{{Type: proposal.Description}, {Type: proposal.DisplayFolder}}},
		optimization.WriteIntended{Write: 1},
	}),
	evolves("optimization.EvolveBundle", "operation", optimization.EvolveBundle, worked(optimization.BundleAccepted{}, optimization.ChildChanged{}, optimization.BundleUsed{}),
		[]domain.Event{optimization.BundleAccepted{Children: []optimization.Child{{Kind: optimization.Descriptions}}}}),
	evolves("pixies.EvolveRun", "operation", pixies.EvolveRun, worked(pixies.RunAccepted{}, pixies.ChangeIntended{}, pixies.ChangeSent{}, pixies.ReportEnded{}), nil),
	evolves("benchmark.EvolveQuestionWork", "operation", benchmark.EvolveQuestionWork, worked(benchmark.GenerationAccepted{}, benchmark.SavingAccepted{}, benchmark.QuestionsMade{}), nil),
	evolves("auditview.Evolve", "operation", auditview.Evolve, worked(auditview.Asked{}, auditview.Listed{}), nil),
	evolves("abtest.EvolveRun", "operation", abtest.EvolveRun, worked(
		abtest.RunAccepted{}, abtest.SideQueued{}, abtest.SideStarted{}, abtest.SideCompleted{}, abtest.SideFailed{}, abtest.Compared{}, abtest.ComparisonRevised{}, abtest.RunStopped{}, abtest.RunErased{},
	), nil),
}

// unfolded are the streams from which nothing is decided.
var unfolded = []string{"pixieviews"}

// byStream returns the examples of every event as they are read from the log, by the
// type of their stream, in the order of Events.
func byStream(t *testing.T) map[string][]domain.Event {
	t.Helper()
	codec, err := eventstore.NewCodec(commands.Events()...)
	check(t, err)
	read := map[string][]domain.Event{}
	for _, example := range examples() {
		name, version, data, err := codec.Encode(example, accountKey(t))
		check(t, err)
		e, err := codec.Decode(name, version, data, accountKey(t))
		check(t, err)
		read[name] = append(read[name], e)
	}
	all := map[string][]domain.Event{}
	for _, typ := range commands.Events() {
		name := typ.Example.EventType()
		if typ.Stream == "" {
			t.Errorf("%s names no stream", name)
		}
		all[typ.Stream] = append(all[typ.Stream], read[name]...)
	}
	return all
}

// Every event that a state is folded from changes it, and no other does. An event
// that Evolve ignores would have no effect and no error.
func TestEveryEventIsFolded(t *testing.T) {
	t.Parallel()
	all := byStream(t)
	missed := map[string]bool{} // the events that no state folds
	for stream, events := range all {
		for _, e := range events {
			_, carries := after(e)
			missed[e.EventType()] = !slices.Contains(unfolded, stream) && !carries
		}
	}
	for _, way := range evolvings {
		of := way.of
		if of == nil {
			of = all[way.stream]
		}
		var examples []domain.Event
		for _, e := range all[way.stream] {
			if slices.ContainsFunc(of, func(o domain.Event) bool { return o.EventType() == e.EventType() }) {
				examples = append(examples, e)
				missed[e.EventType()] = false
			}
		}
		if len(examples) != len(of) {
			t.Errorf("%s: found %d of its %d events on the streams %s", way.name, len(examples), len(of), way.stream)
		}
		for _, e := range all[way.stream] {
			i := slices.IndexFunc(examples, func(o domain.Event) bool { return o.EventType() == e.EventType() })
			if got, want := way.changes(e, examples[:max(i, 0)]), i >= 0; got != want {
				t.Errorf("%s: got %v for whether %T changes the state, want %v", way.name, got, e, want)
			}
		}
	}
	for name, missed := range missed {
		if missed {
			t.Errorf("no state folds %s", name)
		}
	}
}

// changes reports whether e changes the state, after any of the pasts.
func (w evolving) changes(e domain.Event, before []domain.Event) bool {
	for _, past := range [][]domain.Event{nil, w.given, before} {
		state := w.zero
		for _, b := range past {
			state = w.evolve(state, b)
		}
		if !reflect.DeepEqual(state, w.evolve(state, e)) {
			return true
		}
	}
	return false
}

// after returns the state that an event carries, if any.
func after(e domain.Event) (reflect.Value, bool) {
	m := reflect.ValueOf(e).MethodByName("After")
	if !m.IsValid() || m.Type().NumIn() > 0 {
		return reflect.Value{}, false
	}
	return m.Call(nil)[0], true
}

// An event carries the state that was stored with it.
func TestEventsCarryWhatIsStored(t *testing.T) {
	t.Parallel()
	carrying := 0
	for _, events := range byStream(t) {
		for _, e := range events {
			state, ok := after(e)
			if !ok {
				continue
			}
			carrying++
			if _, none := e.(schedule.Deleted); state.IsZero() != none {
				t.Errorf("%T carries %v", e, state)
			}
		}
	}
	if carrying < 20 {
		t.Errorf("only %d events carry a state", carrying)
	}
}
