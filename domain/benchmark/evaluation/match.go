package evaluation

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"readiness/domain/benchmark"
	"readiness/domain/benchmark/answerset"
	"readiness/internal/lists"
)

// FollowUp is the tag of a golden question that is asked in a conversation after others.
const FollowUp = "follow-up"

// maxUnasked is how many questions of answers are listed.
const maxUnasked = 100

// normal returns a question as questions are compared: without differences in case, blanks, quotes and the sign at the end.
func normal(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("’‘`´", r):
			return '\''
		case strings.ContainsRune("“”„«»", r):
			return '"'
		case unicode.IsControl(r), unicode.IsSpace(r):
			return ' '
		}
		return r
	}, strings.ToLower(norm.NFKC.String(text)))
	return strings.Trim(strings.Join(strings.Fields(text), " "), ` ?!.:"'`)
}

// Given are the answers of one who answered, by the id of their golden question.
type Given struct {
	answerset.By
	Answers map[string][]*answerset.Answer
	// Left is how many answers of it exceed most.
	Left int
}

// Match finds the golden questions that the answers of files are about, in the order of the files. Of one answerer and question it takes at
// most so many.
func Match(set benchmark.Set, files []*answerset.File, most int) (all []Given, u benchmark.Unmatched) {
	answerset.Join(files)
	m := newMatcher(set)
	for _, f := range files {
		for i := range f.Answers {
			a := &f.Answers[i]
			n, ok := m.find(a)
			if !ok {
				continue
			}
			at := slices.IndexFunc(all, func(g Given) bool { return g.By == a.By })
			if at < 0 {
				at, all = len(all), append(all, Given{By: a.By, Answers: map[string][]*answerset.Answer{}})
			}
			id := set.Questions[n].QuestionID
			if len(all[at].Answers[id]) == most {
				all[at].Left++
				continue
			}
			all[at].Answers[id] = append(all[at].Answers[id], a)
		}
	}
	return all, m.unmatched(files)
}

// matcher finds the golden question that an answer is about.
type matcher struct {
	set    benchmark.Set
	byID   map[string]int
	byText map[string][]int
	words  []map[string]bool
	hit    map[int]bool
}

func newMatcher(set benchmark.Set) *matcher {
	m := &matcher{set: set, byID: map[string]int{}, byText: map[string][]int{}, hit: map[int]bool{}}
	for i, q := range set.Questions {
		m.byID[q.QuestionID] = i
		m.byText[normal(q.Text)] = append(m.byText[normal(q.Text)], i)
		m.words = append(m.words, wordsOf(q.Text))
	}
	return m
}

// find returns the index of the answer's question: the text must be its, and of several with the text the id.
func (m *matcher) find(a *answerset.Answer) (int, bool) {
	n, why := m.at(a)
	if why != "" {
		return 0, false
	}
	m.hit[n] = true
	return n, true
}

// at returns why the answer has no question; "-" if none has its text.
func (m *matcher) at(a *answerset.Answer) (n int, why string) {
	all := m.byText[normal(a.Question)]
	if len(all) == 0 {
		return 0, "-"
	}
	n = all[0]
	if len(all) > 1 {
		named, ok := m.byID[a.QuestionID]
		if !ok || !slices.Contains(all, named) {
			return 0, "several golden questions have this text; give the answer a questionId"
		}
		n = named
	}
	if a.Turn > 1 && !slices.Contains(m.set.Questions[n].Tags, FollowUp) {
		return 0, "it was asked in a conversation after other questions; ask it in a new one, or give the golden question the tag " + FollowUp
	}
	return n, ""
}

func (m *matcher) unmatched(files []*answerset.File) benchmark.Unmatched {
	u := benchmark.Unmatched{Questions: []string{}, Answers: []benchmark.Unasked{}}
	for i, q := range m.set.Questions {
		if !m.hit[i] {
			u.Questions = append(u.Questions, q.Text)
		}
	}
	listed := map[string]bool{}
	for _, f := range files {
		for i := range f.Answers {
			a := &f.Answers[i]
			_, why := m.at(a)
			if key := normal(a.Question) + why; why == "" || listed[key] {
				continue
			} else if len(u.Answers) == maxUnasked {
				u.More++
				listed[key] = true
				continue
			} else {
				listed[key] = true
			}
			one := benchmark.Unasked{Text: a.Question, File: f.Name, Line: a.Line}
			if why == "-" {
				one.Nearest = m.nearest(a.Question)
			} else {
				one.Why = why
			}
			u.Answers = append(u.Answers, one)
		}
	}
	return u
}

// alike is the share of common words from which on a question is proposed.
const alike = 0.4

// nearest returns the golden question that shares the most words; "" if none shares enough.
func (m *matcher) nearest(text string) string {
	mine, best, at := wordsOf(text), alike, -1
	for i, words := range m.words {
		common := 0
		for w := range mine {
			if words[w] {
				common++
			}
		}
		if share := float64(common) / float64(max(1, len(mine)+len(words)-common)); share >= best && share > 0 {
			best, at = share, i
		}
	}
	if at < 0 {
		return ""
	}
	return m.set.Questions[at].Text
}

func wordsOf(text string) map[string]bool {
	return lists.Set(strings.FieldsFunc(normal(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}
