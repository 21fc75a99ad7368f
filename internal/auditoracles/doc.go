// Package auditoracles holds the trees of the log to programs that are not ours: fsck and the client of Tessera, and the libraries for
// Merkle trees, proofs and notes of transparency-dev. It is a separate module, so that the program does not depend on them.
package auditoracles
