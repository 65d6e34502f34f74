//go:build (!amd64 && !arm64) || noasm

package glove

var update = updatePortable
