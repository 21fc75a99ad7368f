package eventstore

// LoadSQL is for the test of its plan.
const LoadSQL = loadSQL

// Appenders is where the locks of appenders begin.
const Appenders = appenders
