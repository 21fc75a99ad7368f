package mcp

import (
	"context"
	"fmt"

	"readiness/domain/verdict"
)

// QuestionsInput asks questions about a model.
type QuestionsInput struct {
	Model       string          `json:"model" jsonschema:"the id of a model, from list_models"`
	Questions   []QuestionInput `json:"questions,omitempty" jsonschema:"at most 100; without them, some are made from the model"`
	Count       int             `json:"count,omitempty" jsonschema:"how many questions to make if none are given: 1 to 100, 20 by default"`
	Answers     string          `json:"answers,omitempty" jsonschema:"CSV with question, answer and perhaps dax: judged, and nobody is asked"`
	AnsweredBy  string          `json:"answeredBy,omitempty" jsonschema:"who gave these answers"`
	OperationID string          `json:"operationId,omitempty" jsonschema:"the operation of an earlier call that had not ended"`
}

// QuestionInput is a question and what is known of its answer.
type QuestionInput struct {
	Question string `json:"question"`
	DAX      string `json:"dax,omitempty" jsonschema:"a query that answers it"`
	Value    string `json:"value,omitempty" jsonschema:"the answer, if it is a single value"`
}

// Run is a run of questions.
type Run struct {
	ID, Model string
	Answerer  string
	Score     *int
	Answers   []AnswerRow
}

// AnswerRow is a question with its answer.
type AnswerRow struct {
	Question string `json:"question"`
	Expected string `json:"expected"`
	Verdict  string `json:"verdict"` // correct, incorrect, unclear, refused or error
	Reason   string `json:"reason,omitempty"`
	Answer   string `json:"answer,omitempty"`
	Query    string `json:"query,omitempty"`
}

// RunSummary is a run with the first answers that are not correct.
type RunSummary struct {
	RunID    string          `json:"runId"`           // for list_answers
	Answerer string          `json:"answerer"`        // what answered
	Score    *int            `json:"score,omitempty"` // how many percent are correct
	Verdicts map[string]int  `json:"verdicts"`
	Wrong    Page[AnswerRow] `json:"notCorrect"` // the first page of answers that are not correct
}

// AnswersInput selects answers of a run.
type AnswersInput struct {
	Model   string          `json:"model" jsonschema:"the model that was asked about"`
	RunID   string          `json:"runId" jsonschema:"from run_questions or evaluate"`
	Verdict verdict.Verdict `json:"verdict,omitempty" jsonschema:"only answers with this verdict"`
	Cursor  string          `json:"cursor,omitempty" jsonschema:"the nextCursor of the previous page"`
}

func (t tools) addQuestions() {
	run := spec{name: "run_questions", title: "Ask questions about a model", hints: t.records(), without: t.withoutOperation("answers", "answeredBy"),
		description: "Asks questions about a model and judges the answers. The embedded engine answers with what an AI sees of the " +
			"model; " +
			"no language model is asked, and no data is read."}
	if t.Service {
		run.without = []string{"questions", "count"}
		run.description = "Asks the questions that are saved for a model, as the platform's assistant, or takes answers that an AI gave " +
			"elsewhere, and judges them. A run that asks counts against the account's allowance, so the token needs the scope to write."
	}
	add(t, run, func(ctx context.Context, m Models, in QuestionsInput) (result[*RunSummary], error) {
		r, pending, err := m.Run(ctx, in)
		if err != nil || pending != nil {
			return result[*RunSummary]{pending: pending}, err
		}
		s, err := r.summary()
		return result[*RunSummary]{summary: fmt.Sprintf("%d of %d answers are correct.", s.Verdicts["correct"], len(r.Answers)), data: &s},
			err
	})
	add(t, spec{name: "list_answers", title: "List answers", hints: reads,
		description: "Lists the answers of a run of questions, page by page."},
		func(ctx context.Context, m Models, in AnswersInput) (result[Page[AnswerRow]], error) {
			r, err := m.RunOf(ctx, in.Model, in.RunID)
			if err != nil {
				return result[Page[AnswerRow]]{}, err
			}
			page, err := pageAs(r.with(in.Verdict), in.Cursor, AnswerRow.clipped)
			return result[Page[AnswerRow]]{summary: fmt.Sprintf("%d of %d answers.", len(page.Rows), page.Total), data: page}, err
		})
}

func (r Run) summary() (RunSummary, error) {
	s := RunSummary{RunID: r.ID, Answerer: clip(r.Answerer, maxName), Score: r.Score, Verdicts: map[string]int{}}
	var wrong []AnswerRow
	for _, a := range r.Answers {
		s.Verdicts[a.Verdict]++
		if a.Verdict != "correct" {
			wrong = append(wrong, a)
		}
	}
	var err error
	s.Wrong, err = pageAs(wrong, "", AnswerRow.clipped)
	return s, err
}

func (r Run) with(v verdict.Verdict) (rows []AnswerRow) {
	for _, a := range r.Answers {
		if v == "" || a.Verdict == string(v) {
			rows = append(rows, a)
		}
	}
	return rows
}

func (a AnswerRow) clipped() AnswerRow {
	return AnswerRow{clip(a.Question, maxText), clip(a.Expected, maxText), a.Verdict, clip(a.Reason, maxText), clip(a.Answer, maxText),
		clip(a.Query, maxText)}
}
