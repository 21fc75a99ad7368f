package page

import "time"

// Again returns after how many seconds the page of something that runs since then loads itself again: soon at first, because most work
// ends within seconds.
func Again(since time.Time) int {
	if time.Since(since) < 5*time.Second {
		return 1
	}
	return 3
}
