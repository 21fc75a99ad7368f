package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Names of parts of every schema that are not Go types.
const (
	sealedPart = "sealed"
	formerPart = "formerPerson"
	personPart = "item.PersonID"
)

// schema returns the JSON Schema of a line of an export. The data of an event in each schema version are at #/$defs/TYPE.vVERSION.
func (c *catalogue) schema() ([]byte, error) {
	refers := func(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }
	text := map[string]any{"type": "string"}
	defs := map[string]any{
		sealedPart: map[string]any{
			"title": "A text that is encrypted under the account's key", "type": "object", "required": []string{"$sealed", "key", "c"},
			"additionalProperties": false, "properties": map[string]any{"$sealed": map[string]any{"const": 1}, "key": text, "c": text},
		},
		formerPart: map[string]any{
			"title": "A person, as events named them before there were ids", "type": "object", "properties": map[string]any{"Issuer": text, "ID": text},
		},
	}
	for name, p := range c.parts {
		defs[name] = p.schema(false)
		defs[name+".v1"] = p.schema(true)
	}
	versions, forms := []any{}, []any{}
	for _, e := range c.events {
		for v := 1; v <= e.version; v++ {
			name := fmt.Sprintf("%s.v%d", e.name, v)
			of := part{name: e.name, sense: e.sense, members: e.members}.schema(v < e.version)
			defs[name] = of
			names := append([]string{e.name}, e.formerly...)
			is := map[string]any{"properties": map[string]any{"type": map[string]any{"enum": names}, "schemaVersion": map[string]any{"const": v}}}
			versions = append(versions, is)
			forms = append(forms, map[string]any{"if": is, "then": map[string]any{"properties": map[string]any{"data": refers(name)}}})
		}
	}
	envelope := map[string]any{}
	required := []string{}
	for _, m := range envelopeMembers {
		envelope[m.json] = m.schema
		m.schema["description"] = m.sense
		required = append(required, m.json)
	}
	out, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A line of readinessd events export",
		"description": "An event with its stored data, in every schema version. Written by http/docs/eventpages; docs/events.md says what it means.",
		"type":        "object", "required": required, "additionalProperties": false, "properties": envelope, "anyOf": versions, "allOf": forms, "$defs": defs,
	}, "", " ")
	return append(out, '\n'), err
}

// schema returns the schema of an object or a text; former for the schema version before the current one, which may lack members, have others,
// have other texts sealed, and name persons.
func (p part) schema(former bool) map[string]any {
	out := map[string]any{}
	if p.sense != "" {
		out["description"] = p.sense
	}
	if p.members == nil && (len(p.values) > 0 || p.name == personPart) {
		out["type"] = "string"
		if former && p.name == personPart {
			delete(out, "type")
			out["anyOf"] = []any{map[string]any{"type": "string"}, map[string]any{"$ref": "#/$defs/" + formerPart}}
		}
		return out
	}
	properties, required := map[string]any{}, []string{}
	for _, m := range p.members {
		schema := m.schema
		if former {
			schema = formerly(schema).(map[string]any)
		}
		sealed := map[string]any{"$ref": "#/$defs/" + sealedPart}
		switch {
		case former:
			schema = either(schema, sealed, map[string]any{"type": "null"})
		case m.sealed:
			schema = either(schema, sealed)
		default:
			schema = maps.Clone(schema)
		}
		if m.sense != "" {
			schema["description"] = m.sense
		}
		properties[m.json] = schema
		if !m.optional && !former {
			required = append(required, m.json)
		}
	}
	out["type"], out["properties"] = "object", properties
	if !former {
		out["required"], out["additionalProperties"] = required, false
	}
	return out
}

// formerly returns a schema whose references are those of the former form.
func formerly(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, of := range s {
			if text, ok := of.(string); ok && name == "$ref" {
				out[name] = text + ".v1"
				continue
			}
			out[name] = formerly(of)
		}
		return out
	case []map[string]any:
		out := slices.Clone(s)
		for i := range out {
			out[i] = formerly(out[i]).(map[string]any)
		}
		return out
	default:
		return schema
	}
}
