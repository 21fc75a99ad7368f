package lsp

import (
	"readiness/definition/jsonpart"
	"readiness/definition/tmdl"
)

// bimLists are the members of model.bim that list objects, with the keyword that such an object has in TMDL.
var bimLists = map[string]string{"tables": "table", "columns": "column", "measures": "measure", "hierarchies": "hierarchy", "levels": "level",
	"partitions": "partition", "calculationItems": "calculationItem", "relationships": "relationship", "roles": "role", "cultures": "cultureInfo",
	"perspectives": "perspective", "expressions": "expression", "functions": "function"}

// inBIM returns the outermost objects of a .bim part, with the keywords, names and children that they have in TMDL. An object begins at
// its brace.
func inBIM(part, src string) ([]*tmdl.Object, error) {
	r, err := jsonpart.New(part, []byte(src))
	if err != nil {
		return nil, err
	}
	_, all := bimObject(r)
	return all, r.Err()
}

func bimObject(r *jsonpart.Reader) (name string, children []*tmdl.Object) {
	for member := range r.Object() {
		switch keyword := bimLists[member]; {
		case member == "name":
			name = r.Lines()
		case (member == "model" || member == "calculationGroup") && r.Kind() == '{':
			_, inside := bimObject(r)
			children = append(children, inside...)
		case keyword != "":
			for range r.Array() {
				one := &tmdl.Object{Keyword: keyword, Line: r.Line()}
				if one.Name, one.Children = bimObject(r); keyword == "perspective" {
					one.Children = nil // it names tables and declares none
				}
				children = append(children, one)
			}
		}
	}
	return name, children
}
