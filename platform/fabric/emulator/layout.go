package emulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"readiness/definition"
	"readiness/domain/item"
)

// Layout is how the emulated service rewrites a definition. The zero value makes the changes that recorded traffic shows:
// model.tmdl ends in an empty line, and definition.pbism and definition.pbir are reformatted.
type Layout struct {
	// Exact turns every rewriting off.
	Exact bool
	// DropCopilot leaves out the parts below Copilot/. An update keeps them if it KeepsHidden, and deletes them otherwise.
	DropCopilot, KeepsHidden bool
	// LosesCopilot drops the parts below Copilot/ of a new definition.
	LosesCopilot bool
	// Forgetful discards an update, though it succeeds.
	Forgetful bool
	// CRLF ends all lines with CR LF.
	CRLF bool
	// CompactJSON writes JSON without white space, TrimMarkdown Markdown without white space at its end.
	CompactJSON, TrimMarkdown bool
}

// Apply returns the definition as the service gives it.
func (l Layout) Apply(_ item.Type, d definition.Definition) definition.Definition {
	if l.Exact {
		return d
	}
	laid := definition.Definition{Parts: slices.Clone(d.Parts), Loose: d.Loose}
	if l.DropCopilot {
		laid.Parts = slices.DeleteFunc(laid.Parts, func(p definition.Part) bool { return strings.HasPrefix(p.Path, "Copilot/") })
	}
	for i, p := range laid.Parts {
		laid.Parts[i].Data = l.part(p)
	}
	return laid
}

// Kept returns what an item becomes by an update. The parts that are not shown may stay, and a report stays on its model.
func (l Layout) Kept(now, sent definition.Definition) definition.Definition {
	if l.Forgetful {
		return now
	}
	parts := slices.DeleteFunc(slices.Clone(sent.Parts), func(p definition.Part) bool {
		return l.LosesCopilot && strings.HasPrefix(p.Path, "Copilot/")
	})
	for _, p := range now.Parts {
		at := slices.IndexFunc(parts, func(s definition.Part) bool { return s.Path == p.Path })
		switch {
		case at < 0 && !l.Exact && l.DropCopilot && l.KeepsHidden && strings.HasPrefix(p.Path, "Copilot/"):
			parts = append(parts, p)
		case at >= 0 && !l.Exact && p.Path == reportPart && bytes.Contains(p.Data, []byte("byPath")):
			parts[at] = p
		}
	}
	return definition.New(parts...)
}

// reportPart names the semantic model of a report. In a folder that is by path, and at the platform by connection.
const reportPart = "definition.pbir"

// connected returns the part reportPart of a report on the model.
func (Layout) connected(model uuid.UUID) []byte {
	return fmt.Appendf(nil, `{
  "$schema": "https://developer.microsoft.com/json-schemas/fabric/item/report/definitionProperties/2.0.0/schema.json",
  "version": "4.0",
  "datasetReference": {
    "byConnection": {
      "connectionString": "Data Source=powerbi://api.powerbi.com/v1.0/myorg/w;integrated security=ClaimsToken;semanticmodelid=%s"
    }
  }
}`, model)
}

func (l Layout) part(p definition.Part) []byte {
	switch {
	case p.Path == "definition/model.tmdl":
		return l.lines(slices.Concat(bytes.TrimRight(p.Data, "\r\n"), []byte("\n\n")))
	case strings.HasSuffix(p.Path, ".tmdl"):
		return l.lines(p.Data)
	case strings.HasSuffix(p.Path, ".md"):
		if l.TrimMarkdown {
			return l.lines(bytes.TrimRight(p.Data, " \t\r\n"))
		}
		return l.lines(p.Data)
	case p.Path == "definition.pbism":
		return l.json(bytes.Replace(p.Data, []byte(`"4.0"`), []byte(`"4.2"`), 1), true)
	case p.Path == reportPart:
		return l.json(p.Data, true)
	case strings.HasSuffix(p.Path, ".json"):
		return l.json(p.Data, false)
	}
	return p.Data
}

func (l Layout) lines(text []byte) []byte {
	if !l.CRLF {
		return text
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
}

// json reformats JSON; text that is not JSON stays.
func (l Layout) json(text []byte, always bool) []byte {
	var b bytes.Buffer
	switch {
	case l.CompactJSON:
		if json.Compact(&b, text) != nil {
			return text
		}
	case always:
		if json.Indent(&b, text, "", "  ") != nil {
			return text
		}
	default:
		return l.lines(text)
	}
	return l.lines(b.Bytes())
}
