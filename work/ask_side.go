package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"

	"readiness/commands"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/account"
	"readiness/domain/aiprovider"
	"readiness/domain/benchmark"
	"readiness/domain/item"
	"readiness/domain/verdict"
	"readiness/domain/verdict/normalform"
	"readiness/eventstore"
	"readiness/internal/database"
	"readiness/internal/lists"
)

// side is a side while it is being asked.
type side struct {
	*asker
	step  ask
	as    item.Caller
	set   benchmark.Set
	of    benchmark.Side   // the side that is asked
	both  []benchmark.Side // all sides of the run; only of for a standalone run
	about verdict.Target
	ask   func(ctx context.Context, question string) (benchmark.Reply, error)
	// imported are the answers of a side that were given elsewhere; nil for one that asks.
	imported *benchmark.ImportedAnswers
	// model is the semantic model, and meanings reads queries about it.
	model    *semanticmodel.Model
	meanings *normalform.Model

	mu    sync.Mutex
	state commands.Asking // as last recorded
	// references are the results of the reference queries, by question.
	references map[string]queried
}

// askAll asks the remaining questions, askAtOnce at a time, until the slice is
// over.
func (s *side) askAll(ctx context.Context) error {
	questions := lists.Index(s.set.Questions, func(q benchmark.Question) string { return q.QuestionID })
	if err := s.Documents.Check(); err != nil { // an answer that cannot be stored would be asked for again
		return err
	}
	slice, cancel := context.WithTimeout(ctx, askSlice)
	defer cancel()
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(askAtOnce)
	for _, key := range s.state.Run.Left(s.set) {
		if slice.Err() != nil || asking.Err() != nil || s.over() {
			break
		}
		group.Go(func() error { return s.askOnce(asking, questions[key.QuestionID], key.N) })
	}
	return group.Wait()
}

// over reports whether the run was stopped, or too many asks failed.
func (s *side) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped()
}

func (s *side) stopped() bool {
	_, stops := s.state.Run.Unanswered(s.set)
	return stops || s.state.Ended()
}

// forbidden stops the run if its account no longer uses AI features, and reports whether it did.
func (s *side) forbidden(ctx context.Context) (bool, error) {
	owner := eventstore.FoldCached(account.Stream(s.step.AccountID), account.Evolve)
	if err := s.Store.Load(ctx, owner); err != nil || !owner.State.Opened || owner.State.Settings.AIFeatures {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Ended() {
		return true, nil
	}
	after, err := s.runs.StopAsking(ctx, s.step.Metadata(), s.state)
	s.state = after
	return true, err
}

// answer is the document of one ask.
type answer struct {
	verdict.Ask
	// JudgedBy is the judge of the answer; nil if it was not judged.
	JudgedBy *verdict.Judge `json:"judgedBy,omitempty"`
}

// askOnce asks a question once and records the result.
func (s *side) askOnce(asking context.Context, q benchmark.Question, n int) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.Log.Error("asking panicked", "operationId", s.step.OperationID, "questionId", q.QuestionID, "fault", fault, "stack",
				string(debug.Stack()))
			err = domain.Refuse(domain.BenchmarkRunFailed,
				"the service could not ask question %s: internal error; the operator's log has the details", q.QuestionID)
		}
	}()
	if s.over() { // the ask waited for the one that stopped the run
		return nil
	}
	if stop, err := s.forbidden(asking); stop || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(asking, askTimeout)
	defer cancel()
	reply, err := s.reply(ctx, q, n)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && asking.Err() == nil && reply.Attempts == 0:
		return nil // its turn did not come: the next job asks it
	case errors.Is(err, context.DeadlineExceeded) && asking.Err() == nil:
		reply.Failure = &verdict.Failure{Code: "timeout", Message: fmt.Sprintf("there was no answer within %s", askTimeout)}
	case err != nil:
		return err
	}
	made, err := s.verdict(asking, q, reply)
	if err != nil {
		return err
	}
	made.N = n
	body, err := json.Marshal(made)
	if err != nil {
		return fmt.Errorf("work: encode an answer: %w", err)
	}
	hash, stored, err := s.Documents.PutUntil(asking, body, s.Now().Add(askLife))
	if err != nil {
		return err
	}
	return s.record(asking, benchmark.Asked{
		QuestionID: q.QuestionID, N: n, Verdict: made.Verdict, Method: made.Method, DurationMS: made.DurationMS, DocumentHash: hash,
	}, made.Error, stored)
}

// reply asks a question, or takes the answer that was imported.
func (s *side) reply(ctx context.Context, q benchmark.Question, n int) (benchmark.Reply, error) {
	if s.imported != nil {
		return s.imported.Reply(q.QuestionID, n), nil
	}
	return s.ask(ctx, q.Text)
}

// record records an ask. Asks are recorded one at a time, because each is decided
// on the state after the previous one.
func (s *side) record(ctx context.Context, made benchmark.Asked, failed *verdict.Failure, stored database.Statement) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped() { // the run ends; other asks in flight are dropped
		return nil
	}
	after, err := s.runs.RecordAsk(ctx, s.step.Metadata(), s.state, made, stored)
	if err != nil {
		return err
	}
	s.state = after
	if why, stops := after.Run.Unanswered(s.set); stops && failed != nil {
		which := ", the last because: "
		if len(after.Run.Asks) == 1 {
			which = ", because: "
		}
		return unanswered(why, which+failed.Message)
	}
	return nil
}

// unanswered returns the refusal that ends a run whose questions get no answers.
func unanswered(why, last string) error {
	return domain.Refuse(domain.BenchmarkRunFailed, "%s%s", why, last)
}

// verdict decides whether an answer is correct. If the judge takes too long, there
// is no judgement.
func (s *side) verdict(asking context.Context, q benchmark.Question, reply benchmark.Reply) (answer, error) {
	a := answer{Ask: verdict.Ask{
		Answer: reply.Answer, DurationMS: reply.DurationMS, Attempts: reply.Attempts, Error: reply.Failure, Remote: reply.Remote,
		Usage: reply.Usage,
	}}
	expected := q.Known(s.model, s.meanings, s.Now())
	if reply.Failure == nil {
		a.Read(s.meanings, s.Now())
		waiting, cancel := context.WithTimeout(asking, askTimeout)
		reference, own := s.reference(waiting, q), s.query(waiting, a.Query)
		cancel()
		expected.Rows, expected.NoRows, a.Rows, a.NoRows = reference.rows, reference.none, own.rows, own.none
	}
	a.Decision = expected.Decide(a.Answer, a.Error, nil)
	if s.imported != nil && q.Expected.Value == "" && a.Method == verdict.ByValue && a.Verdict == verdict.Incorrect {
		a.Decision = verdict.Decision{Verdict: verdict.Unclear, Reason: a.Reason +
			" That is today's value, and the AI may have been asked about earlier data: an expectedValue decides."}
		return a, nil
	}
	if a.Method != "" {
		return a, nil
	}
	ctx, cancel := context.WithTimeout(asking, verdictTimeout)
	defer cancel()
	sides, err := s.providers(ctx)
	if err != nil {
		return a, err
	}
	j, by, judged, err := s.Asker.Judge(ctx, s.step.AccountID, sides, benchmark.Case{Question: q.Text, Expected: q.Expected,
		Rows: expected.Rows, Answer: a.Answer})
	if errors.Is(err, context.DeadlineExceeded) && asking.Err() == nil {
		return a, nil
	}
	if err != nil || !judged {
		return a, err
	}
	a.Judge, a.JudgedBy = &j, &by
	a.Decision = expected.Decide(a.Answer, a.Error, &j)
	return a, nil
}

// providers returns the AI providers of the sides; none of them may judge.
func (s *side) providers(ctx context.Context) ([]string, error) {
	all := []string{s.about.ProviderID}
	for _, one := range s.both {
		all = append(all, one.AnsweredBy.ProviderID)
		if one.AnsweredBy.Kind != verdict.ServiceTestAgent {
			continue
		}
		agent, found, err := s.Providers.ForPurpose(ctx, s.step.AccountID, aiprovider.Agent)
		if _, refused := domain.Refused(err); err != nil && !refused { // a provider whose key cannot be decrypted is not asked
			return nil, err
		}
		if found {
			all = append(all, agent.ProviderID)
		}
	}
	return all, nil
}

// reference runs the question's own query on the side's model, once.
func (s *side) reference(ctx context.Context, q benchmark.Question) queried {
	s.mu.Lock()
	made, known := s.references[q.QuestionID]
	s.mu.Unlock()
	if known {
		return made
	}
	made = s.query(ctx, q.Expected.DAX)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.references[q.QuestionID] = made
	return made
}

// complete stores the run's document and ends the run.
func (s *side) complete(ctx context.Context) error {
	hashes := lists.Map(s.state.Run.Asks, func(a benchmark.Asked) string { return a.DocumentHash })
	bodies, err := s.Documents.GetAll(ctx, hashes)
	if err != nil {
		return fmt.Errorf("work: read the answers of run %s: %w", s.step.RunID, err)
	}
	asks := make(map[benchmark.AskKey]verdict.Ask, len(hashes))
	var judge *verdict.Judge
	for _, a := range s.state.Run.Asks {
		var made answer
		if err := json.Unmarshal(bodies[a.DocumentHash], &made); err != nil {
			return fmt.Errorf("work: read an answer of run %s: %w", s.step.RunID, err)
		}
		made.N = a.N // two equal answers share one document
		asks[a.Key()] = made.Ask
		if made.JudgedBy != nil {
			judge = made.JudgedBy
		}
	}
	document := benchmark.NewRunDocument(s.state.Run, s.about, judge, s.set, asks)
	if s.imported != nil {
		document.Imported = &s.imported.Origin
	}
	body, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("work: encode run %s: %w", s.step.RunID, err)
	}
	hash, stored, err := s.Documents.Put(ctx, body)
	if err != nil {
		return err
	}
	s.state, err = s.runs.Complete(ctx, s.step.Metadata(), s.state, document.Outcome(hash), stored)
	return err
}
