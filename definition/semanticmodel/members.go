package semanticmodel

import "strings"

// membersOf are the names, in lower case, of what Power BI reads in an object of a type, apart from its child objects and
// what every object may have. An object of another type is not judged.
var membersOf = func() map[string]map[string]bool {
	const tags = " lineagetag sourcelineagetag"
	all := map[string]map[string]bool{}
	for keyword, names := range map[string]string{
		"model": `culture collation defaultmode defaultdataview storagelocation defaultpowerbidatasourceversion discourageimplicitmeasures
			discouragereportmeasures discouragecompositemodels forceuniquenames sourcequeryculture mattributes maxparallelismperrefresh
			maxparallelismperquery datasourcedefaultmaxconnections datasourcevariablesoverridebehavior directlakebehavior
			defaultdirectlakeindexingbehavior defaultmeasure disableautoexists valuefilterbehavior selectionexpressionbehavior
			metadataaccesspolicy automaticaggregationoptions dataaccessoptions analyticsaimetadata bindinginfo bindinginfocollection
			disablesystemdefaultexpression haslocalchanges`,
		"dataAccessOptions": "legacyredirects returnerrorvaluesasnull fastcombine",
		"table": `datacategory ishidden isprivate showasvariationsonly excludefrommodelrefresh excludefromautomaticrefresh systemmanaged
			excludefromautomaticaggregations alternatesourceprecedence directlakeindexingbehavior defaultdetailrowsdefinition
			refreshpolicy calculationgroup alternateof` + tags,
		"column": `type datatype datacategory ishidden iskey isnullable isunique isdefaultlabel isdefaultimage isavailableinmdx keepuniquerows
			isnameinferred isdatatypeinferred sourcecolumn sortbycolumn formatstring displayfolder displayordinal summarizeby alignment
			encodinghint sourceprovidertype tabledetailposition stringindexingbehavior evaluationbehavior columnorigin columnorigintable
			columnorigincolumn sourcetable expression attributehierarchy relatedcolumndetails alternateof` + tags,
		"measure": `expression formatstring displayfolder ishidden issimplemeasure datacategory datatype formatstringdefinition
			detailrowsdefinition kpi` + tags,
		"hierarchy": "ishidden displayfolder hidemembers" + tags,
		"level":     "column ordinal" + tags,
		"partition": `type mode dataview querygroup source expression query datasource attributes retaindatatillforcecalculate refreshbookmark
			datacoveragedefinition`,
		"relationship": `type fromtable fromcolumn totable tocolumn isactive crossfilteringbehavior fromcardinality tocardinality
			securityfilteringbehavior joinondatebehavior relyonreferentialintegrity`,
		"calculationGroup": "precedence noselectionexpression multipleoremptyselectionexpression",
		"calculationItem":  "expression ordinal formatstringdefinition" + tags,
		"kpi": `targetexpression targetdescription targetformatstring statusexpression statusgraphic statusdescription trendexpression
			trendgraphic trenddescription`,
		"role":             "modelpermission",
		"tablePermission":  "metadatapermission filterexpression",
		"columnPermission": "metadatapermission",
		"perspective":      "",
		"perspectiveTable": "includeall",
		"expression": `kind expression querygroup mattributes parametervaluescolumn remoteparametername
			expressionsource` + tags,
		"function": "expression ishidden" + tags,
		"refreshPolicy": `policytype mode incrementalgranularity incrementalperiods incrementalperiodsoffset rollingwindowgranularity
			rollingwindowperiods sourceexpression pollingexpression`,
		"variation":            "isdefault relationship defaulthierarchy defaultcolumn",
		"relatedColumnDetails": "groupbycolumn",
		"alternateOf":          "basetable basecolumn summarization",
		"calendar":             "" + tags,
	} {
		all[keyword] = set(names)
	}
	return all
}()

// ofAll are what every object may have.
var ofAll = set("name description modifiedtime structuremodifiedtime refreshedtime state errormessage excludedartifact excludedartifacts")

// unknownMember reports whether an object of the type has nothing of the name that Power BI reads.
func unknownMember(keyword, name string) bool {
	known, judged := membersOf[keyword]
	name = strings.ToLower(name)
	return judged && !known[name] && !ofAll[name]
}
