package relationships

import (
	"fmt"
	"slices"
	"strings"

	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
	"readiness/internal/lists"
)

var (
	labelWords     = wording.SetOf("name,title,label,description,desc")
	keyWords       = wording.SetOf("id,key,code,no,nr,number,sku")
	attributeWords = wording.SetOf("city,town,state,province,county,country,region,continent,zip,zipcode,postcode,postal,address,street,email,phone," +
		"fax,website,segment,category,subcategory,class,group,type,tier,brand,color,colour,size,model,manufacturer,gender,sex,industry,sector," +
		"department,division,occupation,education,birthplace,nationality,line,family,unit")
	placeWords  = wording.SetOf("city,town,state,province,county,country,region,continent,zip,zipcode,postcode")
	contactEnds = wording.SetOf("phone,telephone,fax,mobile,postal,zip")
	// qualifiers stand between the name of a thing and the word of what is told of it: Customer Full Name.
	qualifiers = wording.SetOf("first,last,middle,full,short,long,display,legal,common,english,postal,zip,e,phone,natural,alternate,unique,source")
	// ofRows name what a row of a fact is or how it was loaded, no thing that rows have in common.
	ofRows = wording.SetOf("order,orders,invoice,transaction,sale,sales,receipt,booking,ticket,shipment,payment,claim,case,event,entry,document,doc,po," +
		"purchase,charge,primary,secondary,home,work,business,main,other,line," +
		"row,record,item,activity,request,log,session,batch,source,file,sheet,column,table,field,system,etl,display,error,status,type," +
		"category,group,class,reference,ref,external,internal,tracking,serial")
	dateParts = wording.SetOf("date,day,week,weekday,month,quarter,qtr,year,fiscal,period,semester,holiday,season,calendar,time,hour,minute")
)

// mostOwn is how many things besides its rows a table may describe.
const mostOwn = 1

// mostTold is how many things a message shows with their columns.
const mostTold = 3

// embedded is a thing that a table describes in columns that depend on its key or name.
type embedded struct {
	name    string
	columns []*model.Column
}

// embeddedIn returns the things that exposed columns of a table describe besides its rows: by a key or a name and what depends on it, as in
// Customer Name and Customer City, and places by three of their parts. Parts of dates are none.
func embeddedIn(x *model.Scope, t *model.Table) []embedded {
	columns := lists.Where(t.Columns, func(c *model.Column) bool { return x.In(&c.Object) && !c.Key && !dateParts.Meets(c.Words) })
	var stems [][]string
	for _, c := range columns {
		if last := wording.LastWord(c.Words); labelWords[last] || keyWords[last] {
			if stem := stemOf(c.Words); len(stem) > 0 && !ofRows.Meets(stem) && !ownWords(t, stem) {
				stems = append(stems, stem)
			}
		}
	}
	slices.SortStableFunc(stems, func(a, b []string) int { return len(a) - len(b) })
	var found []embedded
	taken := map[*model.Column]bool{}
	for _, stem := range stems {
		e, labels, keys, attributes := embedded{name: strings.Join(stem, " ")}, 0, 0, 0
		for _, c := range columns {
			if taken[c] || len(c.Words) <= len(stem) || !slices.Equal(c.Words[:len(stem)], stem) {
				continue
			}
			switch last := wording.LastWord(c.Words); {
			case keyWords[last] && !contactEnds[c.Words[len(c.Words)-2]]:
				keys++
			case !c.Is("", semanticmodel.String):
				continue
			case labelWords[last]:
				labels++
			case attributeWords[last], keyWords[last]:
				attributes++
			default:
				continue
			}
			e.columns = append(e.columns, c)
		}
		if min(labels, 1)+min(keys, 1)+attributes < 2 || labels+attributes == 0 {
			continue
		}
		for _, c := range e.columns {
			taken[c] = true
		}
		found = append(found, e)
	}
	place := embedded{name: "place"}
	for _, c := range columns {
		if n := len(c.Words); n > 0 && n <= 2 && !taken[c] && c.Is("", semanticmodel.String) && (placeWords[c.Words[0]] || c.Words[0] == "postal") &&
			(n == 1 || labelWords[c.Words[1]] || keyWords[c.Words[1]]) {
			place.columns = append(place.columns, c)
		}
	}
	if len(place.columns) >= 3 {
		found = append(found, place)
	}
	return found
}

// stemOf returns the words of a name without what is told of the thing.
func stemOf(words []string) []string {
	stem := words[:len(words)-1]
	for len(stem) > 0 && qualifiers[stem[len(stem)-1]] {
		stem = stem[:len(stem)-1]
	}
	return stem
}

// ownWords reports whether a thing is what the table is called after.
func ownWords(t *model.Table, stem []string) bool {
	own := wording.Set{}
	for _, w := range t.Words {
		own.Add(wording.Forms(w))
	}
	return !slices.ContainsFunc(stem, func(w string) bool { return !own[w] })
}

// holdsFacts selects the tables whose numbers are aggregated and that are on no one side: descriptions belong into others.
func holdsFacts(x *model.Scope, t *model.Table) bool {
	return ofSeveral(x, t) && !x.Disconnected() && !t.OneSide && !t.Date && x.In(&t.Object) && slices.ContainsFunc(t.Columns, func(c *model.Column) bool {
		return c.Numeric() && !c.Key && (x.NeededBy(&c.Object) || c.Src.SummarizeBy != "" && c.Summed() && !keyWords[wording.LastWord(c.Words)] &&
			!dateParts.Meets(c.Words))
	})
}

// mixedEntities fails a table that describes several things besides its rows.
func mixedEntities(x *model.Scope, t *model.Table) rule.Verdict {
	all := embeddedIn(x, t)
	if len(all) <= mostOwn {
		return rule.Verdict{}
	}
	var names, told []string
	for _, e := range all {
		names = append(names, e.name)
		told = append(told, fmt.Sprintf("%s by %s", e.name, wording.Listed(lists.Map(e.columns, func(c *model.Column) string {
			return "[" + c.Name + "]"
		}), 3)))
	}
	violation := 1.0
	if len(all) == mostOwn+1 {
		violation = 0.5
	}
	return rule.Fails(violation, "move what describes "+wording.Listed(names, wording.MostNamed)+" into dimensions, and relate it to them",
		"%s", strings.Join(told[:min(len(told), mostTold)], "; "))
}
