package fabric

import (
	"slices"
	"strings"
	"time"

	"readiness/definition"
	"readiness/domain"
	"readiness/domain/item"
)

// Answers are what a probe found out about a tenant. A tenant without a probe has the zero value.
type Answers struct {
	ProbedAt time.Time `json:"probedAtUtc"`
	// Passed reports that what was written to a semantic model and to a report was read back.
	Passed bool `json:"passed"`
	// CopilotShown reports that a definition has all parts below Copilot/, HiddenKept that an update keeps those that are
	// not given.
	CopilotShown bool `json:"copilotShown"`
	HiddenKept   bool `json:"hiddenKept"`
	// Relaid are the probe's own parts that came back with other bytes.
	Relaid []string `json:"relaid,omitempty"`
	// EarlyPolls reports that an operation may be asked for before the time that the platform names.
	EarlyPolls bool `json:"earlyPolls"`
	// Queries reports that executeQueries answers.
	Queries bool `json:"queries"`
}

// answers returns what is known about the person's tenant.
func (p *Platform) answers(person item.Person) Answers {
	a := Answers{CopilotShown: p.showsCopilot}
	if p.probed != nil {
		a = p.probed(person)
		a.CopilotShown = a.CopilotShown || p.showsCopilot
	}
	return a
}

// keepsHidden refuses to write a semantic model if the platform may hold parts that it does not show.
func (p *Platform) keepsHidden(as item.Caller, it item.Item, now, d definition.Definition) error {
	if !now.MayLackCopilot || hasCopilot(now) {
		return nil
	}
	refuse := func(why string) error {
		return domain.Refuse(domain.OperationNotSupportedForItem, "%s was not written: the platform shows nothing that prepares it for "+
			"AI, %s", nameOf(it), why).About(it.Type.IDName(), it.ID)
	}
	if hasCopilot(d) {
		return refuse("so what would be written there cannot be compared with what there is; write it in Power BI Desktop")
	}
	if !p.answers(as.Person).HiddenKept {
		return refuse("and the update of an entire definition might delete what it does not show; the operator of the service can record " +
			"in --fabric-answers that it does not")
	}
	return nil
}

// hasCopilot reports whether a definition has a part that prepares a model for AI.
func hasCopilot(d definition.Definition) bool {
	return slices.ContainsFunc(d.Parts, func(p definition.Part) bool {
		folder, _, inside := strings.Cut(p.Path, "/")
		return inside && strings.EqualFold(folder, "Copilot")
	})
}
