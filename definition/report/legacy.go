package report

import (
	"fmt"

	"readiness/definition/jsonpart"
)

// readLegacy reads report.json. Its pages and visuals are objects whose config,
// filters and query are JSON in a string.
func (r *Report) readLegacy(data []byte) error {
	j, err := jsonpart.New("report.json", data)
	if err != nil {
		return err
	}
	var w walk
	for member := range j.Object() {
		switch member {
		case "config":
			r.Measures = measuresInText(j)
		case "filters":
			if _, err := w.inText(j, "the report's filters"); err != nil {
				return err
			}
		case "sections":
			for i := range j.Array() {
				p, err := readSection(j, i)
				if err != nil {
					return err
				}
				r.Pages = append(r.Pages, p)
			}
		}
	}
	r.References, r.Filtered = w.sorted(), w.filtered
	return nil
}

func readSection(j *jsonpart.Reader, i int) (p Page, err error) {
	var w walk
	at := func(part string) string { return fmt.Sprintf("%s of page %d", part, i+1) }
	for member := range j.Object() {
		switch member {
		case "name":
			p.Name, _ = j.Text()
		case "displayName":
			p.DisplayName, _ = j.Text()
		case "filters":
			if _, err = w.inText(j, at("the filters")); err != nil {
				return p, err
			}
		case "config":
			var c config
			if c, err = w.inText(j, at("the config")); err != nil {
				return p, err
			}
			p.Hidden = c.hidden
			if c.kind == 1 {
				p.Type = "Tooltip"
			}
		case "visualContainers":
			for n := range j.Array() {
				v, group, err := readContainer(j, at(fmt.Sprintf("visual %d", n+1)))
				if err != nil {
					return p, err
				}
				if !group {
					p.Visuals = append(p.Visuals, v)
				}
			}
		}
	}
	p.References, p.Filtered = w.sorted(), w.filtered
	return p, nil
}

func readContainer(j *jsonpart.Reader, at string) (v Visual, group bool, err error) {
	var w walk
	for member := range j.Object() {
		switch member {
		case "config":
			var c config
			if c, err = w.inText(j, "the config of "+at); err != nil {
				return v, false, err
			}
			v.Name, v.Type, group = c.name, c.visualType, c.group
		case "filters", "query":
			if _, err = w.inText(j, "the "+member+" of "+at); err != nil {
				return v, false, err
			}
		}
	}
	v.shown(&w)
	return v, group, nil
}

// config is what is read from the config strings of a legacy report.
type config struct {
	name, visualType string
	kind             int
	hidden, group    bool
}

// inText reads the JSON in the string that j reads next.
func (w *walk) inText(j *jsonpart.Reader, what string) (c config, err error) {
	line := j.Line()
	text, ok := j.Text()
	if !ok || text == "" {
		return config{}, nil
	}
	r, err := jsonpart.New("report.json", []byte(text))
	if err != nil {
		return config{}, &jsonpart.Error{File: "report.json", Line: line, Column: 1, Message: what + " hold no JSON: " + err.Error()}
	}
	if r.Kind() != '{' {
		w.value(r)
		return config{}, nil
	}
	for member := range r.Object() {
		switch member {
		case "name":
			c.name, _ = r.Text()
		case "visibility":
			c.hidden = hidden(r)
		case "type":
			c.kind = r.Int()
		case "singleVisual":
			for member := range r.Object() {
				if member == "visualType" {
					c.visualType, _ = r.Text()
				} else {
					w.visual(r, member)
				}
			}
		case "singleVisualGroup":
			c.group = true
		default:
			w.value(r)
		}
	}
	return c, nil
}
