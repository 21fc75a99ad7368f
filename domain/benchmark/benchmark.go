// Package benchmark holds the questions that an AI is asked about a semantic model,
// what is known of their correct answers, and the runs that ask them
// (docs/specification.md 4.6; docs/decisions.md 6, 7 and 9). Package comparison judges
// the answers.
package benchmark
