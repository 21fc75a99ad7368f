package optimization

import (
	"slices"

	"github.com/google/uuid"

	"readiness/domain"
)

// approvalRequired is the approval of a bundle whose previews a person reviews.
const approvalRequired = "required"

// StartBundle starts the previews of several kinds as one operation. With NoApproval
// their applies follow. Kinds are the names that the call gave, nil for all kinds.
type StartBundle struct {
	Kinds    *[]string
	Approval string
}

// Form returns what the bundle does with its kinds.
func (c StartBundle) Form() Form {
	if c.Approval == NoApproval {
		return Unattended
	}
	return Previewing
}

// Check returns the kinds in the order in which the bundle takes them. It refuses
// names that are not those of kinds, an unknown approval, and a bundle that could only
// write unattended what a person must review.
func (c StartBundle) Check() ([]Kind, error) {
	kinds, err := kindsOf(c.Kinds)
	switch {
	case err != nil:
		return nil, err
	case c.Approval != NoApproval && c.Approval != approvalRequired:
		return nil, domain.Refuse(domain.InvalidRequest,
			"approval must be required, to review the previews first, or none, to write them at once")
	case c.Form() == Unattended && slices.Equal(kinds, []Kind{AIDataSchema}):
		return nil, ApplyPreview{Approval: &c.Approval}.Check(AIDataSchema)
	}
	return kinds, nil
}

// kindsOf returns the kinds with the names, in the order in which a bundle takes them;
// all kinds if names is nil.
func kindsOf(names *[]string) ([]Kind, error) {
	if names == nil {
		return Kinds(), nil
	}
	if len(*names) == 0 {
		return nil, domain.Refuse(domain.InvalidRequest, "kinds is empty; name at least one kind, or leave kinds out for all of them")
	}
	named := map[Kind]bool{}
	for _, name := range *names {
		k, err := KindOf(name)
		if err != nil {
			return nil, err
		}
		if named[k] {
			return nil, domain.Refuse(domain.InvalidRequest, "kinds names %s twice", k).About("kind", k)
		}
		named[k] = true
	}
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return !named[k] }), nil
}

// NewChild returns the child of a kind whose preview starts with the bundle. An
// unattended bundle never writes the AI data schema.
func (f Form) NewChild(k Kind, previewID uuid.UUID) Child {
	child := Child{Kind: k, PreviewID: &previewID, Standing: ChildRunning}
	if f != Unattended {
		return child
	}
	child.PreviewStanding, child.Standing = ChildRunning, ChildNotStarted
	if k == AIDataSchema {
		child.Standing, child.Code = ChildSkipped, domain.InvalidRequest
		child.Message = "the AI data schema is not written unattended, because a person must review which fields an AI leaves out; " +
			"apply its preview"
	}
	return child
}

// Writes reports whether the bundle will write something, so that it reserves the
// model.
func (b BundleAccepted) Writes() bool {
	return slices.ContainsFunc(b.Children, func(c Child) bool { return c.Standing == ChildNotStarted })
}

// With returns the child with the standing and the refusal that caused it.
func (c Child) With(standing ChildStanding, r *domain.Refusal) Child {
	c.Standing, c.Code, c.Message = standing, r.Code, r.Message
	return c
}
