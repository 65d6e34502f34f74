//go:build !noasm

package glove

func init() { updates["NEON"] = update }
