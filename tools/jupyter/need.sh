# What tests in a browser share; they read it from the root of the repository.

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
environments() { python3 -c 'import venv, ensurepip'; }

# Installs a package of Debian, where it may, if a command fails.
need() {
	local package=$1 works=$2
	if $works >/dev/null 2>&1; then return; fi
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		echo "${0##*/}: installing $package" >&2
		apt-get -o Acquire::Retries=5 update -qq || true
		DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=5 install -qq -y --no-install-recommends "$package" >/dev/null || true
		if $works >/dev/null 2>&1; then return; fi
	fi
	echo "${0##*/}: it needs $package: install it (Debian: apt install $package)" >&2
	exit 1
}
