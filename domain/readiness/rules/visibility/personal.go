package visibility

import (
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness/informing"
	"readiness/domain/readiness/model"
	"readiness/domain/readiness/rule"
	"readiness/domain/readiness/wording"
)

var (
	contactWords  = wording.SetOf("email,mail,phone,telephone,mobile,cellphone")
	contactEnds   = wording.SetOf("address,number,no,nr")
	identityWords = wording.SetOf("ssn,passport,iban,cpf,nif,nino,dni")
	// organizations are tables whose contacts are those of no person.
	organizations = wording.SetOf("company,companies,vendor,vendors,supplier,suppliers,store,stores,branch,branches,office,warehouse,hotel,plant," +
		"reseller,location,facility")
)

// personalWord returns the words of the name that say that a column holds what identifies or reaches a person, or its birth date; "" if
// none do.
func personalWord(c *model.Column) string {
	last := wording.LastWords(c.Words, 2)
	switch {
	case c.Is(semanticmodel.DateTime, semanticmodel.String) && wording.SaysBirthDate(c.Words):
		return "birth date"
	case !c.Is(semanticmodel.String, semanticmodel.Int64):
		return ""
	case identityWords[last[1]], identityWords[last[0]] && contactEnds[last[1]]:
		return identityWords.FirstOf(last)
	case last[0] == "national" && last[1] == "id", last[0] == "social" && last[1] == "security", last[0] == "tax" && last[1] == "id":
		return last[0] + " " + last[1]
	case organizations.Meets(c.Table.Words) || !c.Is(semanticmodel.String) && last[1] == "mail":
		return ""
	case contactWords[last[1]] && (c.Is(semanticmodel.String) || len(c.Words) == 1),
		c.Is(semanticmodel.String) && contactWords[last[0]] && contactEnds[last[1]]:
		return contactWords.FirstOf(last)
	}
	return ""
}

func isPersonal(_ *model.Scope, c *model.Column) bool { return personalWord(c) != "" }

func unexplainedPersonal(x *model.Scope, c *model.Column) rule.Verdict {
	if informing.Described(x, &c.Object) {
		return rule.Verdict{}
	}
	w := personalWord(c)
	return rule.Fails(1, "leave it out of what an AI sees, as it holds personal data ("+w+"), or say in its description why questions need it",
		"its name says %s, and no description says why", w)
}
