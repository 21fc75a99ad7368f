package work

import (
	"readiness/domain/benchmark"
)

// ask is the job that asks the questions of a benchmark run.
type ask struct {
	benchmark.Step
}

// Kind implements river.JobArgs.
func (ask) Kind() string { return "ask-questions" }
