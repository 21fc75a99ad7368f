package explained

import (
	"fmt"
	"strings"

	"readiness/internal/lists"
)

// Kind says what kind of source a fact has.
type Kind string

// The kinds of sources.
const (
	Documentation Kind = "platform documentation"
	Measurement   Kind = "measurement"
	Convention    Kind = "convention"
)

// Fact is something about the platform, or a convention, that explanations rest on.
type Fact struct {
	ID   string
	Says string
	Kind Kind
	// Where it was read; "" for a convention.
	Where string
	// Read is the month in which it was read, and Written the year of the text where it is known to be older.
	Read, Written string
}

// Released is the month of the regime's release. Pages mark what is older than a year then, so that they do not change with the clock.
const Released = "2027-01"

// Old reports whether the fact is older than a year in a month. A text of which only the year is known counts from its end.
func (f Fact) Old(month string) bool {
	from := f.Read
	if f.Written != "" {
		from = f.Written + "-12"
	}
	if from == "" {
		return false
	}
	return months(month)-months(from) > 12
}

// months counts the months until one such as 2026-11.
func months(text string) int {
	var year, month int
	_, _ = fmt.Sscanf(text, "%d-%d", &year, &month)
	return year*12 + month
}

// Cite says where the fact comes from, with the mark of one that is older than a year in a month.
func (f Fact) Cite(month string) string {
	if f.Where == "" {
		return "Convention."
	}
	cite := strings.ToUpper(string(f.Kind[:1])) + string(f.Kind[1:]) + ": " + f.Where + ", read " + f.Read
	if f.Written != "" {
		cite += " in a text of " + f.Written
	}
	if f.Old(month) {
		return cite + ". **Older than a year: the platform may have changed.**"
	}
	return cite + "."
}

// Source is what an explanation rests on: facts, and what follows for the rule.
type Source struct {
	Facts []Fact
	Also  string
}

// String returns the sentences of the source.
func (s Source) String() string {
	var all []string
	for _, f := range s.Facts {
		all = append(all, f.Says)
	}
	if s.Also != "" {
		all = append(all, s.Also)
	}
	return strings.Join(all, " ")
}

// and returns the source with a further sentence, or with the facts of another source.
func (s Source) and(text string) Source {
	return Source{s.Facts, strings.TrimSpace(s.Also + " " + text)}
}

func (s Source) with(other Source) Source {
	return Source{append(append([]Fact{}, s.Facts...), other.Facts...), s.Also}
}

// from returns the source that is a fact.
func from(id string) Source { return Source{Facts: []Fact{Facts[id]}} }

const (
	prepFAQ       = "the FAQ of Prep data for AI"
	bestPractices = "semantic model best practices for data agents"
	agentTables   = "data agents on semantic models"
	definitions   = "the definition of semantic model items and its JSON schemas"
)

// Facts are all that explanations rest on, by id.
var Facts = byID(
	Fact{"names", "DAX generation is given tables and fields by name. Names are judged as English, in which agents answer best.",
		Documentation,
		bestPractices, "2026-11", ""},
	Fact{"schema", "The DAX generation of data agents reads names, types, relationships, the minimum and maximum of numbers, and titles and fields " +
		"of report visuals.",
		Documentation, bestPractices, "2026-11", ""},
	Fact{"descriptions", "The DAX generation of data agents reads descriptions.",
		Documentation, bestPractices, "2026-11", ""},
	Fact{"descriptions-copilot", "Copilot reads descriptions to write DAX queries and to search; not when people ask about the model or about visuals, " +
		"for summaries, or for a new page.",
		Documentation, prepFAQ, "2026-11", "2025"},
	Fact{"relationships", "DAX generation reads the relationships between the tables that it sees.",
		Documentation, bestPractices, "2026-11", ""},
	Fact{"exposure", "A data agent sees the columns that the AI data schema has of the tables that it selected, and all columns without a schema.",
		Documentation, agentTables, "2026-11", ""},
	Fact{"exposure-copilot", "Copilot keeps to the AI data schema when people ask about the model; not for visuals, summaries, pages, search and DAX queries.",
		Documentation, prepFAQ, "2026-11", "2025"},
	Fact{"instructions", "The DAX generation of data agents reads the AI instructions of the model.",
		Documentation, bestPractices, "2026-11", ""},
	Fact{"instructions-copilot", "Copilot reads AI instructions for all but search.",
		Documentation, prepFAQ, "2026-11", "2025"},
	Fact{"answers", "Verified answers are hints to the DAX generation of data agents, which do not return their visual.",
		Documentation, bestPractices,
		"2026-11", ""},
	Fact{"answers-copilot", "Copilot uses verified answers when people ask about the model or about visuals, " +
		"and in search; not for summaries, pages and DAX queries.",
		Documentation, prepFAQ, "2026-11", "2025"},
	Fact{"answer-limits", "Guidance: 5 to 7 trigger phrases each, whole questions, no hidden fields.",
		Documentation, bestPractices, "2026-11", ""},
	Fact{"answer-kinds", "A model has at most 250 verified answers, and an answer at most 3 filters. It has no field parameter and no measure of the " +
		"report, and is no card (new), text box, Q&A, key influencers, decomposition tree, narrative, R, Python or custom visual.",
		Documentation, bestPractices, "2026-11", ""},
	Fact{"synonyms", "The DAX generation of data agents reads synonyms.",
		Documentation, bestPractices, "2026-11", ""},
	Fact{"both-selections", "Tables that a data agent selects and the schema does not have come with all columns; tables of the schema that it does not " +
		"select are ignored.",
		Documentation, agentTables, "2026-11", ""},
	Fact{"agent-instructions", "DAX generation does not read the agent's own instructions, and a semantic model has no instructions at the agent.",
		Documentation,
		agentTables, "2026-11", ""},
	Fact{"few-fields", "Guidance for the AI data schema: only what questions need, " +
		"with everything that the chosen measures depend on, without helper measures.",
		Documentation, bestPractices, "2026-11", ""},
	Fact{"qna", "Q&A retires in December 2026; the upgrade of Prep data for AI is one way and turns Q&A off.",
		Documentation,
		bestPractices + "; Prep data for AI", "2026-11", ""},
	Fact{"index", "Only text columns are indexed, and no values of 100 characters and more.",
		Documentation, definitions + "; " + bestPractices, "2026-11", ""},
	Fact{"prompts", "A model has up to 10,000 example prompts of 500 characters.",
		Documentation, definitions, "2026-11", ""},
	Fact{"no-items", "Calculation items are in no model metadata that an AI is given.", Convention, "", "", ""},
	Fact{"percent", "In a format string % multiplies by 100.",
		Documentation, "format strings of DAX", "2026-11", ""},
	Fact{"marked-dates",
		"Time-intelligence functions remove the filters on other columns of a date table if it is marked, or if relationships use its dateTime column.",
		Measurement, "SQLBI, Mark as date table", "2026-11", ""},
	Fact{"nothing", "No documentation says that an AI reads this property.", Convention, "", "", ""},
)

func byID(all ...Fact) map[string]Fact {
	return lists.Index(all, func(f Fact) string { return f.ID })
}

// Sources that several explanations cite.
var (
	fieldsAreGiven        = from("names")
	descriptionsAreGiven  = from("descriptions").with(from("descriptions-copilot"))
	relationshipsAreGiven = from("relationships")
	schemaIsUsed          = from("schema")
	marksRemoveFilters    = from("marked-dates")
	exposureDecides       = from("exposure").with(from("exposure-copilot"))
	instructionsAreGiven  = from("instructions").with(from("instructions-copilot"))
	answersAreGiven       = from("answers").with(from("answers-copilot"))
	synonymsAreGiven      = from("synonyms")
	nothingSaysSo         = from("nothing")
)
