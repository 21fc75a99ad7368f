package eventstore

// LoadSQL is for the test of its plan.
const LoadSQL = loadSQL
