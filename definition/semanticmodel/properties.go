package semanticmodel

import (
	"readiness/definition"
	"readiness/definition/jsonpart"
)

// QnA says whether Q&A is on for the model: settings.qnaEnabled of definition.pbism.
type QnA string

// The values of QnA. QnAUnset is a definition.pbism whose qnaEnabled is absent, null or
// no boolean. One whose settings are no object, or that does not parse, is Unread too.
const (
	QnANoPart QnA = "" // the definition has no definition.pbism
	QnAOn     QnA = "on"
	QnAOff    QnA = "off"
	QnAUnset  QnA = "unset"
)

const propertiesPart = "definition.pbism"

func (u *unreadable) readQnA(d definition.Definition) QnA {
	p, ok := d.Named(propertiesPart)
	if !ok {
		return QnANoPart
	}
	r, err := objectPart(p.Path, p.Data)
	if err != nil {
		u.add(p.Path, err, QnASetting)
		return QnAUnset
	}
	qna := QnAUnset
	for member := range r.Object() {
		if member == "settings" {
			qna = readQnASetting(r)
		}
	}
	u.add(p.Path, r.Err(), QnASetting)
	return qna
}

func readQnASetting(r *jsonpart.Reader) QnA {
	qna := QnAUnset
	for member := range r.Object() {
		if member != "qnaEnabled" {
			continue
		}
		switch r.Kind() {
		case 't':
			qna = QnAOn
		case 'f':
			qna = QnAOff
		default:
			qna = QnAUnset
		}
	}
	return qna
}
