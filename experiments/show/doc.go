// Package show holds what turns results into something to look at: tables, figures, maps and answers. It knows
// no experiment.
package show
