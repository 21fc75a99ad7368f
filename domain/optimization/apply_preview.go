package optimization

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"readiness/definition/rewrite"
	"readiness/domain"
	"readiness/domain/operation"
	"readiness/domain/proposal"
	"readiness/internal/lists"
)

// ApplyPreview writes a preview that a person reviewed or, with NoApproval, proposes
// and writes in one operation. A member that the call did not give is nil.
type ApplyPreview struct {
	PreviewID *string
	Keys      *[]string
	Approval  *string
	Values    map[string]string
	// ValuesGiven says that values was given, even if empty.
	ValuesGiven bool
}

// NoApproval is the only approval of an apply: it proposes and writes without a person's
// review.
const NoApproval = "none"

// Check refuses a request that is invalid whatever is stored (docs/decisions.md 8.10
// and 8.14).
func (r ApplyPreview) Check(k Kind) error {
	switch {
	case r.PreviewID == nil && r.Approval == nil:
		return domain.Refuse(domain.InvalidRequest, "the body names neither previewId, of the preview to write, nor approval none, to "+
			"propose and write at once; name one")
	case r.Approval != nil && *r.Approval != NoApproval:
		return domain.Refuse(domain.InvalidRequest, "approval is %q; it must be none", domain.Excerpt(*r.Approval))
	case r.PreviewID != nil && r.Approval != nil:
		return domain.Refuse(domain.InvalidRequest, "the body names both previewId and approval none; name one")
	case r.Approval != nil && r.Keys != nil:
		return domain.Refuse(domain.InvalidRequest, "keys cannot be combined with approval, because they select changes of a preview; "+
			"name previewId instead")
	case r.Approval != nil && r.ValuesGiven:
		return domain.Refuse(domain.InvalidRequest, "values cannot be combined with approval, because they replace texts of a preview; "+
			"name previewId instead")
	case r.Approval != nil && k == AIDataSchema:
		return domain.Refuse(domain.InvalidRequest, "the AI data schema is not written unattended, because a person must review which "+
			"fields an AI leaves out; preview it and apply with previewId")
	}
	if r.Keys != nil && len(*r.Keys) == 0 {
		return domain.Refuse(domain.InvalidRequest, "keys is empty; name at least one key of the preview, or leave keys out to write "+
			"what it proposes")
	}
	return nil
}

// Unattended reports whether the apply proposes and writes in one operation.
func (r ApplyPreview) Unattended() bool { return r.Approval != nil }

// Object is one object that an apply or a revert writes: Previous is the value that the
// preview saw, and Written the value to write. Nil means that the property is absent.
type Object struct {
	// Key names the object in previews, results and reverts, such as Sales|Revenue.
	Key string `json:"key"`
	// Type is the type of the change.
	Type proposal.Type `json:"type"`
	// Table is the object's table.
	Table string `json:"table"`
	// Object names the object in the table; empty for the table itself.
	Object string `json:"object"`
	// ObjectType is the type of the object.
	ObjectType proposal.ObjectType `json:"objectType"`
	// Property is the property that is written.
	Property rewrite.Property `json:"property"`
	// Previous is the value before; null if there was none.
	Previous *string `json:"previous" pii:"text"`
	// Written is the value to write; null removes the property.
	Written *string `json:"written" pii:"text"`
	// Origin is the request that an AI provider answered with the written text; nil if no
	// AI wrote it.
	Origin *proposal.Origin `json:"origin,omitempty"`
}

// Target returns the property of an object that is written.
func (o Object) Target() rewrite.Target {
	return rewrite.Target{Property: o.Property, Table: o.Table, Name: o.Object}
}

// Write is one of the successive writes of an apply or a revert: objects whose types of
// change are written together, as the Type.
type Write struct {
	// Type is the type of all its changes.
	Type proposal.Type `json:"type"`
	// Objects are what the write changes.
	Objects []Object `json:"objects"`
}

// answerable returns the changes that answers to the preview's questions make. Each needs a text.
func (p Preview) answerable() (all []Change) {
	known := lists.SetOf(p.Changes, func(c Change) string { return c.Key })
	for _, n := range p.NeedsYourWords {
		if n.Key != "" && !known[n.Key] {
			known[n.Key] = true
			all = append(all, Change{Key: n.Key, Type: n.Type, Table: n.Table, Object: n.Object, ObjectType: n.ObjectType,
				Property: propertyOf(n.Type), Current: n.Current})
		}
	}
	return all
}

// Select returns the writes that the request asks for of its preview, in the order in
// which they are made. It refuses keys that the preview lacks and texts that cannot be
// written.
func (r ApplyPreview) Select(p Preview) ([]Write, error) {
	answers := p.answerable()
	all := slices.Concat(p.Changes, answers)
	changes := lists.Index(all, func(c Change) string { return c.Key })
	keys, err := r.keys(p, changes)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(r.Values)) {
		c, selected := changes[key], keys[key]
		if err := checkValue(c, selected, key, r.Values[key]); err != nil {
			return nil, err
		}
	}
	for _, c := range answers {
		if _, answered := r.Values[c.Key]; keys[c.Key] && !answered {
			return nil, domain.Refuse(domain.InvalidRequest, "the preview asks a person about %q and proposes no text for it; give the "+
				"answer in values, or leave it out of keys", domain.Excerpt(c.Key)).About("key", domain.Excerpt(c.Key))
		}
	}
	var writes []Write
	for _, t := range p.Kind.Types() {
		w := Write{Type: t}
		for _, c := range all {
			if c.Type != t || !keys[c.Key] {
				continue
			}
			written, origin := c.Proposed, c.Origin
			if own, ok := r.Values[c.Key]; ok {
				written, origin = asWritten(c.Type, own), nil // a person's text
			}
			w.Objects = append(w.Objects, Object{c.Key, c.Type, c.Table, c.Object, c.ObjectType, c.Property, c.Current, &written, origin})
		}
		if len(w.Objects) > 0 {
			writes = append(writes, w)
		}
	}
	return writes, nil
}

// lineBreaks maps the line breaks of a description to the only one that its value has.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// asWritten returns a caller's text as a definition returns it after the write.
func asWritten(t proposal.Type, text string) string {
	if t == proposal.Description {
		return lineBreaks.Replace(text)
	}
	return text
}

// keys returns the keys of the changes to write.
func (r ApplyPreview) keys(p Preview, changes map[string]Change) (map[string]bool, error) {
	keys := map[string]bool{}
	switch {
	case r.Keys != nil:
		for _, key := range *r.Keys {
			if _, known := changes[key]; !known {
				return nil, domain.Refuse(domain.InvalidRequest, "the preview has no change with the key %q; its changes list the keys",
					domain.Excerpt(key)).About("key", domain.Excerpt(key))
			}
			keys[key] = true
		}
	case p.Kind == AIDataSchema:
		if len(p.RecommendedKeys) == 0 {
			return nil, domain.Refuse(domain.InvalidRequest, "the preview recommends none of its changes; name the keys to write")
		}
		for _, key := range p.RecommendedKeys {
			keys[key] = true
		}
	default:
		for _, c := range p.Changes {
			keys[c.Key] = true
		}
	}
	return keys, nil
}

// CheckText returns what is wrong with a person's text for a change of a type; "" if it can be written.
func CheckText(t proposal.Type, text string) string { return rewrite.CheckText(propertyOf(t), text) }

func checkValue(c Change, selected bool, key, text string) error {
	about := func(format string, args ...any) error {
		return domain.Refuse(domain.InvalidRequest, format, args...).About("key", domain.Excerpt(key))
	}
	switch {
	case !selected:
		return about("values has a text for %q, which this apply does not write", domain.Excerpt(key))
	case c.Type == proposal.SummarizeBy || c.Type == proposal.AIDataSchema:
		return about("values has a text for %q, a change of type %s, whose value is the one proposed; leave it out of values, or "+
			"out of keys", domain.Excerpt(key), c.Type)
	}
	if wrong := CheckText(c.Type, text); wrong != "" {
		return about("the text in values for %q cannot be written: %s", domain.Excerpt(key), wrong)
	}
	return nil
}

// NamedPreview is a preview that an apply of the kind names by its id. Text is the id
// as the call gave it.
type NamedPreview struct {
	Text      string
	Kind      Kind
	AccountID string
	ModelID   uuid.UUID
	Now       time.Time
}

// ID returns the id of the preview.
func (n NamedPreview) ID() (uuid.UUID, error) {
	id, ok := domain.ParseID(n.Text)
	if !ok {
		return id, n.none()
	}
	return id, nil
}

func (n NamedPreview) none() error { return NotThePreview(n.Text, "there is none with this id") }

// Check refuses what is not a preview of the account, the model and the kind that
// succeeded and has not expired (docs/specification.md 4.5).
func (n NamedPreview) Check(w Work) error {
	switch {
	case w.Operation.Account != n.AccountID || w.Operation.Type != operation.PreviewOptimization:
		return n.none()
	case *w.Operation.Resource.ItemID != n.ModelID:
		return NotThePreview(n.Text, "it was made for another semantic model")
	case w.Kind != n.Kind:
		return NotThePreview(n.Text, "it previews "+string(w.Kind)+", not "+string(n.Kind))
	case w.Document == "":
		return NotThePreview(n.Text, "it has not succeeded")
	case w.Expired(n.Now):
		return NotThePreview(n.Text, "it is older than 24 hours")
	}
	return nil
}

// NotThePreview returns the refusal of a preview that cannot be applied.
func NotThePreview(id, why string) error {
	return domain.Refuse(domain.InvalidPreview, "preview %s cannot be applied here: %s; make a new preview", domain.Excerpt(id),
		why).About("previewId", domain.Excerpt(id))
}
