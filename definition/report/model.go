package report

import (
	"strings"

	"github.com/google/uuid"

	"readiness/definition/jsonpart"
)

// Model is how a report names its semantic model: by a path, or by a connection to
// the service that has an id, a name, or both.
type Model struct {
	// Path is relative to the report's own folder, with forward slashes.
	Path string
	// ID is uuid.Nil if the connection has none.
	ID uuid.UUID
	// Workspace and Name are display names, "" if the connection has none.
	Workspace, Name string
}

// ReadModel reads definition.pbir. A reference of neither kind is the zero Model.
func ReadModel(pbir []byte) (Model, error) {
	r, err := jsonpart.New("definition.pbir", pbir)
	if err != nil {
		return Model{}, err
	}
	var m Model
	for member := range r.Object() {
		if member != "datasetReference" {
			continue
		}
		for member := range r.Object() {
			switch member {
			case "byPath":
				for member := range r.Object() {
					if member == "path" {
						m.Path, _ = r.Text()
					}
				}
			case "byConnection":
				m.readConnection(r)
			}
		}
	}
	return m, nil
}

func (m *Model) readConnection(r *jsonpart.Reader) {
	var database string
	for member := range r.Object() {
		switch member {
		case "connectionString":
			text, _ := r.Text()
			for key, value := range properties(text) {
				switch strings.ToLower(key) {
				case "semanticmodelid":
					m.ID = id(value)
				case "initial catalog":
					m.Name = value
				case "data source":
					m.Workspace = value[strings.LastIndexByte(value, '/')+1:]
				}
			}
		case "pbiModelDatabaseName":
			// Schema 1.0.0 stores the model's id here.
			database, _ = r.Text()
		}
	}
	if m.ID == uuid.Nil {
		m.ID = id(database)
	}
}

// id parses an id; it returns uuid.Nil for any other text.
func id(text string) uuid.UUID {
	id, err := uuid.Parse(strings.TrimSpace(text))
	if err != nil {
		return uuid.Nil
	}
	return id
}

// properties returns the key=value pairs of a connection string, separated by
// semicolons. A value in single or double quotes may contain semicolons; two quotes
// stand for one.
func properties(text string) map[string]string {
	all := map[string]string{}
	for text != "" {
		key, rest, ok := strings.Cut(text, "=")
		if !ok {
			break
		}
		key = strings.TrimSpace(strings.TrimLeft(key, "; \t"))
		rest = strings.TrimLeft(rest, " \t")
		var value string
		if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
			value, rest = quoted(rest)
			_, text, _ = strings.Cut(rest, ";")
		} else {
			value, text, _ = strings.Cut(rest, ";")
			value = strings.TrimSpace(value)
		}
		all[key] = value
	}
	return all
}

// quoted splits text, which begins with a quote, after the closing quote.
func quoted(text string) (value, rest string) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		if text[i] == text[0] {
			if i+1 == len(text) || text[i+1] != text[0] {
				return b.String(), text[i+1:]
			}
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), ""
}
