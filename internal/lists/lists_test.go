package lists_test

import (
	"fmt"
	"maps"
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

func TestWhereAndCount(t *testing.T) {
	odd := func(n int) bool { return n%2 == 1 }
	if got := lists.Where([]int{3, 1, 2}, odd); !slices.Equal(got, []int{3, 1}) {
		t.Error(got)
	}
	if got := lists.Where([]int{2}, odd); got != nil {
		t.Errorf("%#v", got)
	}
	if got := lists.Count([]int{3, 1, 2}, odd); got != 2 {
		t.Error(got)
	}
}

func TestCompare(t *testing.T) {
	var got []string
	lists.Compare([]string{"a", "b", "c"}, []string{"a", "x", "c", "d"}, func(v string, inA, inB bool) {
		got = append(got, fmt.Sprint(v, inA, inB))
	})
	if want := []string{"atrue true", "btrue false", "xfalse true", "ctrue true", "dfalse true"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

func TestSetAndIndex(t *testing.T) {
	if got := lists.Set([]int{3, 1, 3}); !maps.Equal(got, map[int]bool{1: true, 3: true}) {
		t.Error(got)
	}
	if got := lists.SetOf([]int{3, 1}, strconv.Itoa); !maps.Equal(got, map[string]bool{"1": true, "3": true}) {
		t.Error(got)
	}
	if got := lists.Index([]string{"ab", "c", "de"}, func(s string) int { return len(s) }); !maps.Equal(got, map[int]string{1: "c", 2: "de"}) {
		t.Error(got)
	}
}
