package http

// Decode is decode, for the fuzz test.
var Decode = decode
