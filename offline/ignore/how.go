package ignore

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"readiness/domain/readiness/finding"
)

// reasonHere takes the place of the reason in an example of an ignore.
const reasonHere = "why this finding is accepted"

// EntryFor returns an ignore file with one entry, which covers a rule's finding about one object. The entry leaves
// out the model.
func EntryFor(rule string, key finding.Key) string { return entryFor(rule, key, reasonHere) }

func entryFor(rule string, key finding.Key, reason string) string {
	lines := []string{"ignore:", "  - rule: " + rule}
	if key.Table != "" {
		lines = append(lines, "    table: "+inYAML(key.Table))
	}
	if object := key.ObjectName; object != "" {
		if key.Entire() {
			object = "#" // the model or data agent itself
		}
		lines = append(lines, "    object: "+inYAML(object))
	} else {
		lines = append(lines, `    object: ""`) // the table, and none of its fields
	}
	return strings.Join(append(lines, "    reason: "+reason), "\n") + "\n"
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

var listItem = regexp.MustCompile(`(?m)^([ \t]*)- `)

// With returns an ignore file with one more entry at its end, as EntryFor makes it. It refuses a text that is no ignore file, or at whose
// end no entry can stand. Without a reason, the entry has a place for it. own are the ids of a team's rules.
func With(file, rule string, key finding.Key, reason string, own ...string) (string, error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		reason = reasonHere
	}
	before, err := Parse("ignore file", []byte(file), own...)
	if err != nil {
		return "", err
	}
	entry := entryFor(rule, key, inYAML(reason))
	if len(before.Entries) > 0 {
		indent := listItem.FindStringSubmatch(file)
		if indent == nil {
			return "", errors.New("the ignore file has no list to which an entry can be added; add it by hand")
		}
		_, entry, _ = strings.Cut(entry, "\n")
		entry = strings.ReplaceAll("\n"+strings.TrimSuffix(entry, "\n"), "\n  ", "\n"+indent[1])[1:] + "\n"
	}
	if strings.Contains(file, "\r\n") {
		entry = strings.ReplaceAll(entry, "\n", "\r\n")
	}
	if file != "" && !strings.HasSuffix(file, "\n") {
		file += entry[len(strings.TrimRight(entry, "\r\n")):]
	}
	after, err := Parse("ignore file", []byte(file+entry), own...)
	if err != nil || len(after.Entries) != len(before.Entries)+1 {
		return "", errors.New("no entry can be added at the end of the ignore file; add it by hand")
	}
	return file + entry, nil
}
