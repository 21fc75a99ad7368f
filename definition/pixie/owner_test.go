package pixie_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition"
	"readiness/definition/pixie"
)

// globex is a different account from acme.
var globex = pixie.Owner{Mark: pixie.Mark([]byte("key"), "globex")}

// unmarked lists the names that Pixies on the sample's pages had before names
// identified the owner. Reports contain them, so they may never change.
var unmarked = map[string][]string{"one": {"962e147c052ee14b68c3", "eeb5aac2169026471011", "9d126d88ae092ca62b37", "6490d09abcc202e2daa9"}}

func TestNames(t *testing.T) {
	t.Parallel()
	// Reports contain these names, so they may never change.
	want := []string{"d719110254fc4a4f5bf5", "d719110254bfb9f03149", "d719110254aeb532982e", "d7191102549213b8229d"}
	if diff := cmp.Diff(want, pixie.Names(strings.ToUpper(reportID), acme, "one")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for what, others := range map[string][]string{
		"page": pixie.Names(reportID, acme, "two"), "report": pixie.Names("another", acme, "one"), "account": pixie.Names(reportID, globex, "one"),
		"key": pixie.Names(reportID, pixie.Owner{Mark: pixie.Mark([]byte("another"), "acme")}, "one"),
	} {
		for _, name := range others {
			if slices.Contains(want, name) || what != "page" && name[:10] == want[0][:10] {
				t.Errorf("another %s has the same name or mark: %s", what, name)
			}
		}
	}
}

// The owner of a Pixie is identified by its name, else by the id in its address. Put
// and Remove change the account's own Pixies and no other byte.
func TestOwnerOfPixie(t *testing.T) {
	t.Parallel()
	const (
		mine, another, nobodys = "the-id-of-acme-000", "the-id-of-globex-0", "an-id-of-nobody-00"
		page                   = "one"
	)
	names := map[string]string{
		"ours": pixie.Names(reportID, acme, page)[0], "the other's": pixie.Names(reportID, globex, page)[0], "the old": unmarked[page][0], "the last old": unmarked[page][3],
		"some": "0123456789abcdef0123", "the other page's": pixie.Names(reportID, acme, "tip")[0], "no": "",
	}
	d, _, _, _ := put(t, sample(), setup, map[string]string{page: mine, "tip": known["tip"]}, never(t))
	written := part(t, d, visualPath(page, page))
	for _, c := range []struct {
		name, noted, addressed string
		ours                   bool
	}{
		{"ours", mine, mine, true},
		{"ours", "", mine, true},
		{"ours", mine, "", true},
		{"ours", another, another, true}, // a person typed an id of the other account
		{"ours", "", nobodys, true},
		{"ours", "", "", false},

		{"the other's", another, another, false},
		{"the other's", "", another, false},
		{"the other's", another, "", false},
		{"the other's", nobodys, nobodys, false},
		{"the other's", another, mine, false}, // a person typed our id
		{"the other's", mine, another, false},
		{"the other's", "", mine, false},
		{"the other's", mine, mine, true}, // from before the key was changed

		{"the old", mine, mine, true},
		{"the last old", "", mine, true},
		{"the old", another, mine, true},
		{"the old", mine, "", true}, // a person typed another address
		{"the old", mine, another, false},
		{"the old", another, another, false},
		{"the old", "", another, false},
		{"the old", nobodys, nobodys, false},
		{"the old", "", "", false},

		{"some", mine, mine, true}, // a copy
		{"some", another, another, false},
		{"some", nobodys, nobodys, false},
		{"some", another, mine, false},
		{"some", "", mine, false},
		{"some", mine, "", false},
		{"the other page's", mine, mine, true},
		{"the other page's", another, another, false},
		{"the other page's", "", mine, false},
		{"no", mine, mine, true},
	} {
		what := fmt.Sprintf("%s name, annotation %q, address %q", c.name, c.noted, c.addressed)
		visual := strings.ReplaceAll(written, names["ours"], names[c.name])
		visual = strings.Replace(visual, `"value": "`+mine, `"value": "`+c.noted, 1)
		visual = strings.Replace(visual, "/p/"+mine+".gif", "/p/"+c.addressed+".gif", 1)
		const path = "definition/pages/one/visuals/there/visual.json"
		there := with(sample(), path, visual)
		o := owning(acme, mine, known["tip"])

		gone, removed, err := pixie.Remove(there, reportID, o)
		if err != nil || (removed == 1) != c.ours {
			t.Errorf("%s: %d removed, %v", what, removed, err)
		}
		if c.ours {
			same(t, sample(), gone)
		} else {
			same(t, there, gone)
		}
		after, placed, counts, _, err := pixie.Put(there, reportID, o, setup, map[string]string{page: mine, "tip": known["tip"]}, never(t))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{page: mine, "tip": known["tip"]}, pageIDs(placed)); diff != "" {
			t.Errorf("%s: placed (-want +got):\n%s", what, diff)
		}
		left, stays := byPath(after)[path]
		kept := c.name == "ours" || strings.Contains(c.name, "old")
		if stays != (!c.ours || kept) || stays && !c.ours && left != visual {
			t.Errorf("%s: after Put there is %q", what, left)
		}
		if n := 1 + len(added(there, after)); stays && c.ours && n != 2 || !(stays && c.ours) && n != 3 {
			t.Errorf("%s: %d parts were added", what, n-1)
		}
		if want := len([]string{"a", "b"}); counts.Visuals != want && (c.ours || c.noted != "" && c.noted == c.addressed) {
			t.Errorf("%s: %d visuals of the report were counted, want %d", what, counts.Visuals, want)
		}
		// Remove removes what Put made, and leaves foreign visuals.
		gone, _, err = pixie.Remove(after, reportID, o)
		if err != nil {
			t.Fatal(err)
		}
		if c.ours {
			same(t, sample(), gone)
		} else {
			same(t, there, gone)
		}
	}
}

// A Pixie keeps the account's id that it has on its page, even if it is not in
// known. An id of another account is replaced.
func TestPutKeepsOwnIDs(t *testing.T) {
	t.Parallel()
	d, _, _, _ := put(t, sample(), setup, known, never(t))
	for _, c := range []struct {
		ids  []string
		want map[string]string
	}{
		{[]string{known["one"], known["tip"]}, known},
		{[]string{known["tip"]}, map[string]string{"one": "id-0000000000000001", "tip": known["tip"]}},
		{nil, map[string]string{"one": "id-0000000000000001", "tip": "id-0000000000000002"}},
	} {
		_, placed, _, _, err := pixie.Put(d, reportID, owning(acme, c.ids...), setup, nil, ids())
		if diff := cmp.Diff(c.want, pageIDs(placed)); diff != "" || err != nil {
			t.Errorf("owning %v: %v, placed (-want +got):\n%s", c.ids, err, diff)
		}
	}
}

// IDs returns the ids of Pixies of any account, and of nothing that only resembles
// one.
func TestIDs(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]definition.Definition{"PBIR": sample(), "legacy": legacySample(inLF)} {
		d, _, _, _ = put(t, d, setup, known, never(t))
		d, _, _, _, err := pixie.Put(d, reportID, globex, setup, nil, ids())
		if err != nil {
			t.Fatal(err)
		}
		got, err := pixie.IDs(d, strings.ToUpper(reportID))
		if diff := cmp.Diff([]string{"id-0000000000000001", "id-0000000000000002", known["one"], known["tip"]}, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	lookAlike := strings.NewReplacer(pixie.Names(reportID, acme, "one")[0], "theirs", `"readiness.pixie"`, `"another.tool"`)
	d, _, _, _ := put(t, sample(), setup, known, never(t))
	d = with(d, visualPath("one", "one"), lookAlike.Replace(part(t, d, visualPath("one", "one"))))
	if got, err := pixie.IDs(d, reportID); !slices.Equal(got, []string{known["tip"]}) || err != nil {
		t.Errorf("with a look-alike: %v, %v", got, err)
	}
}

// account is an account that may have Pixies in the report, along with others.
type account struct {
	owner pixie.Owner
	setup pixie.Setup
	known map[string]string
	newID func() string
	has   bool
}

// Accounts add, update and remove their Pixies in any order. Each sees only its own
// and leaves the others' byte for byte. When all have removed theirs, the report is
// as it was.
func TestAccountsOnOneReport(t *testing.T) {
	t.Parallel()
	setups := rapid.Custom(func(t *rapid.T) pixie.Setup {
		return pixie.Setup{
			CollectorBaseURL: rapid.SampledFrom([]string{"https://c.example", "http://c.example/x"}).Draw(t, "collector"),
			Size:             rapid.IntRange(0, pixie.MaxSize).Draw(t, "size"),
			Corner:           rapid.SampledFrom([]pixie.Corner{"", pixie.TopRight, pixie.BottomRight}).Draw(t, "corner"),
			ExcludePages:     rapid.SliceOfN(rapid.SampledFrom([]string{"a*", "?", "*c"}), 0, 2).Draw(t, "excluded"),
		}
	})
	for format, draw := range map[string]func(*rapid.T) definition.Definition{"PBIR": drawPBIR, "legacy": drawLegacy} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				before := draw(t)
				d := before
				all := make([]*account, rapid.IntRange(2, 4).Draw(t, "accounts"))
				for i := range all {
					n := 0
					all[i] = &account{
						owner: pixie.Owner{Mark: pixie.Mark([]byte("key"), fmt.Sprint(i)), IDs: map[string]bool{}}, known: map[string]string{},
						newID: func() string { n++; return fmt.Sprintf("id-of-%d-%012d", i, n) },
					}
				}
				own := func(a *account, d definition.Definition) (found []pixie.Placed, visuals int) {
					pages, err := pixie.Read(d, reportID, a.owner)
					if err != nil {
						t.Fatal(err)
					}
					for _, p := range pages {
						found, visuals = append(found, p.Pixies...), visuals+p.Visuals
					}
					return found, visuals
				}
				_, visuals := own(all[0], before)
				step := func(a *account, puts bool) {
					was := d
					var placed []pixie.Placed
					var err error
					if puts {
						d, placed, _, _, err = pixie.Put(d, reportID, a.owner, a.setup, a.known, a.newID)
						a.known = pageIDs(placed)
						for _, p := range placed {
							a.owner.IDs[p.ID] = true
						}
					} else {
						var removed int
						had, _ := own(a, d)
						d, removed, err = pixie.Remove(d, reportID, a.owner)
						if removed != len(had) {
							t.Fatalf("%d removed of %d", removed, len(had))
						}
					}
					if err != nil {
						t.Fatal(err)
					}
					a.has = len(placed) > 0
					found, now := own(a, d)
					if diff := cmp.Diff(placed, found); diff != "" || now != visuals {
						t.Fatalf("%d visuals of %d, Pixies (-placed +found):\n%s", now, visuals, diff)
					}
					for _, b := range all {
						if b == a {
							continue
						}
						theirs, _ := own(b, was)
						still, _ := own(b, d)
						if diff := cmp.Diff(theirs, still); diff != "" {
							t.Fatalf("another account's Pixies changed (-before +after):\n%s", diff)
						}
						for _, p := range still {
							if before, after := written(t, was, p), written(t, d, p); before == "" || before != after {
								t.Fatalf("another account's Pixie was\n%s\nand is\n%s", before, after)
							}
						}
					}
				}
				for range rapid.IntRange(1, 6).Draw(t, "steps") {
					a := rapid.SampledFrom(all).Draw(t, "account")
					a.setup = setups.Draw(t, "setup")
					step(a, rapid.IntRange(0, 2).Draw(t, "removes") > 0)
				}
				for _, a := range rapid.Permutation(all).Draw(t, "order") {
					step(a, false)
				}
				same(t, before, d)
			})
		})
	}
}

// written returns the bytes of a Pixie in the report.
func written(t rapid.TB, d definition.Definition, p pixie.Placed) string {
	t.Helper()
	for _, part := range d.Parts {
		if strings.Contains(part.Path, "/"+p.Visual+"/") {
			return string(part.Data)
		}
		if at := strings.Index(string(part.Data), p.Visual); at >= 0 && part.Path == "report.json" {
			text := string(part.Data[at:])
			return text[:strings.Index(text, "filters")] // which follows the config
		}
	}
	return ""
}
