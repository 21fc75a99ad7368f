// Package oracles holds the emulator of package fabrictest to clients that are not ours: Microsoft's SDK for Fabric and its
// two libraries for Entra. It is a module of its own, so that the SDK is no dependency of the program.
package oracles
