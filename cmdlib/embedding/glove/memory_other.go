//go:build !linux

package glove

func adviseLargePages([]byte) {}
