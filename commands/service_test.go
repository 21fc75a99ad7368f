package commands_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"readiness/test/testworld"
	"readiness/work"
)

var (
	retail = uuid.MustParse("aaaaaaaa-0000-0000-0000-000000000001")
	paused = uuid.MustParse("aaaaaaaa-0000-0000-0000-000000000002")
	secret = uuid.MustParse("aaaaaaaa-0000-0000-0000-000000000003")
)

// model is the id of the n-th semantic model of the retail workspace.
func model(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("bbbbbbbb-0000-0000-0000-%012d", n))
}

// service is a world with a queue. Enqueued work is not carried out unless a test
// starts the queue.
type service struct {
	*testworld.World
	queue *work.Queue
}

var (
	noon  = testworld.Noon
	check = testworld.Check
)

// newService has three workspaces: retail with n models, a paused one with one
// model, and one with one model that only bob can see.
func newService(t *testing.T, n int) *service {
	t.Helper()
	s := &service{World: testworld.New(t, testworld.Options{})}
	s.Workspace(t, testworld.Workspace{ID: retail, Name: "Retail"})
	for i := range n {
		s.has(t, "Retail", fmt.Sprintf("Model %03d", i), model(i))
	}
	s.Workspace(t, testworld.Workspace{ID: paused, Name: "Paused", Paused: true})
	s.has(t, "Paused", "Asleep", model(900))
	s.Workspace(t, testworld.Workspace{ID: secret, Name: "Secret", Members: []string{"bob"}})
	s.has(t, "Secret", "Hidden", model(901))
	var err error
	s.queue, err = work.NewQueue(s.Work)
	check(t, err)
	s.Jobs = s.queue
	return s
}

// has puts a semantic model into a workspace.
func (s *service) has(t *testing.T, workspace, name string, id uuid.UUID) {
	t.Helper()
	s.Model(t, workspace, name, id,
		"table Sales\n\n\tmeasure Revenue = SUM(Sales[Amount])\n\t\tformatString: #,0\n\n\tcolumn Amount\n\t\tdataType: double\n\t\tsummarizeBy: sum\n\t\tsourceColumn: Amount\n")
}
