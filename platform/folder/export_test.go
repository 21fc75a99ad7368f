package folder

import "time"

// SetBounds makes the bounds of p small enough to be reached.
func SetBounds(p *Platform, entries, parts, partBytes, definitionBytes int) {
	p.bounds = bounds{entries, parts, partBytes, definitionBytes, MaxRemembered}
}

// SetCrashPoint has f called after every step of a write on disk.
func SetCrashPoint(f func()) { crashPoint = f }

// Journal is the folder of the journal inside an item.
const Journal = journal

// SetNow has p take the time that now tells for that of the disk.
func SetNow(p *Platform, now func() time.Time) { p.now = now }

// Settled is how old a change is before its time is relied on.
const Settled = settled

// SetRemembered makes small what p may remember.
func SetRemembered(p *Platform, bytes int) { p.bounds.remembered = bytes }

// Kept is the same as long as the next look inside may say what the last said.
func Kept(p *Platform) any {
	if p.inside.said == nil {
		return nil
	}
	return &p.inside.said[0]
}
