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

	unfamiliar []*verdict       // of NAM-03, nil where it passes, by object.index
	technical  []*verdict       // of VIS-02, nil where it passes or does not judge, by object.index
	helpers    []helper         // what VIS-03 says of measures, by object.index
	evident    []bool           // whether names say what a description would, by object.index
	activated  map[*column]bool // the many sides that USERELATIONSHIP activates
	askable    int              // the result of scope.askable and 1
}
