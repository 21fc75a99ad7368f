package http_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"readiness/domain"
)

// across returns acrossModels of a bulk result.
func (r reply) across() any {
	return r.ok(200).body["acrossModels"]
}

// The result of a bulk run compares those of its models that are stored and that the reader can see. The log contains
// nothing of what is compared.
func TestAcrossModels(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	w.model("Sales", "Actuals", modelA, "/// What was sold, by line of the receipt.\n"+shop())
	w.model("Sales", "Budget", modelB, "/// What is planned, by month.\n"+shop())
	w.model("Sales", "Plain", modelC, "table Plain\n\n\tmeasure revenue = 2\n\n\tcolumn Amount\n\t\tdataType: double\n\t\tsourceColumn: amount\n")
	id, _ := w.done("ada", bulkPath, fmt.Sprintf(`{"semanticModelIds":["%s","%s","%s"]}`, modelA, modelB, modelC))
	result := operationPath(id) + "/result"

	type object = map[string]any
	list := func(value ...any) object {
		return object{"count": float64(len(value)), "value": append([]any{}, value...)}
	}
	ids := func(models ...uuid.UUID) (all []any) {
		for _, m := range models {
			all = append(all, m.String())
		}
		return all
	}
	text := func(models ...uuid.UUID) any {
		return object{"models": float64(len(models)), "semanticModelIds": ids(models...)}
	}
	revenue := func(first string, texts ...any) any {
		models := 0.0
		for _, t := range texts {
			models += t.(object)["models"].(float64)
		}
		return object{"name": first, "models": models, "texts": float64(len(texts)), "value": texts}
	}
	described := object{"name": "Sales", "models": 2.0, "texts": 2.0, "value": []any{text(modelA), text(modelB)}}
	copies := object{"models": 2.0, "share": 1.0, "semanticModelIds": ids(modelA, modelB)}
	all := object{"compared": 3.0, "measures": list(revenue("Revenue", text(modelA, modelB), text(modelC))), "tables": list(described), "nearIdentical": list(copies)}
	read := func(when, person string, want any) {
		t.Helper()
		if diff := cmp.Diff(want, w.reads(person, result).across()); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", when, person, diff)
		}
	}
	read("at first", "ada", all)
	read("at first", "bob", all)
	w.whilePlatformDown(func() {
		read("without the platform", "ada", all)
		read("without the platform", "bob", nil)
	})
	check(t, os.RemoveAll(w.Root+"/Sales/Plain.SemanticModel"))
	read("without a model", "ada", all)
	read("without a model", "bob", object{"compared": 2.0, "measures": list(), "tables": list(described), "nearIdentical": list(copies)})
	w.seenBy("ada")
	read("out of sight", "ada", all)
	read("out of sight", "bob", nil)

	var logged int
	check(t, w.Work.Pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE data::text LIKE '%Revenue%' OR data::text LIKE '%receipt%'`).Scan(&logged))
	if logged > 0 {
		t.Errorf("%d events contain names or texts of a model", logged)
	}
	w.uncounted()
	w.delete(modelPath(modelA)+"/assessments", w.as("ada")).ok(200)
	read("after the deletion of one", "ada", object{"compared": 2.0, "measures": list(revenue("Revenue", text(modelB), text(modelC))), "tables": list(), "nearIdentical": list()})

	single, _ := w.done("ada", bulkPath, fmt.Sprintf(`{"semanticModelIds":["%s"]}`, modelB))
	if got := w.reads("ada", operationPath(single)+"/result").across(); got != nil {
		t.Errorf("one model: got %v", got)
	}
	w.Clock.Advance(7*24*time.Hour + time.Minute)
	w.reads("ada", result).refused(410, domain.OperationExpired)
}

// The document of an assessment has nothing for the comparison in it.
func TestAcrossModelsIsNotInDocuments(t *testing.T) {
	t.Parallel()
	w := newOnDisk(t)
	id, _ := w.done("ada", bulkPath, fmt.Sprintf(`{"semanticModelIds":["%s","%s"]}`, modelA, modelB))
	row := w.reads("ada", operationPath(id)+"/result").ok(200).value()[0]
	got := w.reads("ada", modelPath(modelA)+"/assessments/"+row["assessmentId"].(string)).ok(200)
	members, err := json.Marshal(got.body)
	check(t, err)
	if strings.Contains(strings.ToLower(string(members)), "fingerprint") || strings.Contains(string(members), "acrossModels") {
		t.Errorf("got %s", members)
	}
}
