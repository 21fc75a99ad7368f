package ignore

import (
	"encoding/json"
	"strings"

	"readiness/definition/semanticmodel"
)

// analyzerAnnotation is the annotation in which Tabular Editor keeps the rules of its Best Practice Analyzer that an object ignores.
const analyzerAnnotation = "BestPracticeAnalyzer_IgnoreRules"

// Counterpart is a rule of the Best Practice Analyzer, as TabularEditor/BestPracticeRules and microsoft/Analysis-Services publish them,
// and the rules here that find the same.
type Counterpart struct {
	ID    string
	Rules []string
	// Fields says that the analyzer judges a table for what the rules here find at its fields.
	Fields bool
}

// Counterparts returns all counterparts.
func Counterparts() []Counterpart {
	return []Counterpart{
		{"ADD_DATA_CATEGORY_FOR_COLUMNS", []string{"TYP-06"}, false},
		{"APPLY_FORMAT_STRING_MEASURES", []string{"MEA-03"}, false},
		{"DATE/CALENDAR_TABLES_SHOULD_BE_MARKED_AS_A_DATE_TABLE", []string{"TIM-02"}, false},
		{"DAX_DIVISION_COLUMNS", []string{"MEA-08"}, false},
		{"ENSURE_TABLES_HAVE_RELATIONSHIPS", []string{"REL-01"}, false},
		{"HIDE_FOREIGN_KEYS", []string{"VIS-02"}, false},
		{"INACTIVE_RELATIONSHIPS_THAT_ARE_NEVER_ACTIVATED", []string{"REL-06"}, false},
		{"LAYOUT_HIDE_FK_COLUMNS", []string{"VIS-02"}, false},
		{"LAYOUT_MEASURES_DF", []string{"MEA-04"}, true},
		{"MANY-TO-MANY_RELATIONSHIPS_SHOULD_BE_SINGLE-DIRECTION", []string{"REL-03"}, false},
		{"MEASURES_SHOULD_NOT_BE_DIRECT_REFERENCES_OF_OTHER_MEASURES", []string{"MEA-05"}, false},
		{"META_SUMMARIZE_NONE", []string{"TYP-02"}, false},
		{"MODEL_SHOULD_HAVE_A_DATE_TABLE", []string{"TIM-01"}, false},
		{"MONTH_(AS_A_STRING)_MUST_BE_SORTED", []string{"TYP-05"}, false},
		{"NO_CAMELCASE_COLUMNS_HIERARCHIES", []string{"NAM-01"}, false},
		{"NO_CAMELCASE_MEASURES_TABLES", []string{"NAM-01"}, false},
		{"NUMERIC_COLUMN_SUMMARIZE_BY", []string{"TYP-02"}, false},
		{"OBJECTS_SHOULD_NOT_START_OR_END_WITH_A_SPACE", []string{"NAM-05"}, false},
		{"OBJECTS_WITH_NO_DESCRIPTION", []string{"DSC-01", "DSC-02", "DSC-03"}, false},
		{"PROVIDE_FORMAT_STRING_FOR_MEASURES", []string{"MEA-03"}, false},
		{"REMOVE_AUTO-DATE_TABLE", []string{"TIM-03"}, false},
		{"SNOWFLAKE_SCHEMA_ARCHITECTURE", []string{"REL-05"}, false},
		{"SPECIAL_CHARS_IN_OBJECT_NAMES", []string{"NAM-05"}, false},
	}
}

// ofAnalyzer returns the entries that an object's annotation of the analyzer makes; that of the model covers everything, as in the
// analyzer. Rules without a counterpart are left to it. warn gets what is wrong, and where.
func ofAnalyzer(values map[string]string, table, object string, src semanticmodel.Source, warn func(semanticmodel.Source, string)) (all []Entry) {
	text, ok := values[analyzerAnnotation]
	if !ok {
		return nil
	}
	var listed struct {
		RuleIDs []string `json:"RuleIDs"`
	}
	if err := json.Unmarshal([]byte(text), &listed); err != nil {
		warn(src, "annotation "+analyzerAnnotation+`: it is not JSON as {"RuleIDs": ["…"]}, so it has no effect`)
		return nil
	}
	for _, id := range listed.RuleIDs {
		for _, c := range Counterparts() {
			if !strings.EqualFold(c.ID, id) {
				continue
			}
			for _, rule := range c.Rules {
				e := Entry{Rule: rule, Table: new(table), Object: new(object),
					Reason: "the annotation " + analyzerAnnotation + " names " + c.ID, Line: src.Line}
				if object == "#" {
					e.Table, e.Object = nil, nil
				} else if c.Fields && object == "" {
					e.Object = nil
				}
				all = append(all, e)
			}
		}
	}
	return all
}
