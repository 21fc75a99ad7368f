package offline_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/offline"
)

func TestFind(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"a/Sales.SemanticModel/definition/model.tmdl":         "model Model\n",
		"a/Sales.SemanticModel/definition/tables/T.tmdl":      "table T\n",
		"a/Sales.Report/definition.pbir":                      `{"datasetReference":{"byPath":{"path":"../Sales.SemanticModel"}}}`,
		"a/Sales.pbip":                                        "\ufeff" + `{"artifacts":[{"report":{"path":"Sales.Report"}}]}`,
		"a/Live.Report/definition.pbir":                       `{"datasetReference":{"byConnection":{"connectionString":"semanticmodelid=3d3f8a41-6c56-4c52-9c63-9d5a3c1d8f10"}}}`,
		"a/Live.pbip":                                         `{"artifacts":[{"report":{"path":"Live.Report"}}]}`,
		"a/broken.pbip":                                       `{`,
		"b/deep/er/Old.Dataset/model.bim":                     "{}",
		"b/Helper.DataAgent/Files/Config/data_agent.json":     "{}",
		"b/.git/Hidden.SemanticModel/definition/model.tmdl":   "model Model\n",
		"b/Named.SemanticModel/.platform":                     `{"metadata":{"displayName":"The Name"}}`,
		"b/Named.SemanticModel/In.SemanticModel/model.bim":    "{}",
		"empty/readme.md":                                     "",
		"c d/Spaced Model.SemanticModel/definition/m.tmdl":    "model Model\n",
		"a.SemanticModelish/x/definition/model.tmdl":          "model Model\n",
		"links/target/Linked.SemanticModel/definition/m.tmdl": "model Model\n",
	})
	if err := os.Symlink(filepath.Join(root, "links", "target"), filepath.Join(root, "a", "link")); err != nil {
		t.Fatal(err)
	}
	all := []string{
		"a.SemanticModelish/x/definition", "a/Sales.SemanticModel", "b/Helper.DataAgent", "b/Named.SemanticModel", "b/deep/er/Old.Dataset", "c d/Spaced Model.SemanticModel", "links/target/Linked.SemanticModel",
	}
	for name, tt := range map[string]struct {
		paths, want []string
		err         string
	}{
		"a tree":                     {[]string{"."}, all, ""},
		"the same twice":             {[]string{".", "a", "a/Sales.SemanticModel"}, all, ""},
		"a model":                    {[]string{"a/Sales.SemanticModel"}, []string{"a/Sales.SemanticModel"}, ""},
		"a model with a slash":       {[]string{"a/Sales.SemanticModel/"}, []string{"a/Sales.SemanticModel"}, ""},
		"files of a model":           {[]string{"a/Sales.SemanticModel/definition/tables/T.tmdl", "a/Sales.SemanticModel/definition/model.tmdl"}, []string{"a/Sales.SemanticModel"}, ""},
		"a folder in a model":        {[]string{"a/Sales.SemanticModel/definition"}, []string{"a/Sales.SemanticModel"}, ""},
		"several, in order":          {[]string{"b", "a"}, []string{"a/Sales.SemanticModel", "b/Helper.DataAgent", "b/Named.SemanticModel", "b/deep/er/Old.Dataset"}, ""},
		"a project":                  {[]string{"a/Sales.pbip"}, []string{"a/Sales.SemanticModel"}, ""},
		"a project of the service's": {[]string{"a/Live.pbip"}, nil, "uses a semantic model of the service"},
		"no project":                 {[]string{"a/broken.pbip"}, nil, "it is not a project file"},
		"a report":                   {[]string{"a/Sales.Report/definition.pbir"}, nil, "it is a report; name the semantic model"},
		"another file":               {[]string{"empty/readme.md"}, nil, "it does not belong to a semantic model"},
		"nothing in it":              {[]string{"empty"}, nil, "it contains no semantic model"},
		"not there":                  {[]string{"nowhere"}, nil, "nowhere: it does not exist"},
		"nothing in one of two":      {[]string{"empty", "a"}, []string{"a/Sales.SemanticModel"}, ""},
		"nothing in both":            {[]string{"empty", "c d/Spaced Model.SemanticModel/../../empty"}, nil, "empty: it contains no semantic model"},
		"one of two not there":       {[]string{"a", "nowhere"}, nil, "nowhere: it does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var paths []string
			for _, p := range tt.paths {
				paths = append(paths, root+"/"+p)
			}
			items, _, err := offline.Find(t.Context(), root, paths)
			if (tt.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("got error %v, want %q", err, tt.err)
			}
			var got []string
			for _, i := range items {
				got = append(got, i.Shown)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	_, warnings, err := offline.Find(t.Context(), root, []string{root + "/a", root + "/empty"})
	if err != nil || len(warnings) != 1 || warnings[0].File != root+"/empty" || !strings.HasPrefix(warnings[0].Message, "it contains no semantic model") {
		t.Errorf("got %v and %v, want one warning about the folder without a model", warnings, err)
	}
	named := find(t, root, root+"/b/Named.SemanticModel")
	if named[0].Name != "The Name" {
		t.Errorf("got the name %q", named[0].Name)
	}
	outside := find(t, root+"/b", root+"/a")
	if outside[0].Shown != "../a/Sales.SemanticModel" || offline.Inside(outside) == nil || offline.Inside(find(t, root, root)) != nil {
		t.Errorf("got %s, want a path that shows it is outside the root", outside[0].Shown)
	}
	if !slices.IsSortedFunc(find(t, root, root), func(a, b offline.Item) int { return strings.Compare(a.Shown, b.Shown) }) {
		t.Error("items are not in order")
	}
}
