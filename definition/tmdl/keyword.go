package tmdl

import "strings"

// keywords are the object types in the spelling Power BI writes, each with the
// ones its objects stand in: "" is the outermost level. Without a list the place
// is not checked.
var keywords = map[string][]string{
	"database":     {""},
	"model":        {"", "database", "translations"},
	"table":        {"", "model"},
	"relationship": {"", "model"},
	"expression":   {"", "model"},
	"function":     {"", "model"},
	"role":         {"", "model"},
	"cultureInfo":  {"", "model"},
	"perspective":  {"", "model"},
	"dataSource":   {"", "model"},
	"queryGroup":   {"", "model"},

	"column":           {"table"},
	"measure":          {"table"},
	"hierarchy":        {"table"},
	"partition":        {"table"},
	"calculationGroup": {"table"},
	"calendar":         {"table"},
	"refreshPolicy":    {"table"},

	"level":                              {"hierarchy"},
	"variation":                          {"column"},
	"alternateOf":                        {"column"},
	"relatedColumnDetails":               {"column"},
	"kpi":                                {"measure"},
	"calculationItem":                    {"calculationGroup"},
	"noSelectionExpression":              {"calculationGroup"},
	"multipleOrEmptySelectionExpression": {"calculationGroup"},
	"calendarColumnGroup":                {"calendar"},
	"dataCoverageDefinition":             {"partition"},
	"tablePermission":                    {"role"},
	"member":                             {"role"},
	"columnPermission":                   {"tablePermission"},
	"perspectiveTable":                   {"perspective"},
	"perspectiveColumn":                  {"perspectiveTable"},
	"perspectiveMeasure":                 {"perspectiveTable"},
	"perspectiveHierarchy":               {"perspectiveTable"},
	"linguisticMetadata":                 {"cultureInfo"},
	"translations":                       {"cultureInfo"},

	"annotation":                  nil,
	"changedProperty":             nil,
	"dataAccessOptions":           nil,
	"defaultDetailRowsDefinition": nil,
	"detailRowsDefinition":        nil,
	"extendedProperty":            nil,
	"formatStringDefinition":      nil,
}

// soleExpressions hold an expression and, as a rule, nothing else. Their
// expression may start at the indentation their properties would have.
var soleExpressions = map[string]bool{
	"defaultDetailRowsDefinition":        true,
	"detailRowsDefinition":               true,
	"extendedProperty":                   true,
	"formatStringDefinition":             true,
	"linguisticMetadata":                 true,
	"multipleOrEmptySelectionExpression": true,
	"noSelectionExpression":              true,
}

// nameless are the types whose objects have no name, or need none.
var nameless = map[string]bool{
	"alternateOf":                        true,
	"calculationGroup":                   true,
	"calendarColumnGroup":                true,
	"changedProperty":                    true,
	"dataAccessOptions":                  true,
	"dataCoverageDefinition":             true,
	"database":                           true,
	"defaultDetailRowsDefinition":        true,
	"detailRowsDefinition":               true,
	"formatStringDefinition":             true,
	"kpi":                                true,
	"linguisticMetadata":                 true,
	"model":                              true,
	"multipleOrEmptySelectionExpression": true,
	"noSelectionExpression":              true,
	"refreshPolicy":                      true,
	"relatedColumnDetails":               true,
	"translations":                       true,
}

// shortWords are the words of a single hump that stand bare or before an `=` as
// properties; the longer ones are recognized by their shape.
var shortWords = map[string]bool{
	"credential": true,
	"expression": true,
	"options":    true,
	"query":      true,
	"source":     true,
}

// byLower finds the canonical spelling of a keyword.
var byLower = func() map[string]string {
	m := map[string]string{"culture": "cultureInfo"}
	for k := range keywords {
		m[strings.ToLower(k)] = k
	}
	return m
}()

// keyword returns the object type that a word names in any case.
func keyword(word string) (string, bool) {
	if _, ok := keywords[word]; ok {
		return word, true
	}
	k, ok := byLower[strings.ToLower(word)]
	return k, ok
}

// isCamel is true for a word of several humps, as properties and objects of a
// version newer than this parser would be named. What stands alone on a line of
// DAX or M is none (`let`, `RETURN`, `VAR`, `_total`).
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

// flags are the properties that are written bare when they are true.
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

// mayRepeat is true for the properties an object holds several of.
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
		"dataType", "isNullable", "isHidden", "isKey", "formatString", "sourceProviderType", "displayFolder", "lineageTag", "sourceLineageTag",
		"dataCategory", "isDefaultLabel", "isAvailableInMdx", "summarizeBy", "isNameInferred", "isDataTypeInferred", "sourceColumn", "sortByColumn",
	},
	"measure":   {"formatString", "isHidden", "displayFolder", "lineageTag", "sourceLineageTag", "dataCategory"},
	"hierarchy": {"isHidden", "displayFolder", "lineageTag", "sourceLineageTag"},
	"partition": {"mode", "queryGroup", "source"},
	"relationship": {
		"isActive", "crossFilteringBehavior", "fromCardinality", "toCardinality", "joinOnDateBehavior", "relyOnReferentialIntegrity", "fromColumn", "toColumn",
	},
	"expression": {"lineageTag", "sourceLineageTag", "queryGroup", "parameterValuesColumn"},
	"model":      {"culture", "collation", "defaultPowerBIDataSourceVersion", "discourageImplicitMeasures", "sourceQueryCulture"},
}
