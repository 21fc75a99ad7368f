package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"readiness/definition"
	"readiness/definition/jsonpart"
	"readiness/definition/report"
	"readiness/definition/spelling"
	"readiness/platform/folder"
)

// inReport returns what is wrong in an open file of a report: that it cannot be read, or that it names fields that the model lacks.
func (r *reading) inReport(at, src string) (all []diagnostic) {
	t := newText(src)
	named, err := report.ReadReferences(filepath.Base(at), []byte(t.src))
	if err != nil {
		f := fault{line: 1, message: err.Error(), now: t}
		if in, ok := errors.AsType[*jsonpart.Error](err); ok {
			f.line, f.message = max(in.Line, 1), in.Message
		}
		return []diagnostic{{Range: f.place(), Severity: 1, Source: source, Message: f.message}}
	}
	own := measuresOf(at)
	for _, one := range named.Fields {
		if _, there := r.index().Field(one.Table, one.Name); there || own[spelling.Field(one.Table, one.Name)] {
			continue
		}
		f := fault{line: t.position(max(0, strings.Index(t.src, `"`+one.Name+`"`))).Line + 1, now: t}
		all = append(all, diagnostic{Range: f.place(), Severity: 2, Source: source,
			Message: fmt.Sprintf("the model has no measure or column '%s'[%s]", one.Table, one.Name)})
	}
	return all
}

// maxExtensions bounds the file of a report's own measures, in bytes.
const maxExtensions = 8 << 20

// measuresOf returns the measures that the report of a file adds to the model, as they are saved.
func measuresOf(at string) map[[2]string]bool {
	all := map[[2]string]bool{}
	for dir := filepath.Dir(at); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, is := folder.TypeOf(filepath.Base(dir)); !is {
			continue
		}
		const extensions = "definition/reportExtensions.json"
		file := filepath.Join(dir, filepath.FromSlash(extensions))
		if info, err := os.Stat(file); err != nil || info.Size() > maxExtensions {
			break
		}
		data, err := os.ReadFile(file) //nolint:gosec // a file of the report that is open
		if err != nil {
			break
		}
		made, err := report.Read(definition.New(definition.Part{Path: "definition.pbir", Data: []byte("{}")},
			definition.Part{Path: "definition/report.json", Data: []byte("{}")}, definition.Part{Path: extensions, Data: data}))
		if err != nil {
			break
		}
		for _, m := range made.Measures {
			all[spelling.Field(m.Table, m.Name)] = true
		}
		break
	}
	return all
}
