// Package model shows a semantic model as the scoring rules see it: its objects in order,
// what its expressions refer to, which tables are facts, dimensions and dates, and what an
// AI sees of it. It judges nothing.
package model
