package tmdl

import "strings"

// objectType describes the objects of a type.
type objectType struct {
	keyword string // in the spelling of Power BI
	// in lists the types whose objects may contain it, "" being the outermost level.
	// If empty, the place is not checked.
	in []string
	// nameless objects have no name, or an optional one.
	nameless bool
	// sole objects contain an expression and usually nothing else. The expression
	// may start at the indentation that their properties would have.
	sole bool
}

// keywords are the known object types by keyword, as Power BI writes it and in lower
// case, and by the older "culture".
var keywords = byKeyword([]objectType{
	{keyword: "database", in: []string{""}, nameless: true},
	{keyword: "model", in: []string{"", "database", "translations"}, nameless: true},
	{keyword: "table", in: []string{"", "model"}},
	{keyword: "relationship", in: []string{"", "model"}},
	{keyword: "expression", in: []string{"", "model"}},
	{keyword: "function", in: []string{"", "model"}},
	{keyword: "role", in: []string{"", "model"}},
	{keyword: "cultureInfo", in: []string{"", "model"}},
	{keyword: "perspective", in: []string{"", "model"}},
	{keyword: "dataSource", in: []string{"", "model"}},
	{keyword: "queryGroup", in: []string{"", "model"}},

	{keyword: "column", in: []string{"table"}},
	{keyword: "measure", in: []string{"table"}},
	{keyword: "hierarchy", in: []string{"table"}},
	{keyword: "partition", in: []string{"table"}},
	{keyword: "calculationGroup", in: []string{"table"}, nameless: true},
	{keyword: "calendar", in: []string{"table"}},
	{keyword: "refreshPolicy", in: []string{"table"}, nameless: true},

	{keyword: "level", in: []string{"hierarchy"}},
	{keyword: "variation", in: []string{"column"}},
	{keyword: "alternateOf", in: []string{"column"}, nameless: true},
	{keyword: "relatedColumnDetails", in: []string{"column"}, nameless: true},
	{keyword: "kpi", in: []string{"measure"}, nameless: true},
	{keyword: "calculationItem", in: []string{"calculationGroup"}},
	{keyword: "noSelectionExpression", in: []string{"calculationGroup"}, nameless: true, sole: true},
	{keyword: "multipleOrEmptySelectionExpression", in: []string{"calculationGroup"}, nameless: true, sole: true},
	{keyword: "calendarColumnGroup", in: []string{"calendar"}, nameless: true},
	{keyword: "dataCoverageDefinition", in: []string{"partition"}, nameless: true},
	{keyword: "tablePermission", in: []string{"role"}},
	{keyword: "member", in: []string{"role"}},
	{keyword: "columnPermission", in: []string{"tablePermission"}},
	{keyword: "perspectiveTable", in: []string{"perspective"}},
	{keyword: "perspectiveColumn", in: []string{"perspectiveTable"}},
	{keyword: "perspectiveMeasure", in: []string{"perspectiveTable"}},
	{keyword: "perspectiveHierarchy", in: []string{"perspectiveTable"}},
	{keyword: "linguisticMetadata", in: []string{"cultureInfo"}, nameless: true, sole: true},
	{keyword: "translations", in: []string{"cultureInfo"}, nameless: true},

	{keyword: "annotation"},
	{keyword: "changedProperty", nameless: true},
	{keyword: "dataAccessOptions", nameless: true},
	{keyword: "defaultDetailRowsDefinition", nameless: true, sole: true},
	{keyword: "detailRowsDefinition", nameless: true, sole: true},
	{keyword: "extendedProperty", sole: true},
	{keyword: "formatStringDefinition", nameless: true, sole: true},
})

func byKeyword(types []objectType) map[string]*objectType {
	m := make(map[string]*objectType, 2*len(types)+1)
	for i := range types {
		t := &types[i]
		m[t.keyword], m[strings.ToLower(t.keyword)] = t, t
	}
	m["culture"] = m["cultureInfo"]
	return m
}

// shortWords are the one-hump words that appear bare or before an `=` as properties.
// Longer ones are recognized by their form.
var shortWords = map[string]bool{
	"credential": true,
	"expression": true,
	"options":    true,
	"query":      true,
	"source":     true,
}

// keyword returns the object type that a word names, ignoring letter case.
func keyword(word string) (*objectType, bool) {
	if t, ok := keywords[word]; ok {
		return t, true
	}
	t, ok := keywords[strings.ToLower(word)]
	return t, ok
}

// IsKeyword reports whether the word names a known type of objects, ignoring letter case.
func IsKeyword(word string) bool {
	_, ok := keyword(word)
	return ok
}

// isCamel reports whether a word has several humps, as properties and objects of a
// later version would. Words alone on a line of DAX or M do not (`let`, `RETURN`,
// `VAR`, `_total`).
func isCamel(word string) bool {
	if word == "" || word[0] < 'a' || word[0] > 'z' {
		return false
	}
	humps := false
	for i := range len(word) {
		humps = humps || word[i] >= 'A' && word[i] <= 'Z'
		if word[i] == '_' {
			return false
		}
	}
	return humps
}

// flags are the properties that are written bare if they are true.
var flags = map[string]bool{
	"discourageCompositeModels":   true,
	"discourageImplicitMeasures":  true,
	"discourageReportMeasures":    true,
	"excludeFromAutomaticRefresh": true,
	"excludeFromModelRefresh":     true,
	"fastCombine":                 true,
	"forceUniqueNames":            true,
	"includeAll":                  true,
	"isActive":                    true,
	"isAvailableInMdx":            true,
	"isDataTypeInferred":          true,
	"isDefault":                   true,
	"isDefaultImage":              true,
	"isDefaultLabel":              true,
	"isHidden":                    true,
	"isKey":                       true,
	"isNameInferred":              true,
	"isNullable":                  true,
	"isPrivate":                   true,
	"isUnique":                    true,
	"keepUniqueRows":              true,
	"legacyRedirects":             true,
	"relyOnReferentialIntegrity":  true,
	"returnErrorValuesAsNull":     true,
	"showAsVariationsOnly":        true,
	"systemManaged":               true,
}

// mayRepeat reports whether an object may have the property several times.
func mayRepeat(object, property string) bool {
	switch strings.ToLower(property) {
	case "associatedcolumn", "groupbycolumn":
		return true
	case "column":
		return object == "calendarColumnGroup"
	}
	return false
}

// order is the order in which Power BI writes an object's plain properties.
var order = map[string][]string{
	"table": {"lineageTag", "sourceLineageTag", "isHidden", "showAsVariationsOnly", "isPrivate", "dataCategory"},
	"column": {
		"dataType", "isNullable", "isHidden", "isKey", "formatString", "sourceProviderType", "displayFolder", "lineageTag",
		"sourceLineageTag",
		"dataCategory", "isDefaultLabel", "isAvailableInMdx", "summarizeBy", "isNameInferred", "isDataTypeInferred", "sourceColumn",
		"sortByColumn",
	},
	"measure":   {"formatString", "isHidden", "displayFolder", "lineageTag", "sourceLineageTag", "dataCategory"},
	"hierarchy": {"isHidden", "displayFolder", "lineageTag", "sourceLineageTag"},
	"partition": {"mode", "queryGroup", "source"},
	"relationship": {
		"isActive", "crossFilteringBehavior", "fromCardinality", "toCardinality", "joinOnDateBehavior", "relyOnReferentialIntegrity",
		"fromColumn", "toColumn",
	},
	"expression": {"lineageTag", "sourceLineageTag", "queryGroup", "parameterValuesColumn"},
	"model":      {"culture", "collation", "defaultPowerBIDataSourceVersion", "discourageImplicitMeasures", "sourceQueryCulture"},
}
