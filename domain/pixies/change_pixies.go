package pixies

import (
	"readiness/domain"
	"readiness/domain/operation"
)

// MaxReports is how many reports one call may name.
const MaxReports = 100

// AddPixies starts a run that adds Pixies to reports, with the workspace's tracking
// setup and the license that new tracked items count against.
type AddPixies struct {
	Operation operation.Accepted
	Run       RunAccepted
	Setup     Setup
	License   string
}

func (c AddPixies) Decide(Run) ([]domain.Event, error) {
	c.Operation.Type = operation.AddPixies
	c.Run.Verb, c.Run.Setup, c.Run.License = Adds, &c.Setup, c.License
	return []domain.Event{c.Operation, c.Run}, nil
}

// RemovePixies starts a run that removes Pixies from reports.
type RemovePixies struct {
	Operation operation.Accepted
	Run       RunAccepted
}

func (c RemovePixies) Decide(Run) ([]domain.Event, error) {
	c.Operation.Type, c.Run.Verb = operation.RemovePixies, Removes
	return []domain.Event{c.Operation, c.Run}, nil
}

// CheckCount refuses a call that names no report or more than MaxReports different ones.
func CheckCount(reports int) error {
	switch {
	case reports == 0:
		return domain.Refuse(domain.InvalidRequest, "reportIds is empty; name 1 to %d reports", MaxReports)
	case reports > MaxReports:
		return domain.Refuse(domain.InvalidRequest, "reportIds names %d different reports; one call takes at most %d", reports, MaxReports)
	}
	return nil
}
