package readiness

import (
	"regexp"
)

var (
	rowIDName    = regexp.MustCompile(`(?i)(^| |_)row ?id$`)
	recordWords  = setOf("inserted,updated,created,modified")
	loadingWords = setOf("load,ingestion,export,etl")
	loadedAt     = setOf("time,date,timestamp,at")
)

// technicalWord returns the words of the name that say that a column keeps records of
// rows or loads, or "" (rule VIS-02).
func (c *column) technicalWord() string {
	if w := technicalWords.firstOf(c.words); w != "" {
		return w
	}
	for i := range c.words {
		if i == 0 {
			continue
		}
		before, w := c.words[i-1], c.words[i]
		if recordWords[before] && w == "by" || loadingWords[before] && loadedAt[w] || loadedAt[before] && loadingWords[w] {
			return before + " " + w
		}
	}
	if rowIDName.MatchString(c.name) {
		return "row id"
	}
	return ""
}
