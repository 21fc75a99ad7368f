package benchmark

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/domain"
	"readiness/domain/verdict"
)

// Imported is what an imported run judges: answers that an AI gave elsewhere.
type Imported struct {
	// Answers is the hash of the document with the ImportedAnswers.
	Answers string `json:"answers"`
	// Counts is how many answers each question has, in the order of the set.
	Counts []int `json:"counts"`
}

// ImportedAnswers are the answers of an imported run.
type ImportedAnswers struct {
	RunID uuid.UUID `json:"runId"` // so that no two runs share a document
	// About describes who answered, as far as the files say.
	About  verdict.Target `json:"about"`
	Origin Origin         `json:"origin"`
	// Replies are the answers by question id.
	Replies map[string][]ImportedReply `json:"replies"`
}

// ImportedReply is an answer of a file.
type ImportedReply struct {
	verdict.Answer
	Failure    *verdict.Failure    `json:"failure,omitempty"`
	DurationMS int64               `json:"durationMs,omitempty"` // 0 if unknown
	Usage      *verdict.TokenUsage `json:"usage,omitempty"`
}

// Reply returns the n-th answer to a question, from 1.
func (a ImportedAnswers) Reply(questionID string, n int) Reply {
	all := a.Replies[questionID]
	if n > len(all) {
		message := "the imported run has no answer to this question"
		if len(all) > 0 {
			message = fmt.Sprintf("the imported run has only %d of the answers to this question", len(all))
		}
		return Reply{Failure: &verdict.Failure{Code: "not_imported", Message: message}}
	}
	given := all[n-1]
	return Reply{Answer: given.Answer, Failure: given.Failure, DurationMS: given.DurationMS, Attempts: 1, Usage: given.Usage}
}

// Counts returns how many answers each question of the set has.
func (a ImportedAnswers) Counts(s Set) (counts []int) {
	for _, q := range s.Questions {
		counts = append(counts, len(a.Replies[q.QuestionID]))
	}
	return counts
}

// CheckImported refuses what is not an imported run of the account and the model that has ended with answers.
func (r Run) CheckImported(accountID string, modelID, runID uuid.UUID) error {
	if err := r.CheckStored(accountID, modelID, runID); err != nil || r.Imported != nil {
		return err
	}
	return domain.Refuse(domain.InvalidRequest, "run %s was not imported: its questions were asked, so name who answered", runID).
		About("runId", runID)
}

// CheckAnswers refuses to replay a run whose answers were deleted.
func (r Run) CheckAnswers() error {
	if !r.Deleted {
		return nil
	}
	return domain.Refuse(domain.BenchmarkRunFailed, "the imported run %s, whose answers this side has, was deleted", r.RunID)
}

// Origin says where imported answers are from.
type Origin struct {
	Files []OriginFile `json:"files"`
	// Unmatched are questions of either side that the other one lacks.
	Unmatched Unmatched `json:"unmatched"`
	// Notes are sentences about what the verdicts lack.
	Notes []string `json:"notes,omitempty"`
}

// OriginFile is a file that answers were read from.
type OriginFile struct {
	Name string `json:"file"`
	Kind string `json:"kind"`
	// Notes are sentences about what was left out or not understood.
	Notes []string `json:"notes,omitempty"`
}

// Unmatched are the questions of either side that the other one lacks.
type Unmatched struct {
	// Questions are golden questions that nobody answered.
	Questions []string `json:"questions"`
	// Answers are answers to other questions, each text once, and More how many more there are.
	Answers []Unasked `json:"answers"`
	More    int       `json:"more,omitempty"`
}

// Unasked is a question with an answer that is no golden one.
type Unasked struct {
	Text string `json:"text"`
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	// Nearest is the golden question that is most like it; "" if none is. It is never taken for it.
	Nearest string `json:"nearest,omitempty"`
	// Why is set if the text is that of a golden question, and the answer is left out all the same.
	Why string `json:"why,omitempty"`
}

// maxAnswerers is how many names or texts a refusal lists.
const maxAnswerers = 5

// CheckAnswerer returns which of those who answered is imported: the one that is named, or the only one. none are the questions that
// nobody answered if nobody answered any.
func CheckAnswerer(named string, answerers []string, none Unmatched) (int, error) {
	switch at := slices.Index(answerers, named); {
	case len(answerers) == 0:
		why := "none of the files' questions is a saved question that can run"
		for _, u := range none.Answers[:min(len(none.Answers), 1)] {
			why += fmt.Sprintf(", such as %q", domain.Excerpt(u.Text))
			if u.Nearest != "" {
				why += fmt.Sprintf("; the nearest saved one is %q", domain.Excerpt(u.Nearest))
			}
			if u.Why != "" {
				why += ": " + u.Why
			}
		}
		return 0, domain.Refuse(domain.InvalidRequest, "there is nothing to import: %s", why)
	case at >= 0:
		return at, nil
	case len(answerers) == 1:
		return 0, nil
	}
	shown := make([]string, 0, maxAnswerers)
	for _, a := range answerers[:min(len(answerers), maxAnswerers)] {
		shown = append(shown, fmt.Sprintf("%q", domain.Excerpt(a)))
	}
	return 0, domain.Refuse(domain.InvalidRequest, "the files have answers of %d who answered, and a run is of one; answeredBy must be one of %s",
		len(answerers), strings.Join(shown, ", "))
}
