package review

import (
	"net/http"

	"readiness/http/console/page"
	"readiness/internal/lists"
)

// plan is all that would be written, of one kind or of several, for a person to confirm. The template gets it.
type plan struct {
	// Back is the address of the review, State the digest of what is accepted there, and Attempt how many applies of one kind there were.
	Back, State string
	Attempt     int
	Reviews     []*review
}

// Model returns the review of a kind, which names the model.
func (p plan) Model() *review { return p.Reviews[0] }

// Count returns how many changes have a standing.
func (p plan) Count(standing string) (n int) {
	for _, r := range p.Reviews {
		n += r.Count(standing)
	}
	return n
}

// show shows the plan in full.
func (p plan) show(v *page.Visit) error {
	if p.Count("accepted") == 0 {
		return noneAccepted(p.Back)
	}
	return v.Show(confirmView, page.Page{Title: "What will be written to " + p.Model().SemanticModelName, In: "/operations", Data: p})
}

// noneAccepted returns the problem of an apply without an accepted change, with the address of the review.
func noneAccepted(review string) *page.Problem {
	return &page.Problem{Status: http.StatusBadRequest, Title: "No change is accepted", Link: review, LinkText: "Go back to the review",
		Text: "Accept the changes to write, and apply them then. What you typed is kept."}
}

// plan returns what an apply would write now.
func (r *review) plan() plan { return plan{r.Address(r.Number), r.State(), r.Attempt, []*review{r}} }

// plan returns what the applies of all kinds would write.
func (b *bundle) plan() plan {
	with := lists.Where(b.Kinds, func(k *kindOf) bool { return k.Review != nil })
	return plan{Back: b.Address(b.Number), State: b.State(), Reviews: lists.Map(with, func(k *kindOf) *review { return k.Review })}
}
