package semanticmodel

import (
	"fmt"
	"slices"
	"strings"

	"readiness/definition/tmdl"
)

// refusedForms adds notices of objects and properties in a file that Power BI does not read in that form or place. They
// have one reading, so they are kept.
func (r *tmdlReader) refusedForms(doc *tmdl.Document) {
	for _, o := range doc.Objects {
		r.refusedIn(doc.File, o)
	}
}

func (r *tmdlReader) refusedIn(file string, o *tmdl.Object) {
	if o.Description() != "" && undescribed[o.Keyword] {
		r.notice(file, o.Line, o.Column, "in Power BI no %s has a description, so it refuses the /// lines above this one; remove them", o.Keyword)
	}
	if o.HasDefault() && valueless[o.Keyword] {
		r.notice(file, o.Line, o.Column, "a %s has no value in Power BI; remove the \"=\" and what stands behind it in this line", o.Keyword)
	}
	child := firstCollected(o.Children)
	for _, p := range o.Properties {
		switch name := strings.ToLower(p.Name); {
		case name == "description":
			r.notice(file, p.Line, p.Column, "Power BI reads no property %s; write the text in /// lines above the %s", p.Name, o.Keyword)
		case !hasProperty(o.Keyword, name):
			r.notice(file, p.Line, p.Column, "a %s has no property %s in Power BI, only %s; remove it", o.Keyword, p.Name,
				"a "+strings.Join(propertiesOf[name], " or a "))
		case unknownMember(o.Keyword, name):
			r.unknown(file, p.Line, p.Column, o.Keyword, p.Name)
		case blocks[name] && !p.IsExpression():
			r.notice(file, p.Line, p.Column, "%s is no property in Power BI but an object; write it alone on its line, without a value", p.Name)
		case expressions[name] && !p.IsExpression():
			r.notice(file, p.Line, p.Column, "%s is an expression, which Power BI reads behind a \"=\"; write %s = …", p.Name, p.Name)
		case p.IsExpression() && scalars[name]:
			r.notice(file, p.Line, p.Column, "%s is no expression, so Power BI reads it behind a \":\"; write %s: %s", p.Name, p.Name, p.Value())
		}
		if child != nil && p.Line > child.Line {
			r.notice(file, p.Line, p.Column, "Power BI reads no property behind a child object (%s, line %d); move %s up, to the other "+
				"properties of the %s", child.Keyword, child.Line, p.Name, o.Keyword)
		}
	}
	for _, c := range o.Children {
		if !tmdl.IsKeyword(c.Keyword) && unknownMember(o.Keyword, c.Keyword) {
			r.unknown(file, c.Line, c.Column, o.Keyword, c.Keyword)
		}
		if c.Keyword != "translations" { // repeats the tree of the model, with properties of its own
			r.refusedIn(file, c)
		}
	}
}

// firstCollected returns the first child that is one of several of its type; nil if there is none. Objects that are like
// properties do not count.
func firstCollected(children []*tmdl.Object) *tmdl.Object {
	i := slices.IndexFunc(children, func(c *tmdl.Object) bool { return collected[c.Keyword] })
	if i < 0 {
		return nil
	}
	return children[i]
}

// unknown adds a notice of something in an object that Power BI reads in none of its type.
func (r *tmdlReader) unknown(file string, line, column int, keyword, name string) {
	r.notice(file, line, column, "a %s has no %s in Power BI, as far as this program knows, so Power BI refuses the model; correct the "+
		"name, or remove it", keyword, name)
}

// notice adds a notice at a place of a file.
func (r *tmdlReader) notice(file string, line, column int, format string, args ...any) {
	r.notices = append(r.notices, Notice{Source{file, line}, column, fmt.Sprintf(format, args...)})
}

// set returns the words of a text as a set.
func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// The types of objects, and the properties in lower case, that have a form of their own.
var (
	// undescribed objects have no description.
	undescribed = set(`relationship refreshPolicy cultureInfo linguisticMetadata translations annotation extendedProperty changedProperty
		tablePermission columnPermission member perspectiveTable perspectiveColumn perspectiveMeasure perspectiveHierarchy
		formatStringDefinition detailRowsDefinition defaultDetailRowsDefinition alternateOf relatedColumnDetails dataAccessOptions`)
	// valueless objects have no value of their own.
	valueless = set(`database model table relationship role cultureInfo perspective perspectiveTable hierarchy level variation kpi refreshPolicy
		calculationGroup dataAccessOptions relatedColumnDetails translations`)
	// collected objects are one of several of their type in their object.
	collected = set(`table relationship expression function role cultureInfo perspective dataSource queryGroup column measure hierarchy
		partition calendar level variation calculationItem tablePermission member columnPermission perspectiveTable perspectiveColumn
		perspectiveMeasure perspectiveHierarchy annotation extendedProperty`)
	// blocks are objects without a name; expressions and scalars are properties.
	blocks = set(`dataaccessoptions kpi refreshpolicy calculationgroup alternateof relatedcolumndetails linguisticmetadata translations
		formatstringdefinition detailrowsdefinition defaultdetailrowsdefinition datacoveragedefinition`)
	expressions = set(`sourceexpression pollingexpression targetexpression statusexpression trendexpression`)
	scalars     = set(`datatype summarizeby lineagetag sourcelineagetag sourcecolumn sortbycolumn ishidden iskey displayfolder datacategory
		mode fromcolumn tocolumn fromcardinality tocardinality crossfilteringbehavior isactive modelpermission ordinal precedence`)
)

// propertiesOf are the types of objects that have a property, by its name in lower case: those of which a notice says whose they are.
var propertiesOf = func() map[string][]string {
	all := map[string][]string{}
	for types, names := range map[string]string{
		"column": `datatype summarizeby sourcecolumn sortbycolumn iskey isunique isnullable isdefaultlabel isdefaultimage isavailableinmdx
			isdatatypeinferred isnameinferred sourceprovidertype encodinghint keepuniquerows`,
		"column measure":                          "formatstring",
		"column measure hierarchy":                "displayfolder",
		"table column measure":                    "datacategory",
		"table column measure hierarchy function": "ishidden",
		"table": "isprivate showasvariationsonly alternatesourceprecedence",
		"relationship": `fromcolumn tocolumn fromcardinality tocardinality crossfilteringbehavior joinondatebehavior
			relyonreferentialintegrity securityfilteringbehavior isactive`,
		"partition refreshPolicy": "mode",
		"refreshPolicy": `policytype rollingwindowgranularity rollingwindowperiods incrementalgranularity incrementalperiods
			incrementalperiodsoffset pollingexpression`,
		"calculationGroup":      "precedence",
		"calculationItem level": "ordinal",
		"role":                  "modelpermission",
		"expression":            "parametervaluescolumn",
		"database":              "compatibilitylevel",
		"model":                 "sourcequeryculture defaultpowerbidatasourceversion discourageimplicitmeasures collation culture",
	} {
		for name := range set(names) {
			all[name] = strings.Fields(types)
		}
	}
	return all
}()

// judged are the types of objects whose properties are known.
var judged = set(`database model table column measure hierarchy level partition relationship expression function role perspective
	cultureInfo calculationGroup calculationItem refreshPolicy kpi tablePermission`)

// hasProperty reports whether an object of the type may have the property.
func hasProperty(keyword, name string) bool {
	types, known := propertiesOf[name]
	return !known || !judged[keyword] || slices.Contains(types, keyword)
}
