package item

// WorkspaceReport is a report as the listing of its workspace shows it to the caller.
type WorkspaceReport struct {
	Item
	// Model is the semantic model that the report is built on; nil when it is unknown.
	// A model that the caller cannot see has no WorkspaceID.
	Model *Item
	// Unseen says why the model is not known, if the caller could not ask for it.
	Unseen string
	// Paginated is true for a report without pages that visuals could be put on.
	Paginated bool
}
