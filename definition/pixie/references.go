package pixie

import "readiness/definition/jsonpart"

// What the platform's editor writes about a visual elsewhere, by the visual's
// name. Each function takes out one mention, and says whether there was one: a
// legacy report keeps these texts in texts, where only one cut at a time leaves
// all other bytes.

// unnameOnPage looks at how visuals of the page act on each other, and at how the
// page was made automatically. The list of interactions goes with its last one:
// the editor writes none that is empty.
func unnameOnPage(page *jsonpart.Value, interactions, name string) bool {
	list := at(page, interactions)
	for _, i := range items(list) {
		if text(at(i, "source")) != name && text(at(i, "target")) != name {
			continue
		}
		if len(list.Items()) == 1 {
			list.Remove()
		} else {
			i.Remove()
		}
		return true
	}
	made := at(page, "autoPageGenerationConfig")
	for _, v := range items(at(made, "visualContainerConfigurations")) {
		if text(at(v, "name")) == name {
			v.Remove()
			return true
		}
	}
	for _, layout := range []string{"related", "combination"} {
		if v := at(made, "layout", layout, "dataTableName"); text(v) == name {
			v.Remove()
			return true
		}
	}
	return false
}

// unnameInBookmark looks at a bookmark's state of the visual and, if everywhere,
// at the list of visuals it is for, which does not say their pages. The list stays
// when it is empty, for without it the bookmark would be for all visuals.
func unnameInBookmark(bookmark *jsonpart.Value, page, name string, everywhere bool) bool {
	if v := at(bookmark, "explorationState", "sections", page, "visualContainers", name); v != nil {
		v.Remove()
		return true
	}
	if !everywhere {
		return false
	}
	for _, v := range items(at(bookmark, "options", "targetVisualNames")) {
		if text(v) == name {
			v.Remove()
			return true
		}
	}
	return false
}

// unnameInBookmarks looks at a list of bookmarks and groups of them.
func unnameInBookmarks(list *jsonpart.Value, page, name string, everywhere bool) bool {
	for _, b := range items(list) {
		if unnameInBookmark(b, page, name, everywhere) || unnameInBookmarks(at(b, "children"), page, name, everywhere) {
			return true
		}
	}
	return false
}
