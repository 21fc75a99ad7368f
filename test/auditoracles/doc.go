// Package auditoracles tests the trees of the log with third-party programs: fsck and the client of Tessera, and the libraries for
// Merkle trees, proofs and notes of transparency-dev. It is a separate module, so that the program does not depend on them.
package auditoracles
