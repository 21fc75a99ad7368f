package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"readiness/commands"
	"readiness/domain/item"
	"readiness/eventstore"
	"readiness/projections"
)

// catalogue is every event, with what the page and the schema say about it.
type catalogue struct {
	source *source
	events []event
	// parts are the types that members have, by name; order is that of their names.
	parts map[string]part
	order []string
}

// event is a type of event.
type event struct {
	formerly            []string
	name, sense, stream string
	version             int
	commands, views     []string
	members             []member
}

// part is a type of a member.
type part struct {
	name, sense string
	members     []member // of an object
	values      []value  // of a text
}

// member is a member of a JSON object.
type member struct {
	json, sense string
	owner       string // the Go type, with its import path, that has it
	kind        string // as the page says it
	part        string // the part that it is, or that its elements are; "" for none
	schema      map[string]any
	optional    bool
	sealed      bool
}

// stream is a type of stream.
type stream struct{ pattern, sense string }

// streams are the names of streams, by their type.
var streams = map[string]stream{
	"account": {"account-ACCOUNT", "the account: its plan, licences and persons"},
	"person":  {"person-ACCOUNT-PERSONID", "a person who was erased from the account"},
	"allowance": {"allowance-ACCOUNT-KIND-PERIOD", "what was spent of an allowance in a PERIOD: a day (2026-11-21, shown as Day), " +
		"a month (2026-11, Month) or `lifetime`"},
	"aiproviders":  {"aiproviders-ACCOUNT", "the AI providers that the account saved"},
	"webhooks":     {"webhooks-ACCOUNT", "the webhooks of an account"},
	"operation":    {"operation-OPERATIONID", "one operation, from its acceptance to its end"},
	"assessment":   {"assessment-ACCOUNT-ITEMID", "the assessments of a semantic model or a data agent"},
	"trackeditem":  {"trackeditem-ACCOUNT-ITEMID", "whether the account tracks the item"},
	"trackeditems": {"trackeditems-ACCOUNT", "how many items the account tracks, and how many have room reserved"},
	"optimization": {"optimization-ACCOUNT-SEMANTICMODELID", "the lock that lets one operation write to a model, and the record of its applies"},
	"pixies":       {"pixies-ACCOUNT-REPORTID", "the Pixies of a report"},
	"pixieviews":   {"pixieviews-ACCOUNT-REPORTID-MONTH", "the page views of a report in a month (2026-11, UTC)"},
	"schedule":     {"schedule-ACCOUNT-SEMANTICMODELID", "the schedule of a model's assessments"},
	"modelnotes":   {"modelnotes-ACCOUNT-SEMANTICMODELID", "who looks after a model, and the notes about it"},
	"questions":    {"questions-ACCOUNT-SEMANTICMODELID", "the saved benchmark questions of a model"},
	"benchmarkrun": {"benchmarkrun-RUNID", "a benchmark run"},
	"abtest":       {"abtest-ABTESTID", "an A/B test"},
	"abfamily":     {"abfamily-ACCOUNT-SEMANTICMODELID", "the comparisons that were completed for a model, in any A/B test"},
}

func catalogueOf(root string) (*catalogue, error) {
	s, err := read(root)
	if err != nil {
		return nil, err
	}
	c := &catalogue{source: s, parts: map[string]part{}}
	for _, t := range commands.Events() {
		of := reflect.TypeOf(t.Example)
		e := event{name: t.Example.EventType(), stream: t.Stream, version: t.SchemaVersion, sense: s.sense(of), commands: s.commands(key(of)),
			views: viewsOf(t), formerly: t.Formerly}
		if e.members, err = c.membersOf(of); err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		c.events = append(c.events, e)
	}
	c.order = slices.Sorted(maps.Keys(c.parts))
	return c, nil
}

// sense returns the comment of a type without its name.
func (s *source) sense(t reflect.Type) string { return shown(t, t.Name(), s.doc[key(t)]) }

// member returns the sense of a member: its own comment, or else what a comment on another member or on the type says of it, or else the
// sense that its name has everywhere.
func (s *source) member(t reflect.Type, name string) string {
	if doc := s.doc[key(t)+"."+name]; doc != "" {
		return shown(t, name, doc)
	}
	says := regexp.MustCompile(`(?:^|[.;,] |\band )` + name + `(?: and \w+|, \w+)?,? ` +
		`(?:is|are|says?|covers?|counts?|addresses|bounds?|the|those|their|has|have|sets|restores|what|whether|how|its)\b`)
	for f := range t.Fields() {
		if doc := s.doc[key(t)+"."+f.Name]; says.MatchString(doc) {
			return shown(t, "", doc)
		}
	}
	var about []string
	for sentence := range strings.SplitSeq(s.doc[key(t)], ". ") {
		if says.MatchString(sentence) && name != t.Name() {
			about = append(about, strings.TrimSuffix(sentence, ".")+".")
		}
	}
	if len(about) > 0 {
		return shown(t, "", strings.Join(about, " "))
	}
	return common[name]
}

// shown returns a comment without the name that it begins with, and with the JSON names of members.
func shown(t reflect.Type, begins, doc string) string {
	if rest, ok := strings.CutPrefix(doc, begins+" "); ok && begins != "" && !strings.HasPrefix(rest, "and ") {
		for _, verb := range []string{"is ", "are "} {
			rest = strings.TrimPrefix(rest, verb)
		}
		doc = strings.ToUpper(rest[:1]) + rest[1:]
	}
	if t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" && f.Name != begins && len(f.Name) > 1 {
				doc = regexp.MustCompile(`([a-z,;.] |^)`+f.Name+`\b([^'.A-Z])`).ReplaceAllString(doc, "${1}`"+name+"`${2}")
			}
		}
	}
	return regexp.MustCompile(`\bnil\b`).ReplaceAllString(doc, "absent")
}

func key(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

// viewsOf returns the views that read an event, except those that read every event.
func viewsOf(t eventstore.Type) (names []string) {
	for _, v := range projections.All() {
		for _, e := range v.Of {
			if e.EventType() == t.Example.EventType() {
				names = append(names, v.Name)
			}
		}
	}
	return names
}

// membersOf returns the members of a struct's JSON form.
func (c *catalogue) membersOf(t reflect.Type) (all []member, err error) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case name == "" && f.Anonymous:
			inner, err := c.membersOf(f.Type)
			if err != nil {
				return nil, err
			}
			all = append(all, inner...)
			continue
		case name == "":
			name = f.Name
		}
		_, sealed := f.Tag.Lookup("pii")
		m := member{json: name, owner: key(t), sense: c.source.member(t, f.Name), optional: strings.Contains(options, "omit"), sealed: sealed}
		if m.schema, m.kind, m.part, err = c.form(f.Type); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if nilable := f.Type.Kind() == reflect.Pointer || f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Map; nilable && !m.optional {
			m.kind += " or null"
			m.schema = either(m.schema, map[string]any{"type": "null"})
		}
		all = append(all, m)
	}
	return all, nil
}

func either(schemas ...map[string]any) map[string]any { return map[string]any{"anyOf": schemas} }

// known are the forms of types that write their JSON form themselves.
var known = map[string]struct{ format, kind string }{
	"github.com/google/uuid.UUID": {"uuid", "UUID"},
	"time.Time":                   {"date-time", "time"},
}

// form returns the schema of a type, what the page calls it, and the part that it is or that its elements are.
func (c *catalogue) form(t reflect.Type) (schema map[string]any, kind, of string, err error) {
	if k, ok := known[key(t)]; ok {
		return map[string]any{"type": "string", "format": k.format}, k.kind, "", nil
	}
	own := t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
	switch {
	case t.Kind() == reflect.Pointer:
		return c.form(t.Elem())
	case own && t.Kind() != reflect.Float64:
		return nil, "", "", fmt.Errorf("the generator does not know the JSON form of %v", t)
	}
	switch t.Kind() {
	case reflect.Struct:
		name, err := c.add(t)
		return map[string]any{"$ref": "#/$defs/" + name}, name, name, err
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string", "contentEncoding": "base64"}, "bytes in base 64", "", nil
		}
		schema, kind, of, err := c.form(t.Elem())
		return map[string]any{"type": "array", "items": schema}, "list of " + kind, of, err
	case reflect.Map:
		schema, kind, of, err := c.form(t.Elem())
		if t.Elem().Kind() == reflect.Pointer {
			schema, kind = either(schema, map[string]any{"type": "null"}), kind+" or null"
		}
		_, from, _, _ := c.form(t.Key())
		return map[string]any{"type": "object", "additionalProperties": schema}, "object of " + kind + " by " + from, of, err
	case reflect.String:
		if t.PkgPath() == "" {
			return map[string]any{"type": "string"}, "text", "", nil
		}
		if t == reflect.TypeFor[item.PersonID]() || len(c.source.values[key(t)]) > 0 {
			name, err := c.add(t)
			return map[string]any{"$ref": "#/$defs/" + name}, name, name, err
		}
		return map[string]any{"type": "string"}, "text", "", nil
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, "boolean", "", nil
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}, "integer", "", nil
	case reflect.Float64:
		return map[string]any{"type": "number"}, "number", "", nil
	default:
		return nil, "", "", fmt.Errorf("the generator does not know the JSON form of %v", t)
	}
}

// add adds a type to the parts, and returns its name there: that of its package and its own.
func (c *catalogue) add(t reflect.Type) (string, error) {
	name := t.String()
	if _, ok := c.parts[name]; ok {
		return name, nil
	}
	p := part{name: name, sense: c.source.sense(t), values: c.source.values[key(t)]}
	c.parts[name] = p // a type may have members of itself
	if t.Kind() != reflect.Struct {
		return name, nil
	}
	var err error
	p.members, err = c.membersOf(t)
	c.parts[name] = p
	return name, err
}
