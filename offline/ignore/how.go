package ignore

import (
	"regexp"
	"strconv"
	"strings"

	"readiness/domain/readiness/finding"
)

// reasonHere takes the place of the reason in an example of an ignore.
const reasonHere = "why this finding is accepted"

// EntryFor returns an ignore file with one entry, which covers a rule's finding about one object. The entry leaves
// out the model.
func EntryFor(rule string, key finding.Key) string {
	lines := []string{"ignore:", "  - rule: " + rule}
	if key.Table != "" {
		lines = append(lines, "    table: "+inYAML(key.Table))
	}
	if object := key.ObjectName; object != "" {
		if key.Table == "" && strings.HasPrefix(object, "#") {
			object = "#" // the model or data agent itself
		}
		lines = append(lines, "    object: "+inYAML(object))
	} else {
		lines = append(lines, `    object: ""`) // the table, and none of its fields
	}
	return strings.Join(append(lines, "    reason: "+reasonHere), "\n") + "\n"
}

// AnnotationFor returns the line of TMDL that covers a rule's findings about the object it is written at, or "" if
// such objects have no annotations that are read.
func AnnotationFor(rule string, of finding.ObjectType) string {
	switch of {
	case finding.TableObject, finding.ColumnObject, finding.MeasureObject, finding.RelationshipObject, finding.ModelObject:
		return "annotation " + annotation + " = " + rule + ": " + reasonHere
	default:
		return ""
	}
}

var plainInYAML = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 ]*$`)

func inYAML(text string) string {
	if plainInYAML.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}
