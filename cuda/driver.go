//go:build cuda

package cuda

// #cgo LDFLAGS: -ldl
// #include "missing.h"
import "C"

import (
	"embed"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"contextmover/cmdlib/ot"
	"gorgonia.org/cu"
)

// ptx has a file for each kernel. The driver compiles one when it is launched for the first time on a machine, which
// takes about a second.
//
//go:embed ptx
var ptx embed.FS

// oldestDriver is the CUDA version whose drivers read PTX 8.4.
const oldestDriver = 12040

// New returns the engine on the first device. It fails, saying what to do, if there
// is no driver, no device, or one too old.
func New() (ot.Engine, error) {
	p, err := first()
	if err != nil {
		return nil, err
	}
	return Engine{pool: p}, nil
}

// first opens the first device once.
var first = sync.OnceValues(func() (*pool, error) {
	d, err := newDriver()
	if err != nil {
		return nil, err
	}
	return newPool(d), nil
})

// driver is the first device through the driver's interface.
type driver struct {
	context cu.CUContext
	sms     int
	shared  int
	tensor  bool

	mu        sync.Mutex
	functions map[string]cu.Function
}

func newDriver() (*driver, error) {
	if code := C.driver_state(); code != 0 {
		return nil, fmt.Errorf("cuda: the driver does not start (%w); check nvidia-smi, or use the engine cpu",
			message(code))
	}
	if version := cu.Version(); version < oldestDriver {
		return nil, fmt.Errorf("cuda: the driver is for CUDA %d.%d, want %d.%d or newer (driver 550); update it, or "+
			"use the engine cpu",
			version/1000, version%1000/10, oldestDriver/1000, oldestDriver%1000/10)
	}
	if n, err := cu.NumDevices(); err != nil || n == 0 {
		return nil, errors.New(
			"cuda: there is no device; check nvidia-smi and CUDA_VISIBLE_DEVICES, or use the engine cpu",
		)
	}
	gpu, err := cu.GetDevice(0)
	if err != nil {
		return nil, fmt.Errorf("cuda: the first device: %w", err)
	}
	d := &driver{functions: map[string]cu.Function{}}
	var major, minor, optin int
	for _, a := range []struct {
		what cu.DeviceAttribute
		to   *int
	}{
		{cu.ComputeCapabilityMajor, &major},
		{cu.ComputeCapabilityMinor, &minor},
		{cu.MultiprocessorCount, &d.sms},
		{cu.DeviceAttribute(C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), &optin},
	} {
		if *a.to, err = gpu.Attribute(a.what); err != nil {
			return nil, fmt.Errorf("cuda: the device's attributes: %w", err)
		}
	}
	if major < 8 {
		return nil, fmt.Errorf("cuda: the device has compute capability %d.x, want 8.0 or newer; use the engine cpu",
			major)
	}
	d.shared = optin
	if d.context, err = gpu.RetainPrimaryCtx(); err != nil {
		return nil, fmt.Errorf("cuda: the device's context: %w", err)
	}
	leave, err := d.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	d.tensor = major == 9 && minor == 0
	// A small one shows that the driver compiles kernels, and how much shared memory they may have.
	if _, err := d.function("gibbs"); err != nil {
		return nil, err
	}
	return d, nil
}

// function returns the kernel with the given name, which must be one of those in ptx. The calling thread must have
// entered the device.
func (d *driver) function(name string) (cu.Function, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.functions[name]; ok {
		return f, nil
	}
	var none cu.Function
	source, err := ptx.ReadFile("ptx/" + name + ".ptx")
	if err != nil {
		panic("cuda: there is no kernel " + name)
	}
	module, err := cu.LoadData(string(source))
	if err != nil {
		return none, fmt.Errorf("cuda: the driver does not compile kernel %s: %w", name, err)
	}
	f, err := module.Function(name)
	if err != nil {
		return none, fmt.Errorf("cuda: kernel %s: %w", name, err)
	}
	// The part of the first-level cache that is best spent on shared memory, in per cent.
	percent := 100
	if strings.HasSuffix(name, "_log") {
		percent = -1
	}
	bytes := C.int(d.shared)
	if code := C.allow_shared(handle(f), &bytes, C.int(percent)); code != 0 {
		return none, fmt.Errorf("cuda: shared memory of kernel %s: %w", name, message(code))
	}
	d.shared = min(d.shared, int(bytes))
	d.functions[name] = f
	return f, nil
}

// handle is the driver's own name of a function; cu has no call that gives it.
func handle(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }

// message is what the driver says about an error code.
func message(code C.CUresult) error {
	return fmt.Errorf("%s, code %d", C.GoString(C.describe(code)), int(code))
}

func check(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case err == error(cu.OutOfMemory):
		return errMemory
	}
	return fmt.Errorf("cuda: %s: %w", what, err)
}

func (d *driver) enter() (func(), error) {
	runtime.LockOSThread()
	if err := cu.SetCurrentContext(d.context); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("cuda: the device's context: %w", err)
	}
	return runtime.UnlockOSThread, nil
}

func (d *driver) limits() (int, int) { return d.sms, d.shared }
func (d *driver) hopper() bool       { return d.tensor }

func (d *driver) alloc(bytes int) (pointer, error) {
	p, err := cu.MemAlloc(int64(bytes))
	return pointer(p), check("memory", err)
}

func (d *driver) free(p pointer) { _ = cu.MemFree(cu.DevicePtr(p)) }

func (d *driver) allocHost(bytes int) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	if code := C.cuMemAllocHost(&p, C.size_t(bytes)); code != 0 {
		return nil, fmt.Errorf("cuda: %d bytes of pinned memory: %w", bytes, message(code))
	}
	return p, nil
}

func (d *driver) freeHost(p unsafe.Pointer) { _ = cu.MemFreeHost(p) }

func (d *driver) newStream() (stream, error) {
	q, err := cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return nil, check("a stream", err)
	}
	return &driverStream{d, q}, nil
}

type driverStream struct {
	*driver
	queue cu.Stream
}

func (s *driverStream) upload(to pointer, from unsafe.Pointer, bytes int) error {
	return check("a copy to the device", cu.MemcpyHtoDAsync(cu.DevicePtr(to), from, int64(bytes), s.queue))
}

func (s *driverStream) download(to unsafe.Pointer, from pointer, bytes int) error {
	return check("a copy from the device", cu.MemcpyDtoHAsync(to, cu.DevicePtr(from), int64(bytes), s.queue))
}

func (s *driverStream) launch(kernel string, grid, block, shared int, args pointer) error {
	f, err := s.function(kernel)
	if err != nil {
		return err
	}
	return check(kernel, f.Launch(grid, 1, 1, block, 1, 1, shared, s.queue, []unsafe.Pointer{unsafe.Pointer(&args)}))
}

func (s *driverStream) wait() error { return check("a kernel or a copy", s.queue.Synchronize()) }
func (s *driverStream) close()      { _ = s.queue.Destroy() }
