package postgres

// SearchOnly makes o search for programs in these places only.
func SearchOnly(o Options, places ...string) Options {
	o.places = append([]string{}, places...)
	return o
}
