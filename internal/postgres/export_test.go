package postgres

// SearchOnly makes o search for programs only in these places.
func SearchOnly(o Options, places ...string) Options {
	o.places = append([]string{}, places...)
	return o
}
