package explained

import "strings"

// answersExplained explains domain/readiness/rules/instructions about verified answers.
var answersExplained = map[string]Explanation{
	"INS-07": {
		Name: "VerifiedAnswersPresent", Title: "The model has verified answers",
		What:   "Judges the model. It fails if there is no verified answer.",
		Why:    "A verified answer fixes the right query for a question that people ask often.",
		Source: answersAreGiven,
		Fails:  tmdl(inputsModel),
		Passes: tmdl(inputsModel, answerOf("definition.json", enoughPhrases),
			answerOf("visualSource.json", answerVisual)),
		Fix: "Verify answers to the questions that are asked most.",
	},
	"INS-08": {
		Name: "TriggerPhrasesEnough", Title: "A verified answer has 5 to 15 trigger phrases",
		What: "Judges verified answers. It fails if the answer has no trigger phrase or more than 15, or if one is longer than 500 " +
			"characters. It fails by half for 1 to 4 phrases. Blank phrases do not count.",
		Why:    "People ask the same in different words. An answer with one phrase is rarely found.",
		Source: answersAreGiven.with(from("answer-limits")),
		Fails: tmdl(inputsModel, answerOf("definition.json", `
{
  "triggerPrompts": [{"prompt": "What is the revenue?"}]
}
`)),
		Passes: tmdl(inputsModel, answerOf("definition.json", enoughPhrases)),
		Fix:    "Add phrases in other words, or keep the best 15 and shorten long ones.",
	},
	"INS-09": {
		Name: "VerifiedAnswerFieldsExist", Title: "A verified answer uses fields that exist",
		What: "Judges verified answers. It fails if a field of the answer's visual or filters is not in the model. VIS-07 " +
			"judges whether they are exposed.",
		Why:    "An answer with a missing field is not given to an AI.",
		Source: answersAreGiven,
		Fails: tmdl(`
table Sales

	measure Turnover = SUM(Sales[Amount])

	column Amount
		dataType: decimal
`, answerOf("definition.json", enoughPhrases), answerOf("visualSource.json", answerVisual)),
		Passes: tmdl(inputsModel, answerOf("definition.json", enoughPhrases), answerOf("visualSource.json", answerVisual)),
		Fix:    "Build the answer again on fields that the model has.",
	},
	"INS-14": {
		Name: "VerifiedAnswerWithinLimits", Title: "A verified answer is one that the platform gives",
		What: "Judges verified answers. It fails if the type of the visual is none that can be verified (card (new), text box, Q&A, key " +
			"influencers, decomposition tree, narrative, R, Python, custom visual), if a field is of a field parameter, if there are more than 3 " +
			"filters, and for all but the first 250 answers by the names of their folders. The names of the types were not read in " +
			"documentation; they are those that reports have.",
		Why:    "Such an answer was not saved by the platform, or is not given to an AI.",
		Source: answersAreGiven.with(from("answer-kinds")),
		Fails: tmdl(inputsModel, answerOf("definition.json", enoughPhrases), answerOf("visualSource.json",
			strings.Replace(answerVisual, `"card"`, `"cardVisual"`, 1))),
		Passes: tmdl(inputsModel, answerOf("definition.json", enoughPhrases), answerOf("visualSource.json", answerVisual)),
		Fix:    "Build the answer on a visual, fields and filters that can be verified.",
	},
}

// answerOf is a part of a verified answer.
func answerOf(name, text string) ExamplePart {
	return partOf("Copilot/VerifiedAnswers/definitions/revenue/"+name, text)
}

const (
	enoughPhrases = `{
  "triggerPrompts": [
    {"prompt": "What is the revenue?"},
    {"prompt": "How much did we sell?"},
    {"prompt": "Show total sales"},
    {"prompt": "What is our turnover?"},
    {"prompt": "How high are the sales?"}
  ]
}
`
	answerVisual = `{
  "visualType": "card",
  "query": {
    "queryState": {
      "Values": {
        "projections": [
          {"field": {"Measure": {"Expression": {"SourceRef": {"Entity": "Sales"}}, "Property": "Revenue"}}}
        ]
      }
    }
  }
}
`
)

// synonymsExplained explains domain/readiness/rules/synonyms.
var synonymsExplained = map[string]Explanation{
	"SYN-01": {
		Name: "SynonymsPresent", Title: "Measures and text columns of dimensions have synonyms",
		What: "Judges exposed measures, and exposed string columns of dimensions that are no keys; if usage of the model's reports is " +
			"known, only such columns that have views, are a level of an exposed hierarchy or are the default label. It fails if the " +
			"object has no authored synonym, in the AI data schema or a linguistic schema. A synonym that equals the name does not " +
			"count, nor does one that the platform suggested.",
		Why:    "People say turnover where the model says revenue. A synonym connects the two.",
		Source: synonymsAreGiven,
		Fails:  tmdl(inputsModel),
		Passes: tmdl(inputsModel, partOf(schemaPart, `
{
  "tables": [
    {
      "name": "Sales",
      "measures": [{"name": "Revenue", "synonyms": ["turnover", "sales amount"]}]
    }
  ]
}
`)),
		Fix: "Add the words that people use for the object.",
	},
	"SYN-02": {
		Name: "SynonymsUnique", Title: "A synonym stands for one object",
		What: "Judges the same objects as SYN-01. It fails if one of the object's authored synonyms is also a synonym or the name of " +
			"another exposed table, column or measure, or if it has no synonym. The severity is medium for a collision, else low.",
		Why:    "A word that stands for two objects does not help to choose between them.",
		Source: synonymsAreGiven,
		Fails: tmdl(salesModel, partOf(schemaPart, `
{
  "tables": [
    {
      "name": "Sales",
      "measures": [
        {"name": "Gross Sales", "synonyms": ["turnover"]},
        {"name": "Net Sales", "synonyms": ["turnover"]}
      ]
    }
  ]
}
`)),
		Passes: tmdl(salesModel, partOf(schemaPart, `
{
  "tables": [
    {
      "name": "Sales",
      "measures": [
        {"name": "Gross Sales", "synonyms": ["sales before discounts"]},
        {"name": "Net Sales", "synonyms": ["turnover"]}
      ]
    }
  ]
}
`)),
		Fix: "Keep the synonym at the object that people mean, and replace it at the other.",
	},
}
