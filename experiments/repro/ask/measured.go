package ask

import (
	"fmt"

	"contextmover/experiments/spaces"
)

// What the methods of senses and shift were measured to be with the built-in space, × 100: row uses of the recorded
// tables uses_senses and uses_change, as the test compares.
const (
	sensesMeasured = "adjusted Rand index × 100 with people's senses: 56.8 " +
		"on average of 20 homographs (CoarseWSD-20, built-in space)"
	shiftMeasured = "Spearman × 100 with people's change: " +
		"47.6 (DWUG EN, 46 words) and 37.3 (SemEval-2020, 37 words), built-in space"
)

// measuredIn is what was measured, to be told of answers of the space with this name.
func measuredIn(space, measured string) string {
	if space == spaces.Default {
		return measured
	}
	return fmt.Sprintf("%s; the space that is asked, %s, was not measured", measured, space)
}
