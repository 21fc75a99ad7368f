package pixie

import "readiness/definition/jsonpart"

// The functions in this file remove what the platform's editor writes about a visual
// elsewhere, by the visual's name. Each removes one mention and reports whether
// there was one. A legacy report stores these texts in strings, where only one cut
// at a time keeps all other bytes.

// unnameOnPage removes a mention from the page's visual interactions and its
// automatic layout. It also removes an emptied list of interactions, since the
// editor never writes an empty one.
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

// unnameInBookmark removes a mention from a bookmark's state of the visual and, if
// everywhere is true, from its list of target visuals, which does not name their
// pages. An emptied list is kept, because without it the bookmark would apply to all
// visuals.
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

// unnameInBookmarks removes a mention from a list of bookmarks and groups of them.
func unnameInBookmarks(list *jsonpart.Value, page, name string, everywhere bool) bool {
	for _, b := range items(list) {
		if unnameInBookmark(b, page, name, everywhere) || unnameInBookmarks(at(b, "children"), page, name, everywhere) {
			return true
		}
	}
	return false
}
