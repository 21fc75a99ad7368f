package offline

import (
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/crossmodel"
	"readiness/domain/item"
	"readiness/domain/readiness"
	"readiness/internal/lists"
)

// Across is the result of the checks across the assessed semantic models. They cost no points and
// fail no gate.
type Across struct {
	// Models is how many models were compared; LeftOut counts those above crossmodel.MaxModels.
	Models  int `json:"models"`
	LeftOut int `json:"left_out"`
	// Measures have one name and different expressions, Tables one name and different descriptions.
	Measures Differences `json:"measures"`
	Tables   Differences `json:"tables"`
	// NearIdentical are groups of nearly identical models.
	NearIdentical Groups `json:"near_identical"`
}

// Differences lists the first names that have different texts. Count is the number of all.
type Differences struct {
	Count  int          `json:"count"`
	Listed []Difference `json:"listed"`
}

// Difference is a name that has different texts in the models. Texts is the number of texts.
type Difference struct {
	Name   string    `json:"name"`
	Models int       `json:"models"`
	Texts  int       `json:"texts"`
	Listed []Variant `json:"listed"`
}

// Variant lists the first models that share a text, with the place of the object. Models is the number of all.
type Variant struct {
	Models int          `json:"models"`
	Listed []ModelPlace `json:"listed"`
}

// ModelPlace is a place in a model.
type ModelPlace struct {
	Path string `json:"path"`
	Place
}

// Groups lists the first groups of nearly identical models. Count is the number of all.
type Groups struct {
	Count  int     `json:"count"`
	Listed []Group `json:"listed"`
}

// Group lists the first of nearly identical models by path. Share is what each of them has in common with another one.
type Group struct {
	Models int      `json:"models"`
	Share  float64  `json:"share"`
	Listed []string `json:"listed"`
}

// traced is a semantic model as it is compared with others.
type traced struct {
	path             string
	fingerprint      readiness.Fingerprint
	measures, tables []Place // of the fingerprint's
}

// comparesModels reports whether there are several models to compare.
func comparesModels(items []Item) bool {
	n := lists.Count(items, func(i Item) bool { return i.Type == item.SemanticModel })
	return n > 1
}

// trace returns what is compared of a model.
func trace(i Item, m *semanticmodel.Model, at *places) *traced {
	measures, tables := map[string]semanticmodel.Source{}, map[string]semanticmodel.Source{}
	for _, table := range m.Tables {
		tables[table.Name] = table.Source
		for _, measure := range table.Measures {
			measures[measure.Name] = measure.Source
		}
	}
	f := readiness.FingerprintOf(m)
	placesOf := func(marks []readiness.Mark, sources map[string]semanticmodel.Source) []Place {
		all := make([]Place, len(marks))
		for n := range marks {
			all[n] = at.place(sources[marks[n].Name])
			marks[n].Name = strings.Clone(marks[n].Name) // else it keeps the file's text in memory
		}
		return all
	}
	return &traced{i.Shown, f, placesOf(f.Measures, measures), placesOf(f.Tables, tables)}
}

// placeOf returns the place of the object with the key among the marks.
func (t *traced) placeOf(marks []readiness.Mark, places []Place, key readiness.Hash) ModelPlace {
	for n, m := range marks {
		if m.Key == key {
			return ModelPlace{t.path, places[n]}
		}
	}
	return ModelPlace{Path: t.path}
}

// across compares the models that could be read. It returns nil if there are fewer than two.
func across(notes []note) *Across {
	var models []*traced
	var prints []readiness.Fingerprint
	for _, n := range notes {
		if n.traced != nil {
			models, prints = append(models, n.traced), append(prints, n.traced.fingerprint)
		}
	}
	if len(models) < 2 {
		return nil
	}
	found := crossmodel.Compare(prints)
	a := &Across{Models: found.Compared, LeftOut: found.LeftOut, NearIdentical: Groups{found.Groups.Count, []Group{}}}
	a.Measures = differencesOf(found.Measures, func(model int, key readiness.Hash) ModelPlace {
		return models[model].placeOf(models[model].fingerprint.Measures, models[model].measures, key)
	})
	a.Tables = differencesOf(found.Tables, func(model int, key readiness.Hash) ModelPlace {
		return models[model].placeOf(models[model].fingerprint.Tables, models[model].tables, key)
	})
	for _, g := range found.Groups.First {
		one := Group{Models: g.Models.Count, Share: g.Share}
		for _, model := range g.Models.First {
			one.Listed = append(one.Listed, models[model].path)
		}
		a.NearIdentical.Listed = append(a.NearIdentical.Listed, one)
	}
	return a
}

func differencesOf(found crossmodel.List[crossmodel.Difference], place func(model int, key readiness.Hash) ModelPlace) Differences {
	all := Differences{found.Count, []Difference{}}
	for _, d := range found.First {
		one := Difference{Name: d.Name, Models: d.Models, Texts: d.Texts.Count}
		for _, v := range d.Texts.First {
			variant := Variant{Models: v.Count}
			for _, model := range v.First {
				variant.Listed = append(variant.Listed, place(model, d.Key))
			}
			one.Listed = append(one.Listed, variant)
		}
		all.Listed = append(all.Listed, one)
	}
	return all
}
