package verdict

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// Every member in order, in camelCase.
func TestDocument(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("7d9f6a34-5b1c-4c39-9c5e-0d2b8a6f1e01")
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	side := func(kind AgentKind) Side {
		return Side{Kind: kind, AgentRef: AgentRef{&id}, Target: Target{ItemID: &id, SemanticModelID: new(uuid.UUID)}}
	}
	q := AskedQuestion{QuestionID: "q1", Text: "How much?", Expected: "5", ClusterID: "c1", A: asks(Incorrect), B: asks(Correct)}
	q.A[0].Answer = Answer{Text: "6", Query: "EVALUATE {6}", Rows: rowsOf(row{6})}
	q.A[0].Decision = Expected{Value: "5"}.Decide(q.A[0].Answer, nil, nil)
	c := Compare("c", side(DataAgent), side(GenericAgent), []AskedQuestion{q, question("q2", Correct, Errored)})
	d := NewDocument("c", Header{Benchmark: QuestionSet{"b", "1", 2, "sha256:00"}, CreatedAt: at, StartedAt: at, FinishedAt: at, Plan: Plan{AsksPerQuestion: 1, OrderSeed: "1"}}, c, Links{Optimization: "o"})
	got, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(document), string(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	var back Document
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.MarshalIndent(back, "", " "); string(again) != string(got) {
		t.Errorf("read and written again: -first +second\n%s", cmp.Diff(string(got), string(again)))
	}
	for kind, named := range map[AgentKind]bool{DataAgent: true, ServiceTestAgent: true, PlatformAssistant: false, GenericAgent: false} {
		d := NewDocument("c", Header{}, Compare("c", side(kind), side(kind), []AskedQuestion{q}), Links{})
		b, _ := json.Marshal(d)
		if got := strings.Contains(string(b), id.String()); got != named {
			t.Errorf("%s: the document names a data agent: %v", kind, got)
		}
	}
}

// document is the complete document of a small comparison.
const document = `
{
 "id": "c",
 "schema": "ab-comparison/1",
 "benchmark": {
  "id": "b",
  "version": "1",
  "questionCount": 2,
  "hash": "sha256:00"
 },
 "createdAt": "2026-11-21T09:00:00Z",
 "startedAt": "2026-11-21T09:00:00Z",
 "finishedAt": "2026-11-21T09:00:00Z",
 "requestedBy": "",
 "plan": {
  "asksPerQuestion": 1,
  "concurrency": 0,
  "interleaved": false,
  "orderSeed": "1",
  "askTimeoutMs": 0,
  "freshConversationPerAsk": false
 },
 "judge": null,
 "status": "completed",
 "a": {
  "side": "a",
  "kind": "DataAgent",
  "label": "",
  "agent_ref": {
   "data_agent_id": "7d9f6a34-5b1c-4c39-9c5e-0d2b8a6f1e01"
  },
  "target": {
   "workspaceId": null,
   "itemId": "7d9f6a34-5b1c-4c39-9c5e-0d2b8a6f1e01",
   "semanticModelId": "00000000-0000-0000-0000-000000000000"
  },
  "usage": null,
  "cost": null,
  "answerer": "dataAgent",
  "questions": 1,
  "asks": 1,
  "asksPerQuestion": 1,
  "verdicts": {
   "correct": 0,
   "incorrect": 1,
   "unclear": 0,
   "refused": 0,
   "error": 0
  },
  "accuracy": 0,
  "accuracyCi": {
   "method": "wilson95",
   "low": 0,
   "high": 0.7935,
   "of": "question_verdicts",
   "x": 0,
   "n": 1
  },
  "passAll": 0,
  "passAny": 0,
  "meanStability": 1,
  "flakyQuestions": 0,
  "score": 0,
  "responseTime": {
   "n": 1,
   "errors": 0,
   "meanMs": 1000,
   "medianMs": 1000,
   "p90Ms": 1000,
   "p95Ms": 1000,
   "minMs": 1000,
   "maxMs": 1000,
   "includes": "ask_to_last_token",
   "excludes": [
    "judging",
    "queue_wait_429",
    "retries_wait"
   ]
  }
 },
 "b": {
  "side": "b",
  "kind": "GenericAgent",
  "label": "",
  "agent_ref": {
   "data_agent_id": null
  },
  "target": {
   "workspaceId": null,
   "itemId": null,
   "semanticModelId": "00000000-0000-0000-0000-000000000000"
  },
  "usage": null,
  "cost": null,
  "answerer": "languageModel",
  "questions": 1,
  "asks": 1,
  "asksPerQuestion": 1,
  "verdicts": {
   "correct": 1,
   "incorrect": 0,
   "unclear": 0,
   "refused": 0,
   "error": 0
  },
  "accuracy": 1,
  "accuracyCi": {
   "method": "wilson95",
   "low": 0.2065,
   "high": 1,
   "of": "question_verdicts",
   "x": 1,
   "n": 1
  },
  "passAll": 1,
  "passAny": 1,
  "meanStability": 1,
  "flakyQuestions": 0,
  "score": 100,
  "responseTime": {
   "n": 1,
   "errors": 0,
   "meanMs": 1000,
   "medianMs": 1000,
   "p90Ms": 1000,
   "p95Ms": 1000,
   "minMs": 1000,
   "maxMs": 1000,
   "includes": "ask_to_last_token",
   "excludes": [
    "judging",
    "queue_wait_429",
    "retries_wait"
   ]
  }
 },
 "agreement": {
  "n": 1,
  "bothCorrect": 0,
  "onlyA": 0,
  "onlyB": 1,
  "neither": 0,
  "observed": 0,
  "expected": 0,
  "kappa": 0,
  "answerAgreement": {
   "n": 1,
   "equal": 0,
   "different": 0,
   "undecided": 1
  },
  "method": "question_verdict"
 },
 "aggregate": {
  "nComparable": 1,
  "nExcluded": 1,
  "scores": {
   "a": 0,
   "b": 100
  },
  "responseTimes": {
   "a": {
    "n": 1,
    "errors": 0,
    "meanMs": 1000,
    "medianMs": 1000,
    "p90Ms": 1000,
    "p95Ms": 1000,
    "minMs": 1000,
    "maxMs": 1000,
    "includes": "ask_to_last_token",
    "excludes": [
     "judging",
     "queue_wait_429",
     "retries_wait"
    ]
   },
   "b": {
    "n": 1,
    "errors": 0,
    "meanMs": 1000,
    "medianMs": 1000,
    "p90Ms": 1000,
    "p95Ms": 1000,
    "minMs": 1000,
    "maxMs": 1000,
    "includes": "ask_to_last_token",
    "excludes": [
     "judging",
     "queue_wait_429",
     "retries_wait"
    ]
   }
  },
  "verdictDifference": {
   "bMinusA": 1,
   "ci": {
    "method": "newcombe95",
    "low": -0.1221,
    "high": 1,
    "of": "question_verdicts",
    "n": 1
   }
  },
  "accuracyDifference": {
   "bMinusA": 1,
   "ci": null
  },
  "mcnemar": {
   "n10": 0,
   "n01": 1,
   "p": 1,
   "exact": true,
   "midP": 0.5,
   "underpowered": true,
   "note": "too few differing questions"
  },
  "responseTimeDifferenceMs": {
   "medianBMinusA": 0,
   "meanBMinusA": 0,
   "ci": null
  },
  "improvements": [
   "q1"
  ],
  "regressions": [],
  "conclusion": "inconclusive",
  "sentence": "Nothing is concluded: 1 of 2 questions cannot be compared.",
  "alpha": 0.05,
  "corrections": "none",
  "minimumDetectableEffect": {
   "n": 1,
   "discordance": 0.3,
   "lastRun": false,
   "difference": null,
   "smallSample": true,
   "note": "fewer than five questions can show nothing"
  },
  "smallSample": true
 },
 "questions": [
  {
   "questionId": "q1",
   "text": "How much?",
   "expected": "5",
   "clusterId": "c1",
   "weight": 1,
   "a": {
    "verdict": "incorrect",
    "passes": 0,
    "answered": 1,
    "passRate": 0,
    "stability": 1,
    "answerStability": null,
    "flaky": false,
    "medianMs": 1000,
    "asks": [
     {
      "n": 1,
      "verdict": "incorrect",
      "method": "value",
      "reason": "The answer holds other values than 5.",
      "answer": "6",
      "query": "EVALUATE {6}",
      "durationMs": 1000,
      "attempts": 1,
      "error": null
     }
    ]
   },
   "b": {
    "verdict": "correct",
    "passes": 1,
    "answered": 1,
    "passRate": 1,
    "stability": 1,
    "answerStability": null,
    "flaky": false,
    "medianMs": 1000,
    "asks": [
     {
      "n": 1,
      "verdict": "correct",
      "answer": "It is correct.",
      "durationMs": 1000,
      "attempts": 1,
      "error": null
     }
    ]
   },
   "change": "improved"
  },
  {
   "questionId": "q2",
   "text": "How much was q2?",
   "expected": "",
   "weight": 1,
   "a": {
    "verdict": "correct",
    "passes": 1,
    "answered": 1,
    "passRate": 1,
    "stability": 1,
    "answerStability": null,
    "flaky": false,
    "medianMs": 1000,
    "asks": [
     {
      "n": 1,
      "verdict": "correct",
      "answer": "It is correct.",
      "durationMs": 1000,
      "attempts": 1,
      "error": null
     }
    ]
   },
   "b": {
    "verdict": "error",
    "passes": 0,
    "answered": 0,
    "passRate": null,
    "stability": null,
    "answerStability": null,
    "flaky": false,
    "medianMs": null,
    "asks": [
     {
      "n": 1,
      "verdict": "error",
      "answer": "It is error.",
      "durationMs": 1000,
      "attempts": 1,
      "error": {
       "code": "Throttled",
       "message": "No answer in 5 minutes."
      }
     }
    ]
   },
   "change": "not_comparable"
  }
 ],
 "excluded": [
  {
   "questionId": "q2",
   "reason": "side_b_error",
   "error": {
    "code": "Throttled",
    "message": "No answer in 5 minutes."
   }
  }
 ],
 "links": {
  "optimization": "o"
 }
}
`
