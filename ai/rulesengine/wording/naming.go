package wording

// Persons, buyers and companies are nouns for tables and columns whose values are names of persons or firms.
var (
	Persons = SetOf(`employee agent manager person staff worker member user seller salesperson representative rep owner driver teacher
		student doctor nurse patient consultant technician engineer assignee responsible buyer`)
	Buyers    = SetOf("customer client buyer member patient subscriber guest")
	Companies = SetOf("customer client supplier vendor company account partner firm carrier manufacturer")
	// Buying are the verbs of buyers.
	Buying = SetOf("buy buys bought purchase purchases purchased order orders ordered pay pays paid spend spends spent return returned")
)

// Ordinary are words of names that also have an ordinary meaning.
var Ordinary = SetOf(`main new old north south east west central general other first second big little great high low premium special total
	free fast early late spring summer autumn winter super market street store shop center centre square group company goods foods online
	standard basic classic large small short long daily weekly monthly annual sales service services team black white green blue house
	home`)

// Weekdays are the days of the week.
var Weekdays = map[string]int{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 7,
	"mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6, "sun": 7,
}

// Seasons are the months of a season in the northern hemisphere, if all are in one calendar year.
var Seasons = map[string][]int{"spring": {3, 4, 5}, "summer": {6, 7, 8}, "autumn": {9, 10, 11}, "fall": {9, 10, 11}, "winter": {1, 2, 12}}

// OtherNames are other names of countries, and adjectives of them.
var OtherNames = map[string]string{
	"US": "united states", "USA": "united states", "usa": "united states", "america": "united states", "America": "united states",
	"UK": "united kingdom", "uk": "united kingdom", "britain": "united kingdom", "Britain": "united kingdom",
	"german": "germany", "German": "germany", "french": "france", "French": "france", "spanish": "spain", "Spanish": "spain",
	"italian": "italy", "Italian": "italy", "canadian": "canada", "Canadian": "canada", "american": "united states",
	"American": "united states", "british": "united kingdom", "British": "united kingdom", "dutch": "netherlands", "Dutch": "netherlands",
	"swiss": "switzerland", "Swiss": "switzerland", "austrian": "austria", "Austrian": "austria", "polish": "poland", "Polish": "poland",
	"portuguese": "portugal", "Portuguese": "portugal", "swedish": "sweden", "Swedish": "sweden",
}

// Alternatives are words between values of one column.
var Alternatives = SetOf("and or vs versus")

// Conjunctions are words between two things: a field that covers both has the word in its name.
var Conjunctions = SetOf("and or")

// Relatives are words for times that depend on the day of the question.
var Relatives = SetOf("last this current next previous past")
