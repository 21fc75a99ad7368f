// Package crossmodel compares semantic models with each other by their fingerprints: measures with one name and different expressions, tables with one
// name and different descriptions, and models that are nearly identical. The results
// cost no points. The time does not grow with the square of the number of objects.
package crossmodel

import (
	"cmp"
	"slices"
	"strings"

	"readiness/domain/readiness"
)

// The limits. Counts are true whatever the limits.
const (
	// MaxModels is how many models are compared.
	MaxModels = 500
	// MaxListed is how many results of each kind are listed.
	MaxListed = 50
	// MaxNamed is how many texts of a result, and how many models of each, are listed.
	MaxNamed = 10
)

// Result is the result of comparing models. Models are indexes into what was compared.
type Result struct {
	// Compared is the number of compared models, LeftOut that of models above the limit.
	Compared, LeftOut int
	// Measures have one name and different expressions, Tables one name and different
	// descriptions.
	Measures, Tables List[Difference]
	// Groups are nearly identical models.
	Groups List[Group]
}

// List is the beginning of a list with the length of all of it.
type List[T any] struct {
	Count int
	First []T
}

// Difference is a name that has different texts.
type Difference struct {
	// Name is as the first of the models spells it. Key is its hash.
	Name string
	Key  readiness.Hash
	// Models is the number of models with the name.
	Models int
	// Texts are the models with an equal text, the most first.
	Texts List[Variant]
}

// Variant are models that share a text, in their order.
type Variant = List[int]

// Group are nearly identical models, in their order.
type Group struct {
	Models List[int]
	// Share is what each model at least has in common with another one of the group: the
	// number of objects of both, divided by the number of objects of either.
	Share float64
}

// Compare compares the first MaxModels models with each other.
func Compare(models []readiness.Fingerprint) Result {
	compared := models[:min(len(models), MaxModels)]
	return Result{
		Compared: len(compared), LeftOut: len(models) - len(compared),
		Measures: differences(compared, func(f readiness.Fingerprint) []readiness.Mark { return f.Measures }),
		Tables:   differences(compared, func(f readiness.Fingerprint) []readiness.Mark { return f.Tables }),
		Groups:   first(groups(compared), MaxListed),
	}
}

// first returns the beginning of a list.
func first[T any](all []T, n int) List[T] {
	return List[T]{len(all), all[:min(len(all), n)]}
}

// named is a name with the text of the first model that has it.
type named struct {
	name    string
	text    readiness.Hash
	models  int
	differs bool // whether another model has another text
}

func differences(models []readiness.Fingerprint, marks func(readiness.Fingerprint) []readiness.Mark) List[Difference] {
	byKey := map[readiness.Hash]named{}
	for _, m := range models {
		for _, mark := range marks(m) {
			n, known := byKey[mark.Key]
			if !known {
				n.name, n.text = mark.Name, mark.Text
			}
			n.models++
			n.differs = n.differs || mark.Text != n.text
			byKey[mark.Key] = n
		}
	}
	var all []Difference
	for key, n := range byKey {
		if n.differs {
			all = append(all, Difference{Name: n.name, Key: key, Models: n.models})
		}
	}
	slices.SortFunc(all, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(b.Models, a.Models), strings.Compare(a.Name, b.Name), cmp.Compare(a.Key, b.Key))
	})
	list := first(all, MaxListed)
	byText := map[readiness.Hash]map[readiness.Hash][]int{} // of the listed names, the models by text
	for _, d := range list.First {
		byText[d.Key] = map[readiness.Hash][]int{}
	}
	for i, m := range models {
		for _, mark := range marks(m) {
			if texts := byText[mark.Key]; texts != nil {
				texts[mark.Text] = append(texts[mark.Text], i)
			}
		}
	}
	for i := range list.First {
		list.First[i].Texts = variants(byText[list.First[i].Key])
	}
	return list
}

func variants(byText map[readiness.Hash][]int) List[Variant] {
	var all []Variant
	for _, models := range byText {
		all = append(all, first(models, MaxNamed))
	}
	slices.SortFunc(all, func(a, b Variant) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.First[0], b.First[0]))
	})
	return first(all, MaxNamed)
}
