package declared

import "reflect"

// FileType is the type that an accounts file is decoded into.
var FileType = reflect.TypeFor[fileDoc]()
