package report

import (
	"readiness/definition"
	"readiness/definition/jsonpart"
)

// Measure is a measure that a report adds to a table of its model.
type Measure struct{ Table, Name, Expression string }

// readMeasures reads reportExtensions.json: entities[].measures[].
func readMeasures(part definition.Part) ([]Measure, error) {
	r, err := jsonpart.New(part.Path, part.Data)
	if err != nil {
		return nil, err
	}
	return readExtension(r), nil
}

// measuresInText reads a legacy report's measures from its config:
// modelExtensions[], each in the form of reportExtensions.json. Nothing else of the
// config is read, so a config that is not JSON has no measures.
func measuresInText(j *jsonpart.Reader) (measures []Measure) {
	text, _ := j.Text()
	r, err := jsonpart.New("report.json", []byte(text))
	if err != nil {
		return nil
	}
	for member := range r.Object() {
		if member == "modelExtensions" {
			for range r.Array() {
				measures = append(measures, readExtension(r)...)
			}
		}
	}
	return measures
}

func readExtension(r *jsonpart.Reader) (measures []Measure) {
	for member := range r.Object() {
		if member != "entities" {
			continue
		}
		for range r.Array() {
			first, table := len(measures), ""
			for member := range r.Object() {
				switch member {
				case "name":
					table, _ = r.Text()
				case "measures":
					for range r.Array() {
						measures = append(measures, readMeasure(r))
					}
				}
			}
			for i := range measures[first:] {
				measures[first+i].Table = table
			}
		}
	}
	return measures
}

func readMeasure(r *jsonpart.Reader) (m Measure) {
	for member := range r.Object() {
		switch member {
		case "name":
			m.Name, _ = r.Text()
		case "expression":
			m.Expression = r.Lines()
		}
	}
	return m
}
