package offline

// SetCrashPoint makes f run before and after each model is written.
func SetCrashPoint(f func()) { crashPoint = f }
