package proposal

import "readiness/definition/report"

// MaxReports is how many reports of a model are read for what they show.
const MaxReports = 20

// Caption is what a report calls a field.
type Caption struct {
	report.Caption
	Report string // the report's display name
}

// Captions returns what the report of that name calls fields.
func Captions(name string, r report.Report) []Caption {
	var all []Caption
	for _, c := range r.Captions() {
		all = append(all, Caption{c, name})
	}
	return all
}
