package main

import (
	"bytes"
	"fmt"
	"strings"
)

// envelopeMembers are the members of a line around the data, and metadataMembers those of metadata.
var envelopeMembers = []member{
	{json: "v", kind: "integer", schema: map[string]any{"const": 1},
		sense: "The version of the line's form."},
	{json: "position", kind: "integer", schema: map[string]any{"type": "integer", "minimum": 1},
		sense: "The event's place in the log. Positions rise; there may be gaps."},
	{json: "eventId", kind: "UUID", schema: map[string]any{"type": "string", "format": "uuid"},
		sense: "The event's id."},
	{json: "accountId", kind: "text", schema: map[string]any{"type": "string"},
		sense: "The account."},
	{json: "stream", kind: "text", schema: map[string]any{"type": "string"},
		sense: "The name of the stream."},
	{json: "version", kind: "integer", schema: map[string]any{"type": "integer", "minimum": 1},
		sense: "The event's number in its stream: 1, 2, 3, without gaps."},
	{json: "type", kind: "text", schema: map[string]any{"type": "string"},
		sense: "The type, as below."},
	{json: "schemaVersion", kind: "integer", schema: map[string]any{"type": "integer", "minimum": 1},
		sense: "The version of the form of data."},
	{json: "data", kind: "object", schema: map[string]any{"type": "object"},
		sense: "What happened: the members of the type, below."},
	{json: "metadata", kind: "object", schema: map[string]any{"type": "object"},
		sense: "Who caused it: `person`, the id of the person (absent for what the service did by itself), `requestId`, the call, " +
			"`operationId`, the operation whose call or work recorded it, `account`, the account again, `causation`, the event or request that led to it, " +
			"`correlation`, the first cause, and `trace`, a W3C traceparent; each absent where there is none."},
	{json: "recordedAt", kind: "time", schema: map[string]any{"type": "string", "format": "date-time"},
		sense: "When it was recorded, by the service's clock, to the microsecond. Not in order: the order is that of positions."},
	{json: "hash", kind: "text", schema: map[string]any{"type": "string", "pattern": "^[0-9a-f]{64}$"},
		sense: "The SHA-256 of the event and its predecessor, in hexadecimal."},
}

const (
	begins  = "<!-- Written by http/docs/eventpages from commands.Events, the comments of the types, and replay.md; make generate writes it again. -->\n"
	ofLines = "\n## A line\n\n`readinessd events export` and `GET /v1/audit/events` with `Accept: application/x-ndjson` write an event as a line of " +
		"JSON with these members, in this order. [events.schema.json](events.schema.json) is the JSON Schema of a line.\n\n"
	ofEvents = "\nA version below is the highest `schemaVersion`. Views `activity` and `audit` read every event. \"or absent\" means that an empty " +
		"value (0, \"\", false, none) is left out. A member that is \"sealed\" is `{\"$sealed\":1,\"key\":…,\"c\":…}` unless it is empty: it is " +
		"encrypted under the account's key.\n"
)

// page returns the page.
func (c *catalogue) page() []byte {
	var b bytes.Buffer
	b.WriteString(begins)
	b.WriteString(replay)
	b.WriteString(ofLines)
	table(&b, envelopeMembers)
	b.WriteString("\n## Streams\n\n| Stream | Holds |\n|---|---|\n")
	of := ""
	for _, e := range c.events {
		if e.stream != of {
			of = e.stream
			fmt.Fprintf(&b, "| `%s` | %s: [%s](#stream-%s) |\n", streams[of].pattern, streams[of].sense, of, of)
		}
	}
	b.WriteString(ofEvents)
	of = ""
	for _, e := range c.events {
		if e.stream != of {
			of = e.stream
			fmt.Fprintf(&b, "\n## Stream %s\n", of)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", e.name, e.sense)
		facts := []string{fmt.Sprintf("version %d", e.version)}
		if e.version > 1 {
			facts[0] += " ([version 1](#replay) is read too)"
		}
		if len(e.formerly) > 0 {
			facts = append(facts, "formerly `"+strings.Join(e.formerly, "`, `")+"`, under which older events stay stored")
		}
		if len(e.commands) > 0 {
			facts = append(facts, "appended by `"+strings.Join(e.commands, "`, `")+"`")
		}
		if len(e.views) > 0 {
			facts = append(facts, "read by `"+strings.Join(e.views, "`, `")+"`")
		} else {
			facts = append(facts, "read by no view of its own")
		}
		b.WriteString(strings.Join(facts, "; ") + ".\n")
		if len(e.members) > 0 {
			b.WriteString("\n")
			table(&b, e.members)
		}
	}
	b.WriteString("\n## Types\n")
	for _, name := range c.order {
		p := c.parts[name]
		fmt.Fprintf(&b, "\n### %s\n\n", name)
		if p.sense != "" {
			b.WriteString(p.sense + "\n\n")
		}
		if len(p.members) > 0 {
			table(&b, p.members)
			continue
		}
		for _, v := range p.values {
			fmt.Fprintf(&b, "- `%s`", v.text)
			if v.doc != "" {
				b.WriteString(": " + strings.ReplaceAll(v.doc, "|", `\|`))
			}
			b.WriteString("\n")
		}
	}
	return b.Bytes()
}

func table(b *bytes.Buffer, members []member) {
	b.WriteString("| Member | Type | Sense |\n|---|---|---|\n")
	for _, m := range members {
		kind := m.kind
		if m.part != "" {
			kind = strings.Replace(kind, m.part, fmt.Sprintf("[%s](#%s)", m.part, anchor(m.part)), 1)
		}
		if m.sealed {
			kind += ", sealed"
		}
		if m.optional {
			kind += ", or absent"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", m.json, kind, strings.ReplaceAll(m.sense, "|", `\|`))
	}
}

// anchor returns the fragment of a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), ".", "")
}
