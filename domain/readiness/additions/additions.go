// Package additions says whether the description of an object adds something to what an AI
// knows from names (rule DSC-04 of 2026-12). Rules of several dimensions ask for it.
package additions

import (
	"slices"
	"strings"

	"readiness/domain/readiness/model"
	"readiness/domain/readiness/wording"
)

// Fault says why a description adds nothing to what an AI knows from names (rule DSC-04
// of 2026-12). Such a description counts as none.
type Fault int

// The faults, and Adds for a description that has none.
const (
	Adds Fault = iota // it adds something
	Absent
	Short
	OnlyName
	OnlyFrame // only words of names and of the frame
)

// LeastDescription is how many characters a description needs.
const LeastDescription = 8

// frameWords say nothing about an object by themselves. Unlike the words of names they
// have no other forms.
var frameWords = wording.SetOf("the,a,an,of,for,to,in,on,by,with,from,and,or,per,each,every,all,one,its,their,this,that,these,which," +
	"is,are,was,be,used,use,uses,using," +
	"group,groups,filter,filters,slice,show,shows,give,gives,tell,tells,hold,holds,contain,contains,store,stores," +
	"column,columns,table,tables,measure,measures,field,fields,row,rows,value,values,name,names,record,records,data,information," +
	"as,at,it,has,have,when,where,whether,true,false,point,time,total,current,calculates,returns,represents,provides,specifies,indicates," +
	"describes,displays,details,associated,related,identifier,id,identifiers,if,can,split,also")

// dateFrameWords belong to the frame for a date table and what is in it.
var dateFrameWords = wording.SetOf("date,calendar")

// judgeDescriptions returns the fault of each object's description, by object.index.
func judgeDescriptions(s *model.Snapshot) []Fault {
	tables := wordsOfTables(s)
	faults := make([]Fault, len(s.Objects))
	for i, o := range s.Objects {
		faults[i] = judgeDescription(o, tables)
	}
	return faults
}

func judgeDescription(o *model.Object, tables wording.Set) Fault {
	switch {
	case o.Description == "":
		return Absent
	case wording.Length(o.Description) < LeastDescription:
		return Short
	case wording.Norm(strings.TrimSuffix(o.Description, ".")) == o.Norm:
		return OnlyName
	}
	var own []string // the forms of the words of its name, once they are needed
	for _, w := range wording.Words(o.Description) {
		if frameWords[w] || tables[w] || o.Table.Date && dateFrameWords[w] {
			continue
		}
		if own == nil {
			for _, n := range o.Words {
				own = append(own, wording.Forms(n)...)
			}
		}
		if !slices.Contains(own, w) {
			return Adds
		}
	}
	return OnlyFrame
}

type faultsKey struct{}

// FaultOf returns the fault of an object's description.
func FaultOf(x *model.Scope, o *model.Object) Fault {
	return model.Remembered(x, faultsKey{}, func() []Fault { return judgeDescriptions(x.Snapshot) })[o.Index]
}

// Explained reports whether an object has a description that adds something.
func Explained(x *model.Scope, o *model.Object) bool { return FaultOf(x, o) == Adds }
