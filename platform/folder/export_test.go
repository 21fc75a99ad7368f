package folder

// SetBounds makes the bounds of p small enough to be reached.
func SetBounds(p *Platform, entries, parts, partBytes, definitionBytes int) {
	p.bounds = bounds{entries, parts, partBytes, definitionBytes}
}

// SetCrashPoint has f called after every step of a write on disk.
func SetCrashPoint(f func()) { crashPoint = f }

// Journal is the folder of the journal inside an item.
const Journal = journal
