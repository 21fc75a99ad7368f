package optimization

import (
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
)

// foldersOf returns the display folders of each table that has any, in the order of the
// definition.
func foldersOf(m *semanticmodel.Model) []TableFolders {
	all := []TableFolders{}
	for _, t := range m.Tables {
		var folders []string
		for _, measure := range t.Measures {
			if f := strings.TrimSpace(measure.DisplayFolder); f != "" && !slices.Contains(folders, f) {
				folders = append(folders, f)
			}
		}
		if folders != nil {
			all = append(all, TableFolders{t.Name, folders})
		}
	}
	return all
}
