package lists_test

import (
	"slices"
	"strconv"
	"testing"

	"readiness/internal/lists"
)

func TestMap(t *testing.T) {
	if got := lists.Map([]int{3, 1, 2}, strconv.Itoa); !slices.Equal(got, []string{"3", "1", "2"}) {
		t.Error(got)
	}
	if got := lists.Map([]int(nil), strconv.Itoa); got == nil || len(got) > 0 {
		t.Errorf("%#v", got)
	}
}
