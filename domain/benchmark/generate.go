package benchmark

import (
	"readiness/definition/semanticmodel"
	"readiness/domain"
)

// Generate returns queries about the model.
func Generate(m *semanticmodel.Model, views map[string]map[string]int64, most int) ([]Query, error) {
	return nil, domain.Refuse(domain.QuestionsNotGenerated, "no question can be generated")
}

// GeneratedSet is the set of the questions.
func GeneratedSet(m *semanticmodel.Model, queries []Query, texts []string, count int) Set {
	return Set{Questions: []Question{}, Repeats: DefaultRepeats}
}
