//go:build !amd64 || noasm

package glove

var update = updatePortable
