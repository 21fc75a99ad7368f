package files

import (
	"context"

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
	for _, o := range x.Objects() {
		v.Rows = append(v.Rows, mcp.NewView(o.Type, o.Table, o.Name, o.Description, o.Terms))
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
