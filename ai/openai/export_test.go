package openai

// PublicOnly is publicOnly.
var PublicOnly = publicOnly

// ErrAddress is errAddress.
var ErrAddress = errAddress

// What is taken out of answers.
var (
	ReadSaid      = readSaid
	ReadJudgement = readJudgement
)

// Given is an item of an answer.
type Given = given

// Items are those of an answer.
func Items(text string) ([]Given, bool) { return itemsOf[given](text) }
