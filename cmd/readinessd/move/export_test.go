package move

// SealedTables returns the names of sealedTables.
func SealedTables() (names []string) {
	for _, t := range sealedTables {
		names = append(names, t.name)
	}
	return names
}
