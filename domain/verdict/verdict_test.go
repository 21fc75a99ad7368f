package verdict

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition/semanticmodel"
	"readiness/domain/verdict/normalform"
)

func rowsOf(rows ...[]any) *ResultSet { return new(set(rows...)) }

// model is a table with the columns x and y, and reads reads a query about it.
var model = normalform.NewModel(&semanticmodel.Model{Tables: []semanticmodel.Table{{Name: "T", Columns: []semanticmodel.Column{
	{Name: "x", DataType: semanticmodel.Double}, {Name: "y", DataType: semanticmodel.Double},
}}}})

func reads(query string) *normalform.Query {
	q, err := model.Read(query, time.Time{})
	if err != nil {
		panic(err) // of the tests' own queries
	}
	return q
}

var summed, mean, doubled = reads("EVALUATE { SUM(T[x]) }"), reads("EVALUATE { AVERAGE(T[x]) }"), reads("EVALUATE { 2 * SUM(T[x]) }")

// The first method that can decide does.
func TestDecide(t *testing.T) {
	t.Parallel()
	same := &Judgement{Class: SameClass, Confidence: 0.9, Reason: "Both say so."}
	conflict := &Judgement{Class: ConflictClass, Confidence: 0.7, Reason: "They differ."}
	unsure := &Judgement{Class: SameClass, Confidence: 0.69, Reason: "Perhaps."}
	truncated := &ResultSet{Truncated: true}
	for name, tt := range map[string]struct {
		expected  Expected
		answer    Answer
		failure   *Failure
		judgement *Judgement
		verdict   Verdict
		method    Method
		note      Note
	}{
		"an error, whatever there is":  {Expected{Value: "1"}, Answer{Text: "1"}, &Failure{"Throttled", "No answer in 5 minutes."}, same, Errored, ByError, ""},
		"cannot answer":                {Expected{Value: "1"}, Answer{Text: "I found 1 table.", CannotAnswer: true}, nil, same, Refused, ByRefusal, ""},
		"rows before all else":         {Expected{Rows: rowsOf(row{1}), Value: "1", Query: summed}, Answer{Text: "1", Rows: rowsOf(row{2}), Meaning: summed}, nil, same, Incorrect, ByResultSet, ""},
		"rows":                         {Expected{Rows: rowsOf(row{1})}, Answer{Rows: rowsOf(row{1})}, nil, conflict, Correct, ByResultSet, ""},
		"rows with more columns":       {Expected{Rows: rowsOf(row{1})}, Answer{Rows: rowsOf(row{1, 2})}, nil, nil, Correct, ByResultSet, ExtraColumns},
		"no rows":                      {Expected{Rows: rowsOf()}, Answer{Rows: rowsOf()}, nil, nil, Unclear, "", ""},
		"one zero":                     {Expected{Rows: rowsOf(row{0})}, Answer{Rows: rowsOf(row{0})}, nil, nil, Unclear, "", ""},
		"one blank":                    {Expected{Rows: rowsOf(row{nil})}, Answer{Rows: rowsOf()}, nil, nil, Unclear, "", ""},
		"zero and a number":            {Expected{Rows: rowsOf(row{0})}, Answer{Rows: rowsOf(row{1})}, nil, nil, Incorrect, ByResultSet, ""},
		"rows of a constant":           {Expected{Rows: rowsOf(row{1}), Query: summed}, Answer{Rows: rowsOf(row{1}), Meaning: reads("EVALUATE { 1 }")}, nil, same, Incorrect, ByFields, ""},
		"rows in order":                {Expected{Rows: rowsOf(row{1}, row{2}), Ordered: true}, Answer{Rows: rowsOf(row{2}, row{1})}, nil, nil, Incorrect, ByResultSet, ""},
		"truncated rows, then fields":  {Expected{Rows: truncated, Query: summed}, Answer{Rows: rowsOf(row{1}), Meaning: summed}, nil, nil, Correct, ByFields, ""},
		"truncated rows, then value":   {Expected{Rows: truncated, Value: "1"}, Answer{Rows: rowsOf(row{1}), Text: "It is 2."}, nil, same, Incorrect, ByValue, ""},
		"truncated rows, then judge":   {Expected{Rows: truncated}, Answer{Rows: rowsOf(row{1})}, nil, conflict, Incorrect, ByJudge, ""},
		"rows of the reference alone":  {Expected{Rows: rowsOf(row{1}), Value: "1"}, Answer{Text: "1"}, nil, nil, Correct, ByValue, ""},
		"fields before value":          {Expected{Query: summed, Value: "1"}, Answer{Text: "1", Meaning: mean}, nil, same, Incorrect, ByFields, ""},
		"fields that may differ":       {Expected{Query: summed, Value: "1"}, Answer{Text: "1", Meaning: doubled}, nil, same, Correct, ByValue, ""},
		"copied fields decide nothing": {Expected{Query: summed}, Answer{Fields: []Field{{Role: MeasureField, Name: "x"}}}, nil, nil, Unclear, "", ""},
		"a query of nothing":           {Expected{Query: summed}, Answer{Meaning: reads("EVALUATE { 1 }")}, nil, same, Incorrect, ByFields, ""},
		"value":                        {Expected{Value: "1,234"}, Answer{Text: "It is 1234."}, nil, conflict, Correct, ByValue, ""},
		"value, in doubt":              {Expected{Value: "1234567"}, Answer{Text: "It is 1.2M."}, nil, same, Correct, ByJudge, ""},
		"long answers are judged":      {Expected{Value: "Sales rose in all regions but one."}, Answer{Text: "They rose."}, nil, same, Correct, ByJudge, ""},
		"superset":                     {Expected{}, Answer{}, nil, &Judgement{Class: SupersetClass, Confidence: 1}, Correct, ByJudge, ""},
		"irrelevant difference":        {Expected{}, Answer{}, nil, &Judgement{Class: IrrelevantDifferenceClass, Confidence: 0.8}, Correct, ByJudge, ""},
		"subset":                       {Expected{}, Answer{}, nil, &Judgement{Class: SubsetClass}, Unclear, ByJudge, ""},
		"no answer":                    {Expected{}, Answer{}, nil, &Judgement{Class: NoAnswerClass}, Refused, ByJudge, ""},
		"a judge who is not sure":      {Expected{}, Answer{}, nil, unsure, Unclear, ByJudge, ""},
		"a judge without confidence":   {Expected{}, Answer{}, nil, &Judgement{Class: ConflictClass}, Unclear, ByJudge, ""},
		"a judge too sure":             {Expected{}, Answer{}, nil, &Judgement{Class: SameClass, Confidence: 1.1}, Unclear, ByJudge, ""},
		"no answer, not sure":          {Expected{}, Answer{}, nil, &Judgement{Class: NoAnswerClass, Confidence: 0.1}, Refused, ByJudge, ""},
		"rows of a constant, unread":   {Expected{Rows: rowsOf(row{1})}, Answer{Rows: rowsOf(row{1}), Constant: true, Text: "It is 7."}, nil, nil, Incorrect, ByValue, ""},
		"the number of the rows":       {Expected{Rows: rowsOf(row{1234.5})}, Answer{Text: "It is 1,234.5."}, nil, conflict, Correct, ByValue, ""},
		"another than of the rows":     {Expected{Rows: rowsOf(row{1234.5})}, Answer{Text: "It is 1,334.5."}, nil, same, Incorrect, ByValue, ""},
		"the rows, rounded":            {Expected{Rows: rowsOf(row{1234.5678})}, Answer{Text: "It is 1,234.57."}, nil, same, Correct, ByJudge, ""},
		"no number, with rows":         {Expected{Rows: rowsOf(row{1234.5})}, Answer{Text: "Sales were good."}, nil, same, Unclear, ByValue, ""},
		"a share of the rows":          {Expected{Rows: rowsOf(row{0.25})}, Answer{Text: "It is 25 %."}, nil, conflict, Correct, ByValue, ""},
		"several rows, no number":      {Expected{Rows: rowsOf(row{1}, row{2})}, Answer{Text: "They differ."}, nil, same, Correct, ByJudge, ""},
		"no number of a sentence":      {Expected{Sentence: "Net sales were 1,234.", Question: "Net sales of 2025?"}, Answer{Text: "They were good."}, nil, same, Unclear, ByJudge, ""},
		"a sentence without numbers":   {Expected{Sentence: "It was the best since 2025, of 500.", Question: "Best of the 500?"}, Answer{Text: "The best."}, nil, same, Correct, ByJudge, ""},
		"a number for a sentence":      {Expected{Sentence: "Net sales were 1,234."}, Answer{Text: "About 1.2K."}, nil, same, Correct, ByJudge, ""},
		"a sentence, and conflict":     {Expected{Sentence: "Net sales were 1,234."}, Answer{Text: "They were bad."}, nil, conflict, Incorrect, ByJudge, ""},
		"no number":                    {Expected{Value: "1234"}, Answer{Text: "Sales were good."}, nil, same, Unclear, ByValue, ""},
		"no number, and no answer":     {Expected{Value: "1234"}, Answer{Text: "I can’t tell from this data."}, nil, same, Refused, ByValue, ""},
		"no number, in German":         {Expected{Value: "1234"}, Answer{Text: "Dazu liegen mir keine Daten vor."}, nil, same, Refused, ByValue, ""},
		"a number of the question":     {Expected{Value: "1234", Question: "Sales of the top 500 customers?"}, Answer{Text: "The 500 customers bought for 1,234."}, nil, conflict, Correct, ByValue, ""},
		"the question's number alone":  {Expected{Value: "1234", Question: "Sales of the top 500 customers?"}, Answer{Text: "The 500 customers bought for 1,300."}, nil, same, Incorrect, ByValue, ""},
		"too few digits":               {Expected{Value: "1234"}, Answer{Text: "It is 13 hundred or so."}, nil, same, Correct, ByJudge, ""},
		"all digits of a short one":    {Expected{Value: "12"}, Answer{Text: "It is 13."}, nil, same, Incorrect, ByValue, ""},
		"a word for a date":            {Expected{Value: "2024-03-31"}, Answer{Text: "It was at the end of spring."}, nil, same, Unclear, ByJudge, ""},
		"other words for a label":      {Expected{Value: "Bikes"}, Answer{Text: "Two-wheelers."}, nil, same, Unclear, ByJudge, ""},
		"a label":                      {Expected{Value: "Bikes"}, Answer{Text: "It was bikes."}, nil, conflict, Correct, ByValue, ""},
		"a label, and conflict":        {Expected{Value: "Bikes"}, Answer{Text: "Clothing."}, nil, conflict, Incorrect, ByJudge, ""},
		"no label, with equal rows":    {Expected{Value: "Bikes", Rows: rowsOf(row{"Bikes"})}, Answer{Rows: rowsOf(row{"Bikes"})}, nil, conflict, Correct, ByResultSet, ""},
		"the label of the rows":        {Expected{Rows: rowsOf(row{"Bikes"})}, Answer{Text: "Bikes, by far."}, nil, same, Correct, ByJudge, ""},
		"not the label of the rows":    {Expected{Rows: rowsOf(row{"Bikes"})}, Answer{Text: "Two-wheelers."}, nil, same, Unclear, ByJudge, ""},
		"a judge's odd word":           {Expected{}, Answer{}, nil, &Judgement{Class: "yes"}, Unclear, "", ""},
		"nothing decides":              {Expected{Value: "Bikes"}, Answer{Text: "Clothing"}, nil, nil, Unclear, "", ""},
		"nothing is known":             {Expected{}, Answer{}, nil, nil, Unclear, "", ""},
	} {
		got := tt.expected.Decide(tt.answer, tt.failure, tt.judgement)
		if got.Verdict != tt.verdict || got.Method != tt.method || got.Note != tt.note {
			t.Errorf("%s: got %+v, want %s by %q, %q", name, got, tt.verdict, tt.method, tt.note)
		}
		if got.Reason == "" && got.Method != ByJudge {
			t.Errorf("%s: no reason", name)
		}
	}
}

// Fields that the answer's AI was not given are no words of the answer: neither its values nor a refusal are read from them, and each
// verdict names them.
func TestFieldsThatTheAIWasNotGiven(t *testing.T) {
	t.Parallel()
	many := []string{"'T'[a]", "'T'[b]", "'T'[c]", "'T'[d]", "'T'[e]", "'T'[f]", "'T'[g]"}
	for name, tt := range map[string]struct {
		expected Expected
		text     string
		unknown  []string
		verdict  Verdict
		why      string
	}{
		"no number":       {Expected{Value: "1234"}, "Net sales.", []string{"'Sales'[x]"}, Unclear, " Its query uses fields that the AI was not given: 'Sales'[x]."},
		"another number":  {Expected{Value: "1234"}, "Net sales.", []string{"'Sales'[Size 250]"}, Unclear, " 'Sales'[Size 250]."},
		"the same number": {Expected{Value: "1234"}, "Net sales.", []string{"'Sales'[1234]"}, Unclear, " 'Sales'[1234]."},
		"the label":       {Expected{Value: "Bikes"}, "Net sales.", []string{"'Sales'[Bikes]"}, Unclear, " 'Sales'[Bikes]."},
		"the value":       {Expected{Value: "1234"}, "It is 1234.", []string{"'Sales'[x]"}, Correct, " 'Sales'[x]."},
		"five":            {Expected{}, "Net sales.", many[:5], Unclear, "'T'[d], 'T'[e]."},
		"more than five":  {Expected{}, "Net sales.", many, Unclear, "'T'[e] and 2 more."},
		"none":            {Expected{}, "Net sales.", nil, Unclear, "Nothing that is known decides whether the answer is correct."},
	} {
		if got := tt.expected.Decide(Answer{Text: tt.text, Query: "EVALUATE x", Unknown: tt.unknown}, nil, nil); got.Verdict != tt.verdict || !strings.HasSuffix(got.Reason, tt.why) {
			t.Errorf("%s: got %+v, want %s because … %s", name, got, tt.verdict, tt.why)
		}
	}
}

// A verdict on rows of sample data says what evaluated them; on the platform's rows it says
// nothing more.
func TestVerdictsNameTheEngine(t *testing.T) {
	t.Parallel()
	for engine, want := range map[string]string{
		"":         "The query answers the rows of the reference.",
		"embedded": "The query answers the rows of the reference. Both queries were evaluated over sample data (embedded).",
	} {
		reference, answer := rowsOf(row{1}), rowsOf(row{1})
		reference.Engine, answer.Engine = engine, engine
		if got := (Expected{Rows: reference}).Decide(Answer{Rows: answer}, nil, nil); got.Reason != want || got.Verdict != Correct {
			t.Errorf("%q: got %+v, want %q", engine, got, want)
		}
	}
}

// An unclear verdict says of each query why it has no rows to compare. Any other verdict says nothing of it.
func TestVerdictsSayWhyNoRowsAreCompared(t *testing.T) {
	t.Parallel()
	const nothing = "Nothing that is known decides whether the answer is correct."
	for name, c := range map[string]struct {
		expected Expected
		answer   Answer
		want     Decision
	}{
		"none to get":  {Expected{}, Answer{}, Decision{Verdict: Unclear, Reason: nothing}},
		"no reference": {Expected{NoRows: "no room"}, Answer{Rows: rowsOf(row{1})}, Decision{Verdict: Unclear, Reason: nothing + " The reference query has no rows to compare: no room."}},
		"neither": {Expected{NoRows: "no room"}, Answer{NoRows: "cut off"}, Decision{Verdict: Unclear,
			Reason: nothing + " The reference query has no rows to compare: no room. Its query has no rows to compare: cut off."}},
		"no number": {Expected{Value: "1"}, Answer{Text: "So.", NoRows: "there were none within 10s"},
			Decision{Unclear, ByValue, "", "The answer holds no number, and 1 is expected. Its query has no rows to compare: there were none within 10s."}},
		"a value": {Expected{Value: "1", NoRows: "no room"}, Answer{Text: "1", NoRows: "no room"}, Decision{Correct, ByValue, "", "The answer holds 1."}},
	} {
		if got := c.expected.Decide(c.answer, nil, nil); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// asks returns asks with the verdicts; the text of each answer is its verdict.
func asks(verdicts ...Verdict) []Ask {
	var all []Ask
	for i, v := range verdicts {
		a := Ask{N: i + 1, Decision: Decision{Verdict: v}, Answer: Answer{Text: "It is " + string(v) + "."}, DurationMS: int64(1000 * (i + 1)), Attempts: 1}
		if v == Errored {
			a.Error = &Failure{"Throttled", "No answer in 5 minutes."}
		}
		all = append(all, a)
	}
	return all
}

// The tally of a question's asks.
func TestTally(t *testing.T) {
	t.Parallel()
	rate := func(x float64) *Rate { return new(Rate(x)) }
	for name, tt := range map[string]struct {
		asks []Ask
		want Tally
	}{
		"none":             {nil, Tally{Verdict: Errored}},
		"errors alone":     {asks(Errored, Errored), Tally{Verdict: Errored}},
		"one":              {asks(Correct), Tally{Verdict: Correct, Passes: 1, Answered: 1, PassRate: rate(1), Stability: rate(1), MedianMS: new(int64(1000))}},
		"errors apart":     {asks(Errored, Correct, Errored), Tally{Verdict: Correct, Passes: 1, Answered: 1, PassRate: rate(1), Stability: rate(1), MedianMS: new(int64(2000))}},
		"most":             {asks(Correct, Incorrect, Correct), Tally{Verdict: Correct, Passes: 2, Answered: 3, PassRate: rate(2. / 3), Stability: rate(2. / 3), AnswerStability: rate(1. / 3), Flaky: true, MedianMS: new(int64(2000))}},
		"half is not most": {asks(Correct, Incorrect), Tally{Verdict: Unclear, Passes: 1, Answered: 2, PassRate: rate(0.5), Stability: rate(0.5), AnswerStability: rate(0), Flaky: true, MedianMS: new(int64(1500))}},
		"no most":          {asks(Correct, Incorrect, Refused), Tally{Verdict: Unclear, Passes: 1, Answered: 3, PassRate: rate(1. / 3), Stability: rate(1. / 3), AnswerStability: rate(0), Flaky: true, MedianMS: new(int64(2000))}},
		"refused":          {asks(Refused, Refused, Unclear), Tally{Verdict: Refused, Answered: 3, PassRate: rate(0), Stability: rate(2. / 3), AnswerStability: rate(1. / 3), MedianMS: new(int64(2000))}},
	} {
		got := NewTally(tt.asks)
		if len(got.Asks) != len(tt.asks) || got.Asks == nil {
			t.Errorf("%s: got %d asks", name, len(got.Asks))
		}
		got.Asks, got.median, got.modal = nil, 0, nil
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(Tally{})); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// Answers are compared by rows, fields, values and texts.
func TestAnswers(t *testing.T) {
	t.Parallel()
	says := func(s string) Answer { return Answer{Text: s} }
	for name, tt := range map[string]struct {
		a, b Answer
		want Likeness
	}{
		"neither can answer":     {Answer{CannotAnswer: true}, Answer{Text: "Sorry", CannotAnswer: true}, Equal},
		"one cannot answer":      {Answer{CannotAnswer: true}, says("5"), Different},
		"rows":                   {Answer{Text: "a", Rows: rowsOf(row{1})}, Answer{Text: "b", Rows: rowsOf(row{1})}, Equal},
		"rows, more columns":     {Answer{Rows: rowsOf(row{1, "A"})}, Answer{Rows: rowsOf(row{1})}, Equal},
		"other rows":             {Answer{Text: "a", Rows: rowsOf(row{1})}, Answer{Text: "a", Rows: rowsOf(row{2})}, Different},
		"undecided rows":         {Answer{Text: "a", Rows: &ResultSet{Truncated: true}}, Answer{Text: "a", Rows: rowsOf(row{2})}, Equal},
		"undecided, forms":       {Answer{Rows: &ResultSet{Truncated: true}, Form: "a"}, Answer{Rows: rowsOf(row{2}), Form: "a"}, Equal},
		"forms":                  {Answer{Text: "a", Form: "f"}, Answer{Text: "b", Form: "f"}, Equal},
		"other forms":            {Answer{Text: "5", Form: "f"}, Answer{Text: "5", Form: "g"}, Equal},
		"fields without a query": {Answer{Fields: []Field{{Name: "x"}}}, Answer{Fields: []Field{{Name: "x"}}}, Undecided},
		"texts":                  {says("They rose\nagain."), says(" They rose again. "), Equal},
		"other texts":            {says("They rose, I think, in all of the regions."), says("Sales went up everywhere, as it seems to me."), Undecided},
		"no texts":               {says(""), says(""), Undecided},
		"a number in a text":     {says("1234"), says("Sales were 1,234."), Equal},
		"another number":         {says("1234"), says("Sales were 1,235."), Different},
		"numbers of two texts":   {says("In 2024 sales were $1,234."), says("Sales: 1234 (2024)"), Equal},
		"other numbers of two":   {says("In 2024 sales were $1,234."), says("Sales: 1235 (2024)"), Different},
		"many numbers":           {says("From 5 to 7 of them."), says("From 5 to 8 of them."), Undecided},
		"dates":                  {says("It was on 31 March 2024, a Sunday."), says("2024-03-31"), Equal},
		"other dates":            {says("It was on 31 March 2024, a Sunday."), says("2024-03-30"), Different},
		"labels":                 {says("Bikes"), says("bikes."), Equal},
		"other labels":           {says("Bikes"), says("Clothing"), Undecided},
		"a label in a sentence":  {says("Bikes"), says("The category that sold the most is Bikes."), Equal},
	} {
		there, back := know(tt.a).compare(know(tt.b)), know(tt.b).compare(know(tt.a))
		if there != tt.want || back != tt.want {
			t.Errorf("%s: got %s and %s, want %s", name, there, back, tt.want)
		}
	}
}

// The commonest answer is the one of most asks; among equally many, the first.
func TestCommonestAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		texts []string
		want  string
	}{
		{[]string{"5", "7", "7.0"}, "7"}, {[]string{"5", "7"}, "5"}, {[]string{"1", "2", "3", "3", "2"}, "2"},
	} {
		var all []*known
		for _, s := range tt.texts {
			all = append(all, know(Answer{Text: s}))
		}
		if got, _ := commonest(all); got.Text != tt.want {
			t.Errorf("%v: got %s, want %s", tt.texts, got.Text, tt.want)
		}
	}
}

// Rates stay in their bounds, and the order of asks changes no number.
func TestTallyBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		verdicts := rapid.SliceOfN(rapid.SampledFrom([]Verdict{Correct, Incorrect, Unclear, Refused, Errored}), 0, 7).Draw(t, "verdicts")
		all := asks(verdicts...)
		got := NewTally(all)
		other := NewTally(rapid.Permutation(all).Draw(t, "shuffled"))
		got.Asks, other.Asks, got.modal, other.modal = nil, nil, nil, nil
		if diff := cmp.Diff(got, other, cmp.AllowUnexported(Tally{})); diff != "" {
			t.Fatalf("-as asked +shuffled\n%s", diff)
		}
		if got.Answered == 0 {
			return
		}
		if p := *got.PassRate; p < 0 || p > 1 || got.Flaky != (p > 0 && p < 1) || got.Verdict == Correct && p <= 0.5 {
			t.Fatalf("got %+v", got)
		}
		if s := *got.Stability; s <= 0 || s > 1 || got.Verdict == Errored {
			t.Fatalf("got %+v", got)
		}
	})
}

// An answer whose rows are right although its query lacks a filter of the reference is right, and says so.
func TestRightByChance(t *testing.T) {
	t.Parallel()
	filtered := reads("EVALUATE { CALCULATE(SUM(T[x]), T[y] = 3) }")
	for name, tt := range map[string]struct {
		answer *normalform.Query
		want   bool
	}{
		"the filter is dropped": {summed, true},
		"the same filter":       {filtered, false},
		"a query not read":      {nil, false},
	} {
		for _, rows := range []*ResultSet{rowsOf(row{1}), rowsOf(row{1, 2})} {
			d := Expected{Rows: rowsOf(row{1}), Query: filtered}.Decide(Answer{Rows: rows, Meaning: tt.answer}, nil, nil)
			if d.Verdict != Correct || strings.Contains(d.Reason, "does not filter by T[y], as the reference does: the rows are equal by chance") != tt.want {
				t.Errorf("%s: got %+v", name, d)
			}
		}
	}
	other := Expected{Rows: rowsOf(row{1}), Query: filtered}.Decide(Answer{Rows: rowsOf(row{2}), Meaning: summed}, nil, nil)
	if other.Verdict != Incorrect || strings.Contains(other.Reason, "chance") {
		t.Errorf("other rows: got %+v", other)
	}
}
