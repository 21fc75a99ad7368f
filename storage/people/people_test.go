package people_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"readiness/domain/item"
	"readiness/internal/database"
	"readiness/storage/people"
	"readiness/test/pgtest"
)

var (
	ada       = item.Person{ID: "ada"}
	otherAda  = item.Person{Issuer: "https://login.example.com", ID: "ada"}
	grace     = item.Person{Issuer: "https://login.example.com", ID: "tenant/grace"}
	key       = bytes.Repeat([]byte{1}, people.KeySize)
	otherKey  = bytes.Repeat([]byte{2}, people.KeySize)
	everybody = []item.Person{ada, otherAda, grace}
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, pool *pgxpool.Pool, key []byte) *people.People {
	t.Helper()
	p, err := people.New(pool, key)
	check(t, err)
	return p
}

// claim stores the persons in the account under new ids.
func claim(t *testing.T, p *people.People, account string, who ...item.Person) map[item.Person]item.PersonID {
	t.Helper()
	ids := map[item.Person]item.PersonID{}
	for _, one := range who {
		ids[one] = p.NewID(one)
	}
	claimed, err := p.Claim(t.Context(), account, ids)
	check(t, err)
	return claimed
}

func erase(t *testing.T, pool *pgxpool.Pool, s database.Statement) {
	t.Helper()
	_, err := pool.Exec(t.Context(), s.SQL, s.Args...)
	check(t, err)
}

// Persons are found by name and named by id, in their account only, until they are erased.
func TestPeople(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	p := open(t, pool, key)
	north, south := claim(t, p, "north", everybody...), claim(t, p, "south", ada)
	for who, id := range north {
		if uuid.Validate(string(id)) != nil || id.Former() || id == south[who] {
			t.Errorf("%v has the id %s", who, id)
		}
	}
	if again := claim(t, p, "north", everybody...); !maps.Equal(again, north) {
		t.Errorf("claimed again: %v, want %v", again, north)
	}
	found, err := open(t, pool, key).Find(t.Context(), "north", append(everybody, item.Person{ID: "eve"}))
	if err != nil || !maps.Equal(found, north) {
		t.Errorf("another process finds %v, %v, want %v", found, err, north)
	}
	if found, err := p.Find(t.Context(), "south", everybody); err != nil || !maps.Equal(found, south) {
		t.Errorf("south finds %v, %v, want %v", found, err, south)
	}
	names, err := p.Names(t.Context(), "north", append(slices.Collect(maps.Values(north)), south[ada], "7f")...)
	if want := map[item.PersonID]item.Person{north[ada]: ada, north[otherAda]: otherAda, north[grace]: grace}; err != nil || !maps.Equal(names, want) {
		t.Errorf("names %v, %v, want %v", names, err, want)
	}
	called, err := p.Called(t.Context(), "north", "ada")
	if want := slices.Sorted(slices.Values([]item.PersonID{north[ada], north[otherAda]})); err != nil || !slices.Equal(called, want) {
		t.Errorf("called ada: %v, %v, want %v", called, err, want)
	}
	everywhere := func(who item.Person) (in []string) {
		t.Helper()
		all, err := p.Everywhere(t.Context(), who)
		check(t, err)
		for _, s := range all {
			in = append(in, s.AccountID+" "+s.Person.ID)
		}
		return in
	}
	for who, want := range map[item.Person][]string{
		ada: {"north ada", "south ada"}, otherAda: {"north ada"}, {ID: string(north[grace])}: {"north tenant/grace"},
		{ID: "eve"}: nil, {Issuer: "i", ID: string(north[grace])}: nil,
	} {
		if got := everywhere(who); !slices.Equal(got, want) {
			t.Errorf("%v is in %v, want %v", who, got, want)
		}
	}

	erase(t, pool, p.Erase("north", north[ada]))
	erase(t, pool, p.Erase("north", north[ada]))
	if got, want := everywhere(ada), []string{"south ada"}; !slices.Equal(got, want) {
		t.Errorf("erased from north, ada is in %v, want %v", got, want)
	}
	if who, err := p.Name(t.Context(), "north", north[ada]); err != nil || who != (item.Person{}) {
		t.Errorf("erased, the id stands for %v, %v", who, err)
	}
	if id := claim(t, p, "north", ada)[ada]; id == north[ada] {
		t.Error("declared again, the person has the erased id")
	}
}

// With another key no one is found or named, and Check says so before anyone gets a second id.
func TestOtherKey(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	p, other := open(t, pool, key), open(t, pool, otherKey)
	check(t, other.Check(t.Context())) // of an empty database
	ids := claim(t, p, "north", ada)
	check(t, p.Check(t.Context()))
	if err := other.Check(t.Context()); !errors.Is(err, people.ErrOtherKey) {
		t.Errorf("check: %v", err)
	}
	if found, err := other.Find(t.Context(), "north", []item.Person{ada}); err != nil || len(found) > 0 {
		t.Errorf("found %v, %v", found, err)
	}
	if names, err := other.Names(t.Context(), "north", ids[ada]); !errors.Is(err, people.ErrOtherKey) || names[ids[ada]] != (item.Person{}) {
		t.Errorf("names %v, %v", names, err)
	}
	var listed []people.Stored
	check(t, other.List(t.Context(), "", func(s people.Stored) error { listed = append(listed, s); return nil }))
	if len(listed) != 1 || listed[0].ID != ids[ada] || !errors.Is(listed[0].Unnamed, people.ErrOtherKey) {
		t.Errorf("listed %+v", listed)
	}
	for _, size := range []int{0, people.KeySize - 1, people.KeySize + 1} {
		if _, err := people.New(pool, make([]byte, size)); err == nil {
			t.Errorf("a key of %d bytes is accepted", size)
		}
	}
}

// A row opens only as it is, for its own account and id, and holds no name that can be read.
func TestRowsAreBound(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	p := open(t, pool, key)
	id := claim(t, p, "north", grace)[grace]
	var row, indexes []byte
	check(t, pool.QueryRow(t.Context(), `SELECT key || sealed, blind_index || name_index FROM people`).Scan(&row, &indexes))
	for _, text := range []string{"grace", "tenant", "login.example.com"} {
		if bytes.Contains(append(row, indexes...), []byte(text)) {
			t.Errorf("the row holds %q", text)
		}
	}
	if who, err := p.Open("north", id, row); err != nil || who != grace {
		t.Errorf("the row opens as %v, %v", who, err)
	}
	for i := range row {
		changed := bytes.Clone(row)
		changed[i] ^= 1
		if who, err := p.Open("north", id, changed); !errors.Is(err, people.ErrOtherKey) || who != (item.Person{}) {
			t.Fatalf("with byte %d changed it opens as %v, %v", i, who, err)
		}
	}
	for name, open := range map[string]func() (item.Person, error){
		"of another account": func() (item.Person, error) { return p.Open("south", id, row) },
		"of another id":      func() (item.Person, error) { return p.Open("north", "7f", row) },
		"cut":                func() (item.Person, error) { return p.Open("north", id, row[:40]) },
		"empty":              func() (item.Person, error) { return p.Open("north", id, []byte{}) },
	} {
		if who, err := open(); !errors.Is(err, people.ErrOtherKey) || who != (item.Person{}) {
			t.Errorf("%s it opens as %v, %v", name, who, err)
		}
	}
	shown := func(id item.PersonID, row []byte) string {
		name, err := p.Shown("north", id, row)
		if errors.Is(err, people.ErrOtherKey) {
			name += "cannot be opened"
		}
		return name
	}
	if got := []string{shown(id, row), shown("7f", row), shown(id, nil)}; !cmp.Equal(got, []string{"tenant/grace", "cannot be opened", ""}) {
		t.Errorf("shown %v", got)
	}
}

// Processes that store the same persons at the same time agree on their ids.
func TestClaimAtTheSameTime(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	got := make(chan map[item.Person]item.PersonID)
	for range 8 {
		p := open(t, pool, key)
		go func() {
			ids := map[item.Person]item.PersonID{}
			for _, one := range everybody {
				ids[one] = p.NewID(one)
			}
			claimed, err := p.Claim(t.Context(), "north", ids)
			if err != nil {
				t.Error(err)
			}
			got <- claimed
		}()
	}
	first := <-got
	for range 7 {
		if other := <-got; !maps.Equal(other, first) {
			t.Errorf("%v and %v", first, other)
		}
	}
}
