package clientcmd

import (
	"strings"
	"testing"
)

// If several entries or none have a name, the error lists candidates.
func TestFind(t *testing.T) {
	t.Parallel()
	list := []named{{[16]byte{1}, "Sales"}, {[16]byte{2}, "SALES"}, {[16]byte{3}, "Stock"}, {[16]byte{4}, "Stock"}, {[16]byte{5}, "Sales (old)"}, {[16]byte{6}, "People"}}
	all := func() ([]named, error) { return list, nil }
	for text, want := range map[string]struct {
		id    byte
		error string
	}{
		"Sales": {1, ""}, "SALES": {2, ""}, "people": {6, ""}, "07000000-0000-0000-0000-000000000000": {7, ""},
		"sales": {0, "2 workspaces are called sales; give the id of one:\n  01000000"},
		"Stock": {0, "2 workspaces are called Stock; give the id of one:\n  03000000"},
		"old":   {0, "no workspace is called old; the closest are:\n  05000000-0000-0000-0000-000000000000  Sales (old)"},
		"Stok":  {0, "the closest are:\n  03000000"},
	} {
		id, err := find("workspace", text, all)
		if id[0] != want.id || (err == nil) != (want.error == "") || err != nil && !strings.Contains(err.Error(), want.error) {
			t.Errorf("%s: got %s, error %v", text, id, err)
		}
	}
	if _, err := find("workspace", "x", func() ([]named, error) { return nil, nil }); err == nil || !strings.Contains(err.Error(), "none can be seen") {
		t.Errorf("of an empty list: got %v", err)
	}
}
