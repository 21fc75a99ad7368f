// Package report writes assessments and the changes of proposals for people: as a table for
// a screen, as Markdown, as CSV and as a diff. It judges nothing.
package report
