package migrations

// Files are the migrations, for the test that takes them back.
var Files = files
