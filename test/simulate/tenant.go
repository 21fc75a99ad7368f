//go:build unix

package main

import (
	"fmt"
	"time"

	"github.com/google/uuid"
)

const (
	day = 24 * time.Hour
	// account is the simulated account.
	account = "tenant"
	// workspaces is how many workspaces the models are spread over, at most.
	workspaces = 100
	// onDisk is how many of the models the folder has, at most: those that are assessed. The folder platform
	// looks at every item of the folder in each call, which no real platform does.
	onDisk = 2_000
	// pages is how many pages with a Pixie a report has.
	pages = 2
)

// tenant is the size of the account. What happens in a day follows from it.
type tenant struct{ models, people int }

// reports is how many reports have Pixies: 20,000 for 100,000 models.
func (t tenant) reports() int { return max(1, t.models/5) }

// callers is how many people make calls: one in twenty.
func (t tenant) callers() int { return t.people / 20 }

func (t tenant) workspaces() int { return min(workspaces, t.models) }

func (t tenant) onDisk() int { return min(onDisk, t.models) }

// kind is a kind of call.
type kind int

const (
	views       kind = iota // images of Pixies
	reads                   // polls of operations, lists of assessments
	portfolios              // first pages of the portfolio
	assessments             // starts of assessments
	kinds
)

var kindNames = [kinds]string{"views", "reads", "portfolios", "assessments"}

// perDay is how many calls of the kind a day has: 200 views of pages for each person, 50 calls for each who makes calls, and every model
// is assessed once in seven days.
func (t tenant) perDay(k kind) float64 {
	switch k {
	case views:
		return 200 * float64(t.people)
	case reads:
		return 49 * float64(t.callers())
	case portfolios:
		return float64(t.callers())
	default:
		return float64(t.models) / 7
	}
}

// work is how many hundredths of a day's views, reads and portfolios each hour has. The busiest hour has 600 views a second of the 10
// million of the largest tenant. nights is the same of the assessments, which schedules start in four hours.
var (
	work   = [24]float64{.25, .25, .25, .25, .5, .5, 2, 5, 9, 21.6, 12, 9, 5, 8, 9, 7, 5, 3, 1, .5, .3, .3, .2, .1}
	nights = [24]float64{25, 25, 25, 25}
)

// rate is how many calls of the kind a second has at a part of the day, from 0 to 1.
func (t tenant) rate(k kind, at float64) float64 {
	hours := work
	if k == assessments {
		hours = nights
	}
	return t.perDay(k) * hours[min(23, int(24*at))] / 100 / time.Hour.Seconds()
}

// idOf returns the id of the n-th thing of a sort.
func idOf(sort string, n int) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%s %d", sort, n))
}

// workspaceOf is the workspace of the n-th model, and of the n-th report.
func (t tenant) workspaceOf(n int) int { return n % t.workspaces() }
