//go:build !linux

package pages

func adviseLargePages([]byte) {}
