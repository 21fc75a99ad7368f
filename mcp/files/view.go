package files

import (
	"context"
	"fmt"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/mcp"
)

// View implements mcp.Models: what Copilot sees.
func (f *Files) View(ctx context.Context, model string) (mcp.View, error) {
	m, err := f.read(ctx, model)
	if err != nil {
		return mcp.View{}, err
	}
	x := readiness.Expose(m)
	v := mcp.View{Instructions: x.Instructions}
	for _, t := range x.Tables {
		v.Rows = append(v.Rows, mcp.NewView("table", t.Name, "", t.Description, t.Terms))
		for _, c := range t.Columns {
			v.Rows = append(v.Rows, mcp.NewView("column", t.Name, c.Name, c.Description, c.Terms))
		}
		for _, c := range t.Measures {
			v.Rows = append(v.Rows, mcp.NewView("measure", t.Name, c.Name, c.Description, c.Terms))
		}
	}
	for _, r := range x.Relationships {
		v.Rows = append(v.Rows, mcp.NewView("relationship", r.FromTable,
			fmt.Sprintf("%s[%s] -> %s[%s]", r.FromTable, r.FromColumn, r.ToTable, r.ToColumn), "", nil))
	}
	for _, a := range x.Answers {
		fields := make([]string, len(a.Fields))
		for i, one := range a.Fields {
			fields[i] = one.Table + "[" + one.Name + "]"
		}
		v.Rows = append(v.Rows, mcp.NewView("verified answer", "", fmt.Sprint(fields), "", a.Phrases))
	}
	return v, nil
}

// read reads a model.
func (f *Files) read(ctx context.Context, model string) (*semanticmodel.Model, error) {
	i, err := f.one(ctx, model)
	if err != nil {
		return nil, err
	}
	d, _, err := i.Definition(ctx)
	if err != nil {
		return nil, err
	}
	return semanticmodel.Read(d)
}
