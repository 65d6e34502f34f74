// A libcuda to run the binding with where there is no device: kernels run in emulation, when
// their stream is waited for, and so do copies. It demands what a driver demands: a
// current context, device and pinned memory that is there, launches within the limits; what is wrong
// goes to standard error and comes back as an error code. test-build.sh builds and uses it.
//
// With STANDIN_KERNELS_OWN set it counts some of a block's shared memory as the kernel's own;
// STANDIN_MEMORY is the device's memory in bytes.
#include "../emulation.cc"
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace {

const int INVALID = 1, OUT_OF_MEMORY = 2, NO_CONTEXT = 201, BAD_HANDLE = 400, LAUNCH_FAILED = 719;
const int OPTIN = 232448, OWN = 1024, THREADS = 512;

struct Stream {
	std::deque<std::function<int()>> work;
};

typedef unsigned long long Address;
typedef std::map<Address, size_t> Memory;

std::mutex mutex; // one call at a time
thread_local bool current;
std::set<Stream *> streams;
Memory device, pinned;
int failed; // a launch that failed, for good

int refuse(int code, const char *call) {
	fprintf(stderr, "libcuda stand-in: %s refused with %d\n", call, code);
	return code;
}

bool holds(const Memory &m, Address p, size_t n) {
	auto i = m.upper_bound(p);
	return n > 0 && i != m.begin() && (--i, p + n <= i->first + i->second);
}

int finish(Stream *s) {
	while (!s->work.empty() && !failed) {
		failed = s->work.front()();
		s->work.pop_front();
	}
	return failed;
}

} // namespace

#define ENTER                                                                                   \
	if (!current) return refuse(NO_CONTEXT, __func__);                                          \
	std::lock_guard<std::mutex> guard(mutex)
#define DEMAND(what) \
	if (!(what)) return refuse(INVALID, __func__)

extern "C" {
int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGetCount(int *n) { return *n = 1, 0; }
int cuDeviceGet(int *device, int) { return *device = 0, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int) {
	static const std::map<int, int> known = {{75, 9}, {76, 0}, {16, 3}, {97, OPTIN}}; // capability, multiprocessors
	auto i = known.find(attribute);
	DEMAND(i != known.end());
	return *value = i->second, 0;
}
int cuDevicePrimaryCtxRetain(void **context, int) { return *context = &device, 0; }
int cuCtxSetCurrent(void *context) { return current = context == &device, 0; }
int cuGetErrorString(int, const char **text) { return *text = "refused by the stand-in", 0; }

int cuModuleLoadData(void **module, const char *ptx) {
	ENTER;
	DEMAND(strstr(ptx, ".entry"));
	return *module = strdup(ptx), 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
	ENTER;
	DEMAND(strstr((const char *)module, (std::string(".entry ") + name + "(").c_str()));
	return *function = strdup(name), 0;
}
int cuFuncSetAttribute(void *, int attribute, int value) {
	ENTER;
	// Asked for first, and mended by the binding.
	return attribute == 8 && value > OPTIN - (getenv("STANDIN_KERNELS_OWN") ? OWN : 0) ? INVALID : 0;
}
int cuFuncGetAttribute(int *value, int, void *) { return *value = OWN, 0; }

int cuMemAlloc_v2(Address *p, size_t n) {
	ENTER;
	size_t used = n;
	for (auto &m : device) used += m.second;
	if (const char *all = getenv("STANDIN_MEMORY"); all && used > strtoull(all, 0, 10)) return refuse(OUT_OF_MEMORY, __func__);
	*p = (Address)aligned_alloc(256, (n + 255) / 256 * 256);
	memset((void *)*p, 0xff, n);
	return device[*p] = n, 0;
}
int cuMemFree_v2(Address p) {
	ENTER;
	DEMAND(device.erase(p));
	return free((void *)p), 0;
}
int cuMemAllocHost_v2(void **p, size_t n) {
	ENTER;
	*p = aligned_alloc(4096, (n + 4095) / 4096 * 4096);
	return pinned[(Address)*p] = n, 0;
}
int cuMemFreeHost(void *p) {
	ENTER;
	DEMAND(pinned.erase((Address)p));
	return free(p), 0;
}

int cuStreamCreate(Stream **s, unsigned flags) {
	ENTER;
	DEMAND(flags == 1); // does not wait for the default stream
	return *s = *streams.insert(new Stream).first, 0;
}
int cuStreamSynchronize(Stream *s) {
	ENTER;
	return streams.count(s) ? finish(s) : refuse(BAD_HANDLE, __func__);
}
int cuStreamDestroy_v2(Stream *s) {
	ENTER;
	DEMAND(streams.erase(s) && (s->work.empty() || failed));
	return delete s, 0;
}
int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t n, Stream *s) {
	ENTER;
	DEMAND(streams.count(s) && holds(device, to, n) && holds(pinned, (Address)from, n));
	s->work.push_back([=] { return memcpy((void *)to, from, n), 0; });
	return failed;
}
int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t n, Stream *s) {
	ENTER;
	DEMAND(streams.count(s) && holds(device, from, n) && holds(pinned, (Address)to, n));
	s->work.push_back([=] { return memcpy(to, (void *)from, n), 0; });
	return failed;
}
int cuLaunchKernel(char *kernel, unsigned grid, unsigned y, unsigned z, unsigned block, unsigned v, unsigned w, unsigned shared, Stream *s, void **parameters, void **extra) {
	ENTER;
	DEMAND(streams.count(s) && grid > 0 && y * z * v * w == 1 && block > 0 && block <= THREADS && shared <= OPTIN && !extra);
	void *args = *(void **)parameters[0]; // copied at once, as a driver does
	s->work.push_back([=] {
		const char *wrong = emulate(kernel, grid, block, shared, args, emulation::FORWARD);
		if (wrong) fprintf(stderr, "libcuda stand-in: %s: %s\n", kernel, wrong);
		return wrong ? LAUNCH_FAILED : 0;
	});
	return failed;
}
}
