//go:build !race

package cancel

// raceEnabled tells that the race detector slows everything down.
const raceEnabled = false
