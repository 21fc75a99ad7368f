package explained

import (
	"regexp"
	"strconv"
	"strings"

	"readiness/domain/readiness"
)

// Fault returns what is wrong where n objects fail a rule, as a title: "18 columns without a description", "No AI
// instructions". It is "" for an unknown rule.
func Fault(ruleID string, n int) string {
	text := strings.ReplaceAll(faults[ruleID], "#", strconv.Itoa(n))
	return forms.ReplaceAllStringFunc(text, func(both string) string {
		one, many, _ := strings.Cut(strings.Trim(both, "{}"), "|")
		if n == 1 {
			return one
		}
		return many
	})
}

// FaultOfOne returns what is wrong where one object fails a rule, as the title of that finding: "Column without a description".
// It is "" for an unknown rule.
func FaultOfOne(ruleID string) string {
	text := strings.TrimPrefix(Fault(ruleID, 1), "1 ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// FaultIn returns what is wrong where one object fails a rule of a result, as FaultOfOne does; a rule of a team has its own title.
func FaultIn(r readiness.Result, ruleID string) string {
	if own := r.OwnRule(ruleID); own != nil {
		return own.Title
	}
	return FaultOfOne(ruleID)
}

var forms = regexp.MustCompile(`\{[^}]*\}`)

// faults has # for the number of objects, and {one|many} for forms that depend on it.
var faults = map[string]string{
	"AGT-01": "# {table|tables} on which data agent and AI data schema disagree",
	"AGT-02": "Agent instructions describe objects of a model, where they are not read",
	"AGT-03": "No published description of the data agent, or a short one",
	"AGT-04": "# {source|sources} with more than 25 selected tables",
	"AGT-05": "Agent instructions do not tell the sources apart",
	"AGT-06": "Agent instructions name what the agent does not see",
	"DSC-01": "# {table|tables} without a description that informs",
	"DSC-02": "# {column|columns} without a description that informs",
	"DSC-03": "# {measure|measures} without a description that informs",
	"DSC-05": "# {description|descriptions} longer than 200 characters",
	"DSC-07": "# calculation {group|groups} whose column does not list the items",
	"INS-01": "No AI instructions, or none that can be checked",
	"INS-02": "AI instructions that say little, or are too long",
	"INS-03": "AI instructions that name no field, or unknown ones",
	"INS-04": "AI instructions without time, terms, defaults or choice of measure",
	"INS-05": "# fact {table|tables} with several dates and no default",
	"INS-06": "# calculation {group|groups} without an explanation in the AI instructions",
	"INS-07": "No verified answers",
	"INS-08": "# verified {answer|answers} with too few trigger phrases, or too many",
	"INS-09": "# verified {answer|answers} with fields that do not exist",
	"INS-10": "Preparation for AI in the format that retires",
	"INS-11": "AI instructions that give one term two measures",
	"INS-12": "Values that questions name are not indexed",
	"INS-13": "No example prompts, or some about what an AI does not see",
	"INS-14": "# verified {answer|answers} that the platform does not give",
	"MEA-01": "Too few measures for the facts",
	"MEA-02": "# {number|numbers} of fact tables that no measure aggregates",
	"MEA-03": "# {measure|measures} without a format string",
	"MEA-04": "# {measure|measures} in no display folder",
	"MEA-05": "# {measure|measures} that {repeats|repeat} another",
	"MEA-06": "# {measure|measures} with nearly the name of another",
	"MEA-07": "# {expression|expressions} that cannot work",
	"MEA-08": "# {measure|measures} that {divides|divide} with /",
	"MEA-09": "# {percentage|percentages} multiplied by 100 twice",
	"MEA-10": "# {measure|measures} that {sums|sum} what does not add up",
	"NAM-01": "# {name|names} written as code",
	"NAM-02": "# table {name|names} with a technical prefix",
	"NAM-03": "# {name|names} with an unexplained abbreviation",
	"NAM-04": "# {column|columns} with the name of another",
	"NAM-05": "# {name|names} with stray white space",
	"NAM-06": "# {name|names} that {says|say} nothing",
	"NAM-07": "# {field|fields} with a technical prefix",
	"REL-01": "{Tables|# tables} related to nothing",
	"REL-02": "# {relationship|relationships} many to many",
	"REL-03": "# {relationship|relationships} that {filters|filter} both ways",
	"REL-04": "# {relationship|relationships} between different types",
	"REL-05": "# {dimension|dimensions} two steps from the facts",
	"REL-06": "# inactive {relationship|relationships} that no measure uses",
	"REL-07": "One flat table in place of facts and dimensions",
	"REL-08": "# broken {relationship|relationships}",
	"REL-09": "# {table|tables} with a second path of filters",
	"REL-10": "# {column|columns} related to two dimensions",
	"REL-11": "# fact {table|tables} that {describes|describe} several other things",
	"SYN-01": "# {object|objects} without a synonym",
	"SYN-02": "# {object|objects} with a synonym that means something else too",
	"TIM-01": "No marked date table",
	"TIM-02": "# date {table|tables} not marked as such",
	"TIM-03": "Automatic date tables",
	"TIM-04": "# fact {table|tables} without a date table",
	"TIM-05": "# date {table|tables} without a hierarchy",
	"TIM-06": "No measures for periods",
	"TYP-01": "# {column|columns} of texts or dates that {is|are} summarized",
	"TYP-02": "# {number|numbers} summed though a sum means nothing",
	"TYP-03": "# {quantity|quantities} stored as text",
	"TYP-04": "# {date|dates} not stored as a date",
	"TYP-05": "# {name|names} of periods sorted by alphabet",
	"TYP-06": "# {place|places} without a data category",
	"TYP-07": "# {dimension|dimensions} without a label for {its|their} rows",
	"VIS-01": "No choice of what an AI sees",
	"VIS-02": "# technical {column|columns} that an AI sees",
	"VIS-03": "# helper {measure|measures} that an AI sees",
	"VIS-04": "# {measure|measures} whose inputs an AI does not see",
	"VIS-05": "More than 25 tables that an AI sees",
	"VIS-06": "# {field|fields} that nobody uses",
	"VIS-07": "# {object|objects} named for AI and kept from it",
	"VIS-08": "Too little of what people ask about is shown",
	"VIS-09": "# {column|columns} of personal data without a reason",
}
