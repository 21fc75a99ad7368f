package wiring_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/commands"
	"readiness/projections"
)

// The picture of streams and views (docs/architecture.md 4) has an arrow from each stream to each view that shows an event of it.
func TestPictureOfViews(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	var drawn, want []string
	for _, m := range regexp.MustCompile(`(?m)^  (\w+) -->\s(v_.*)$`).FindAllStringSubmatch(string(page), -1) {
		for view := range strings.SplitSeq(m[2], " & ") {
			drawn = append(drawn, m[1]+" "+strings.TrimPrefix(view, "v_"))
		}
	}
	streams := map[string]string{} // by the event's name
	for _, typ := range commands.Events() {
		streams[typ.Example.EventType()] = typ.Stream
	}
	for _, view := range projections.All() {
		for _, e := range view.Of {
			want = append(want, streams[e.EventType()]+" "+view.Name)
		}
	}
	slices.Sort(drawn)
	slices.Sort(want)
	if diff := cmp.Diff(slices.Compact(want), drawn); diff != "" {
		t.Errorf("the arrows of the picture (-views +drawn):\n%s", diff)
	}
}
