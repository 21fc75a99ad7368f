package readiness

// memo holds what several rules of a scope need. Each member is computed when the first
// rule asks for it.
type memo struct {
	faults   []fault // of descriptions, by object.index
	prefixes []prefix
	file     *filed
	named    []bool           // fields, by object.index
	needed   []bool           // what exposed measures refer to, by object.index
	texts    map[*object]bool // whether measures yield text
}
