package wording

var (
	// High are the words for the highest end of a ranking.
	High = SetOf("highest most largest biggest greatest longest best top strongest")
	// Low are the words for the lowest end.
	Low = SetOf("lowest least smallest fewest shortest worst bottom weakest")
)

// Adjective is the end of a ranking by what an adjective says about measures with one of these words.
type Adjective struct {
	High bool // the highest value, else the lowest
	Of   Set
}

var (
	durations = SetOf("time duration minutes hours days response resolution lead wait delay")
	crowds    = SetOf("visitors visitor footfall traffic passengers calls")
	prices    = SetOf("price cost fee rate")
	// Adjectives are adjectives by which people rank.
	Adjectives = map[string]Adjective{
		"slowest": {true, durations}, "fastest": {false, durations}, "quickest": {false, durations},
		"busiest": {true, crowds}, "quietest": {false, crowds},
		"cheapest": {false, prices}, "priciest": {true, prices}, "costliest": {true, prices},
	}
	// PerUnit are words of measures that count nothing.
	PerUnit = SetOf("per average avg percent rate ratio")
	// Burdens are words of measures that are better if lower.
	Burdens = SetOf(`cost costs expense expenses time duration delay returns returned refund refunds overtime complaints backlog absence
		churn error errors defects shrinkage wait lead resolution response minutes discount discounts waste loss losses overdue late`)
)

// Ratios are words of measures that already are shares.
var Ratios = SetOf("percent rate ratio share margin")

// Unsummed are words of columns whose sum has no meaning, even if visuals sum them.
var Unsummed = SetOf("unit price rate ratio score percent average per target point age year month day hour number rating level")

// LastYears are words of measures of the year before.
var LastYears = SetOf("prior previous last ly py")
