package pipeline

import (
	"fmt"
	"strconv"

	"contextmover/experiments/profile"
)

// A settingColumn is a column of the tables of settings.
type settingColumn struct {
	Name string
	Text func(profile.Row) string
}

// SettingColumns are the columns that rows of transport fill, whatever they compare.
var SettingColumns = []settingColumn{
	{"α", func(r profile.Row) string { return Number(r.Smoothing) }},
	{"s", func(r profile.Row) string { return Number(r.Shift) }},
	{"β", func(r profile.Row) string {
		if r.Normalisation != "total" {
			return r.Normalisation
		}
		return Number(r.Beta)
	}},
	{"K", func(r profile.Row) string { return strconv.Itoa(r.Clusters) }},
	{"cost", func(r profile.Row) string { return r.Metric + ", " + r.CostNormalisation }},
	{"clip/λ", func(r profile.Row) string { return Number(r.Clip) }},
	{"λ", func(r profile.Row) string { return Number(r.Reg) }},
	{"m", func(r profile.Row) string {
		if r.Mix == 0 || r.PointWeights == "uniform" {
			return Number(r.Mix)
		}
		return fmt.Sprintf("%s, a = %s", Number(r.Mix), Number(r.PointA))
	}},
}

// Number writes a setting with as many digits as it takes.
func Number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
