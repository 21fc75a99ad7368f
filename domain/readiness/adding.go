package readiness

import (
	"slices"
	"strings"
)

// fault says why a description adds nothing to what an AI knows from names (rule DSC-04
// of 2026-12). Such a description counts as none.
type fault int

const (
	adds fault = iota // it adds something
	isAbsent
	isShort
	isName
	isFrame // only words of names and of the frame
)

// leastDescription is how many characters a description needs.
const leastDescription = 8

// frameWords say nothing about an object by themselves. Unlike the words of names they
// have no other forms.
var frameWords = setOf("the,a,an,of,for,to,in,on,by,with,from,and,or,per,each,every,all,one,its,their,this,that,these,which,is,are," +
	"was,be,used,use,uses,using," +
	"group,groups,filter,filters,slice,show,shows,give,gives,tell,tells,hold,holds,contain,contains,store,stores," +
	"column,columns,table,tables,measure,measures,field,fields,row,rows,value,values,name,names,record,records,data,information," +
	"as,at,it,has,have,when,where,whether,true,false,point,time,total,current,calculates,returns,represents,provides,specifies,indicates," +
	"describes,displays,details,associated,related,identifier,id,identifiers,if,can,split,also")

// dateFrameWords belong to the frame for a date table and what is in it.
var dateFrameWords = setOf("date,calendar")

// forms returns the forms of a word: itself, with and without a plural's ending.
func forms(word string) []string {
	all := []string{word, word + "s", word + "es"}
	for _, ending := range []string{"s", "es"} {
		if stem := strings.TrimSuffix(word, ending); stem != "" {
			all = append(all, stem)
		}
	}
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		all = append(all, stem+"y")
	}
	if stem, ok := strings.CutSuffix(word, "y"); ok {
		all = append(all, stem+"ies")
	}
	return all
}

// judgeDescriptions returns the fault of each object's description, by object.index.
func judgeDescriptions(s *snapshot) []fault {
	tables := wordsOfTables(s)
	faults := make([]fault, len(s.objects))
	for i, o := range s.objects {
		faults[i] = judgeDescription(o, tables)
	}
	return faults
}

func judgeDescription(o *object, tables set) fault {
	switch {
	case o.description == "":
		return isAbsent
	case length(o.description) < leastDescription:
		return isShort
	case norm(strings.TrimSuffix(o.description, ".")) == o.norm:
		return isName
	}
	var own []string // the forms of the words of its name, once they are needed
	for _, w := range words(o.description) {
		if frameWords[w] || tables[w] || o.table.date && dateFrameWords[w] {
			continue
		}
		if own == nil {
			for _, n := range o.words {
				own = append(own, forms(n)...)
			}
		}
		if !slices.Contains(own, w) {
			return adds
		}
	}
	return isFrame
}

type faultsKey struct{}

// description returns the fault of an object's description.
func (x *scope) description(o *object) fault {
	return remembered(x, faultsKey{}, func() []fault { return judgeDescriptions(x.snapshot) })[o.index]
}

// explained reports whether an object has a description that adds something.
func (x *scope) explained(o *object) bool { return x.description(o) == adds }
