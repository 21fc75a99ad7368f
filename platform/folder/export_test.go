package folder

import "time"

// SetBounds lowers the bounds of p so that tests can reach them.
func SetBounds(p *Platform, entries, parts, partBytes, definitionBytes int) {
	p.bounds = bounds{entries, parts, partBytes, definitionBytes, MaxRemembered, QueryTimeout}
}

// SetCrashPoint makes f run after every step of a write on disk.
func SetCrashPoint(f func()) { crashPoint = f }

// Journal is the name of the journal's folder inside an item.
const Journal = journal

// SetNow makes p use now as the clock that it compares with the disk's timestamps.
func SetNow(p *Platform, now func() time.Time) { p.now = now }

// Settled is how old a change must be before its timestamp is relied on.
const Settled = settled

// SetRemembered lowers the size of p's cache.
func SetRemembered(p *Platform, bytes int) { p.bounds.remembered = bytes }

// Kept returns a value that stays the same while the next scan of the items may reuse the last result; nil if it may
// not.
func Kept(p *Platform) any {
	if p.inside.last == nil {
		return nil
	}
	return &p.inside.last[0]
}

// SetQueryTimeout changes how long a query may run.
func SetQueryTimeout(p *Platform, timeout time.Duration) { p.bounds.query = timeout }
