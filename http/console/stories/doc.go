// Package stories has the tests of the console in a real browser, Chromium, against a running service: each job as a person
// does it, by mouse, by keyboard alone, with script off, and over an emulated Fabric, at several widths and in both themes. The
// browser is found by PATH; where there is none, the tests say so and run nothing. With the build tag npm, axe-core examines
// every page.
package stories
