package fabric

import (
	"context"
	"slices"
	"strings"
	"time"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain"
	"readiness/domain/item"
)

// Answers are what a probe found out about a tenant. A tenant without a probe has the zero value.
type Answers struct {
	ProbedAt time.Time `json:"probedAtUtc"`
	// Passed reports that a semantic model and a report kept the values that the probe wrote, and could be restored.
	Passed bool `json:"passed"`
	// CopilotShown reports that a definition has all parts below Copilot/, HiddenKept that an update keeps those that are
	// not given.
	CopilotShown bool `json:"copilotShown"`
	HiddenKept   bool `json:"hiddenKept"`
	// Relaid are the probe's own parts that were read back differently from how they were written, each with the difference. Nothing
	// depends on it: the service compares values.
	Relaid map[string]string `json:"relaid,omitempty"`
	// EarlyPollsBlocked reports that an operation may not be asked for before the time that the platform names.
	EarlyPollsBlocked bool `json:"earlyPollsBlocked"`
	// QueriesRefused is the code with which executeQueries is refused; "" if it answers, or was not asked.
	QueriesRefused string `json:"queriesRefused,omitempty"`
	// ArrowRefused is why queries in the form of Arrow are not used: the code with which they are refused, or what is wrong with
	// the answer; "" if they are answered, or were not asked.
	ArrowRefused string `json:"arrowRefused,omitempty"`
	// RefusedBytes is the size of the smallest definition that was refused for its size; 0 if none was.
	RefusedBytes int `json:"refusedBytes,omitempty"`
	// LabelCode is the code with which the definition of a protected item is refused, PausedCodes those of calls about a
	// workspace whose capacity is paused, by route. Both are empty if they were not asked for.
	LabelCode   string            `json:"labelCode,omitempty"`
	PausedCodes map[string]string `json:"pausedCodes,omitempty"`
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

// means returns the service's code for a code of the platform's that a probe met; "" if it met none such. A code that
// says nothing about its cause is never taken for one.
func (a Answers) means(code, route string) domain.Code {
	switch {
	case strings.HasPrefix(code, "HTTP "), slices.Contains([]string{"", "UnknownError", "InternalServerError", "BadRequest"}, code):
		return ""
	case code == a.PausedCodes[route]:
		return domain.CapacityPaused
	case code == a.LabelCode:
		return domain.ItemNotReadable
	}
	return ""
}

// hidden is what is known, before a write, about parts of a semantic model that its definition does not show.
type hidden struct {
	refuse func(why string) error
	// known is true if what the model has, prepared, could be asked for.
	known                         bool
	instructions, verifiedAnswers bool
}

// findHidden asks for what the platform may not show of a semantic model, if that matters to a write of d.
func (p *Platform) findHidden(ctx context.Context, as item.Caller, it item.Item, d definition.Definition) hidden {
	h := hidden{refuse: func(why string) error {
		return domain.Refuse(domain.OperationNotSupportedForItem, "%s was not written: the platform shows nothing that prepares it for "+
			"AI, %s", nameOf(it), why).About(it.Type.IDName(), it.ID)
	}}
	a := p.answers(as.Person)
	if it.Type != item.SemanticModel || a.CopilotShown || a.HiddenKept || p.iq == nil || hasCopilot(d) {
		return h
	}
	shown, err := p.iq.Prepared(ctx, as, it.ID)
	if err != nil {
		p.log.Info("Fabric IQ does not say what prepares a model for AI", "error", err)
		return h
	}
	h.known, h.instructions, h.verifiedAnswers = true, shown.Instructions, shown.VerifiedAnswers
	return h
}

// keepsHidden refuses to write a semantic model if the platform may hold parts that it does not show.
func (p *Platform) keepsHidden(as item.Caller, h hidden, now, d definition.Definition) error {
	switch {
	case !now.MayLackCopilot || hasCopilot(now):
		return nil
	case hasCopilot(d):
		return h.refuse("so what would be written there cannot be compared with what there is; write it in Power BI Desktop")
	case p.answers(as.Person).HiddenKept:
		return nil
	case !h.known:
		return h.refuse("Fabric IQ does not say whether there is something, and the update of an entire definition might delete what it " +
			"does not show; the operator of the service can find out with readinessd fabric probe")
	}
	m, err := semanticmodel.Read(now)
	if err != nil {
		return err
	}
	linguistic := slices.ContainsFunc(m.Cultures, func(c semanticmodel.Culture) bool { return c.CustomInstructions != nil })
	if h.verifiedAnswers || h.instructions && !linguistic {
		return h.refuse("but Fabric IQ shows AI instructions or verified answers of it, which the update of an entire definition might " +
			"delete; write it in Power BI Desktop")
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
