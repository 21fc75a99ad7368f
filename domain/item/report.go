package item

// WorkspaceReport is a report as the listing of its workspace shows it to the
// caller (spec 2.10).
type WorkspaceReport struct {
	Item
	// Model is the semantic model the report is built on; nil when it cannot be
	// told. One that the caller cannot see has no workspace.
	Model *Item
	// Paginated reports have no pages that anything could be put on.
	Paginated bool
}
