package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/benchmark"
	"readiness/domain/benchmark/answerset"
	"readiness/domain/benchmark/evaluation"
	"readiness/domain/verdict"
	"readiness/eventstore"
	"readiness/internal/lists"
	"readiness/storage/documents"
)

// ImportedFile is a file with answers.
type ImportedFile struct{ Name, Text string }

// ImportRun starts judging the answers of files against a model's saved questions that can run (docs/decisions.md 10). who names who
// answered, or which of several; "" leaves it to the files. Nobody is asked, so no benchmark run is counted.
func (s *Benchmarks) ImportRun(ctx context.Context, caller Caller, workspaceID, modelID uuid.UUID, given []ImportedFile, who string) (Accepted,
	error) {
	return s.startOperation(ctx, caller, func(operationID uuid.UUID) error {
		files, err := s.readAnswers(given)
		if err != nil {
			return err
		}
		t, err := s.lookUpTarget(ctx, caller, workspaceID, modelID)
		if err != nil {
			return err
		}
		set, err := s.runnableQuestions(ctx, caller, workspaceID, modelID)
		if err != nil {
			return err
		}
		side := benchmark.Side{WorkspaceID: workspaceID, WorkspaceName: t.workspace.DisplayName, SemanticModelID: modelID,
			SemanticModelName: t.model.DisplayName, AnsweredBy: benchmark.AnsweredBy{Kind: verdict.Imported, RunID: &operationID}}
		var answers benchmark.ImportedAnswers
		if err := s.processors.Compute(func() (err error) {
			answers, err = importedAnswersOf(files, set, who)
			answers.RunID, side.AnsweredBy.Who = operationID, answers.About.Who
			return err
		}); err != nil {
			return err
		}
		body, err := json.Marshal(answers)
		if err != nil {
			return fmt.Errorf("commands: encode the answers: %w", err)
		}
		document, storing, err := s.Documents.Put(ctx, body)
		if err != nil {
			return err
		}
		counts := answers.Counts(set)
		return s.acceptRun(ctx, caller, side, set, s.workspaceState(ctx, caller, t.workspace), 0, benchmark.RunAccepted{RunID: operationID,
			Repeats: slices.Max(counts), Imported: &benchmark.Imported{Answers: document, Counts: counts}}, storing)
	})
}

// readAnswers reads the files. It names one that holds no answers, and what was expected.
func (s *Benchmarks) readAnswers(given []ImportedFile) (files []*answerset.File, err error) {
	err = s.processors.Compute(func() error {
		for _, g := range given {
			f, err := answerset.ReadGiven(g.Name, g.Text)
			if err != nil {
				return err
			}
			files = append(files, f)
		}
		return nil
	})
	return files, err
}

// maxWho is how many characters the name of who answered has at most.
const maxWho = 200

// importedAnswersOf returns the answers to the questions by the one that who names.
func importedAnswersOf(files []*answerset.File, set benchmark.Set, who string) (answers benchmark.ImportedAnswers, err error) {
	all, unmatched := evaluation.Match(set, files, benchmark.MaxRepeats)
	names := lists.Map(all, func(g evaluation.Given) string { return domain.Shortened(g.String(), maxWho) })
	at, err := benchmark.CheckAnswerer(who, names, unmatched)
	if err != nil {
		return answers, err
	}
	g := all[at]
	answers = benchmark.ImportedAnswers{
		About:   verdict.Target{Who: cmp.Or(who, names[at]), Runtime: g.Runtime, Stage: g.Stage, ConfigHash: g.Definition},
		Origin:  benchmark.Origin{Files: []benchmark.OriginFile{}, Unmatched: unmatched},
		Replies: map[string][]benchmark.ImportedReply{},
	}
	for _, f := range files {
		answers.Origin.Files = append(answers.Origin.Files, benchmark.OriginFile{Name: f.Name, Kind: string(f.Kind), Notes: f.Notes})
	}
	cached, unanswered := 0, []string{}
	for _, q := range set.Questions {
		for _, a := range g.Answers[q.QuestionID] {
			reply := benchmark.ImportedReply{Answer: a.Answer, Failure: a.Failure}
			reply.CannotAnswer = a.CannotAnswer || a.Query == "" && verdict.Declines(a.Text)
			if a.Seconds != nil {
				reply.DurationMS = int64(1000 * *a.Seconds)
			}
			if a.Stored != nil {
				reply.Usage = a.Stored.Usage
			}
			if a.Cached {
				cached++
			}
			answers.Replies[q.QuestionID] = append(answers.Replies[q.QuestionID], reply)
		}
		if len(g.Answers[q.QuestionID]) == 0 {
			unanswered = append(unanswered, q.Text)
		}
	}
	answers.Origin.Unmatched.Questions = unanswered // by this one, whoever else answered
	if cached > 0 {
		answers.Origin.Notes = append(answers.Origin.Notes, fmt.Sprintf("%d of the answers came from a cache.", cached))
	}
	if g.Left > 0 {
		answers.Origin.Notes = append(answers.Origin.Notes, fmt.Sprintf("%d answers are left out: at most %d to a question are judged.", g.Left,
			benchmark.MaxRepeats))
	}
	if n := len(all) - 1; n > 0 {
		answers.Origin.Notes = append(answers.Origin.Notes, fmt.Sprintf("The files have answers of %d others, which are other runs.", n))
	}
	return answers, nil
}

// importedAnswers returns who answers for a side with the answers of an imported run of the model.
func (s *Benchmarks) importedAnswers(ctx context.Context, caller Caller, modelID, runID uuid.UUID) (benchmark.AnsweredBy, error) {
	past := eventstore.Fold(benchmark.RunStream(runID), benchmark.EvolveRun)
	if err := s.Store.Load(ctx, past); err != nil {
		return benchmark.AnsweredBy{}, err
	}
	return past.State.Side.AnsweredBy, past.State.CheckImported(caller.Account, modelID, runID)
}

// ImportedAnswers returns the answers that a side replays. It refuses where their run was deleted.
func (r Runs) ImportedAnswers(ctx context.Context, in *documents.Store, side benchmark.Side) (answers benchmark.ImportedAnswers, err error) {
	past := eventstore.Fold(benchmark.RunStream(*side.AnsweredBy.RunID), benchmark.EvolveRun)
	if err := r.Store.Load(ctx, past); err != nil {
		return answers, err
	}
	if err := past.State.CheckAnswers(); err != nil {
		return answers, err
	}
	body, err := in.Get(ctx, past.State.Imported.Answers)
	if err != nil {
		return answers, err
	}
	if err := json.Unmarshal(body, &answers); err != nil {
		return answers, fmt.Errorf("commands: read the answers of run %s: %w", past.State.RunID, err)
	}
	return answers, nil
}
