package semanticmodel

import (
	"readiness/definition/jsonpart"
)

// parseLinguistic reads the linguistic schema of a culture into c. content is LSDL
// JSON, sometimes megabytes on one line. A schema that is not JSON (older models use
// XML) or does not parse is an error, and what it holds is unknown. To the engine it is
// opaque text, so it never makes a model unreadable. An entity without a binding
// belongs to no object and is left out, as are members of an entity that are of another
// kind.
func parseLinguistic(name string, content []byte, c *Culture) error {
	r, err := objectPart(name, content)
	if err != nil {
		return err
	}
	for member := range r.Object() {
		switch member {
		case "CustomInstructions":
			if text, ok := r.Text(); ok {
				c.CustomInstructions = &text
			}
		case "Relationships":
			for range r.Object() {
				state := ""
				r.Lenient(func() {
					for member := range r.Object() {
						if member == "State" {
							state, _ = r.Text()
						}
					}
				})
				if state == "Deleted" {
					continue
				}
				if c.Relationships++; state != "Generated" { // those the platform makes again by itself
					c.Phrasings++
				}
			}
		case "Entities":
			for range r.Object() {
				r.Lenient(func() {
					if e := readEntity(r); e.Table != "" {
						c.Entities = append(c.Entities, e)
					}
				})
			}
		}
	}
	return r.Err()
}

func readEntity(r *jsonpart.Reader) LinguisticEntity {
	var e LinguisticEntity
	for member := range r.Object() {
		switch member {
		case "Definition":
			for member := range r.Object() {
				if member == "Binding" {
					readBinding(r, &e)
				}
			}
		case "Visibility":
			for member := range r.Object() {
				switch member {
				case "Value":
					e.Visibility, _ = r.Text()
				case "State":
					e.VisibilityState, _ = r.Text()
				}
			}
		case "Terms":
			for range r.Array() {
				e.Terms = append(e.Terms, readTerms(r)...)
			}
		}
	}
	return e
}

func readBinding(r *jsonpart.Reader, e *LinguisticEntity) {
	for member := range r.Object() {
		switch member {
		case "ConceptualEntity":
			e.Table, _ = r.Text()
		case "ConceptualProperty":
			e.Property, _ = r.Text()
		case "Hierarchy", "HierarchyLevel":
			e.OfHierarchy = e.OfHierarchy || r.Kind() != 'n'
		}
	}
}

// readTerms reads an element of Terms: an object with one term by its text, or only
// the text.
func readTerms(r *jsonpart.Reader) []Term {
	if r.Kind() == '"' {
		text, _ := r.Text()
		return []Term{{Text: text}}
	}
	var terms []Term
	for text := range r.Object() {
		t := Term{Text: text}
		for member := range r.Object() {
			if member == "State" {
				t.State, _ = r.Text()
			}
		}
		terms = append(terms, t)
	}
	return terms
}
