package folder

import "time"

// stamp is a file's or folder's metadata. The zero stamp means that none could be read.
type stamp struct {
	metadata
	absent bool
}

// proof identifies the state of what was read by stamps taken before reading it. For a file these are the stamps of the
// file and of its folder, because reading needs permission for both. For a folder's contents it is the folder's stamp
// alone. The zero proof proves nothing.
type proof struct{ folder, file stamp }

// seen is what was read from a file or folder, with its proof.
type seen[T any] struct {
	proof proof
	says  T
}

// settled is how old a change must be for its timestamp to distinguish it from the next one. The coarsest file system
// clock in use ticks every two seconds.
const settled = 3 * time.Second
