package folder

import "time"

// metadata is what a change of a file or folder changes.
type metadata struct{}

// stampAt proves nothing: everything is read again. Times of Windows can be set back, so they do not show that nothing changed.
func stampAt(int, string, time.Time) (s stamp, distinct bool) { return stamp{}, false }
