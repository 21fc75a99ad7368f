package migrations

// Files are the migrations, exported for the test that reverts them.
var Files = files

// Repeated is repeated.
var Repeated = repeated
