// Package benchmark holds the questions that are asked of an AI about a semantic
// model, what is known of their correct answers, and the runs that ask them
// (spec 2.7, 4.6; decisions 6 and 7). What an answer is worth, package comparison
// says.
package benchmark
