package fabrictest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"readiness/definition"
	"readiness/domain/item"
)

// Layout is how the emulated service rewrites what it was given. The zero value changes what recorded traffic shows:
// model.tmdl ends in an empty line, and definition.pbism and definition.pbir are laid out again.
type Layout struct {
	// Exact turns every rewriting off.
	Exact bool
	// DropCopilot leaves out the parts below Copilot/.
	DropCopilot bool
	// CRLF ends the lines of TMDL and Markdown with CR LF.
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

func (l Layout) part(p definition.Part) []byte {
	switch {
	case p.Path == "definition/model.tmdl":
		return l.lines(append(bytes.TrimRight(p.Data, "\r\n"), "\n\n"...))
	case strings.HasSuffix(p.Path, ".tmdl"):
		return l.lines(p.Data)
	case strings.HasSuffix(p.Path, ".md"):
		if l.TrimMarkdown {
			return l.lines(bytes.TrimRight(p.Data, " \t\r\n"))
		}
		return l.lines(p.Data)
	case p.Path == "definition.pbism", p.Path == "definition.pbir":
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

// json lays JSON out again; text that is not JSON stays.
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
		return text
	}
	return b.Bytes()
}
