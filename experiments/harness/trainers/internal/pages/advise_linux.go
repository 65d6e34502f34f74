package pages

import (
	"os"
	"syscall"
	"unsafe"
)

// adviseLargePages asks for large pages behind x, before they are first written.
func adviseLargePages(x []byte) {
	const hugePage = 14 // MADV_HUGEPAGE
	page := uintptr(os.Getpagesize())
	// From the first page boundary in x; the kernel rounds the end up to the next.
	shift := -uintptr(unsafe.Pointer(unsafe.SliceData(x))) % page
	if shift < uintptr(len(x)) {
		// A system without large pages refuses, and works all the same.
		_ = syscall.Madvise(x[shift:], hugePage)
	}
}
