// Package memdir makes folders in memory for the temporary files of tests, because a disk is many times slower. A folder of a process that
// was killed is removed by the next one.
package memdir
